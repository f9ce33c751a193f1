"""The version space: hyperplanes that separate a sample, and how much room they have."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer._types import Samples
from mercer.kernels import Kernel
from mercer.kernels.resolve import kernel_meant
from mercer.learners._brief import Brief
from mercer.learners.margin.svm._hard import NotSeparableError
from mercer.learners.margin.svm.svc import SVC
from mercer.learners.quantities.conventions import signs
from mercer.learners.quantities.rkhs import Expansion

Floats = NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class Separability(Brief):
    """Whether a hyperplane separates two classes.

    Attributes
    ----------
    separable : bool
        Strictly: every row on its side, by the margin. For finite samples a weak separation (rows
        of one class on the plane) can be shifted into a strict one, so there is one answer.
    margin : float
        Largest distance of the nearest row to a separating hyperplane; 0 if there is none.
    machine : SVC or None
        The hard-margin machine.
    culprits : ndarray of int
        If not separable, rows that no hyperplane can separate from each other.
    """

    separable: bool
    margin: float
    machine: Any
    culprits: NDArray[np.intp]

    def __bool__(self) -> bool:
        return self.separable


def separability(
    X: Samples,
    y: ArrayLike,
    *,
    kernel: Any = "linear",
    fit_intercept: bool = True,
    gamma: float | str = "scale",
) -> Separability:
    """Test whether the classes can be separated in the feature space of a kernel.

    Parameters
    ----------
    X, y : array-like
        Rows and two class labels.
    kernel : str or Kernel, default="linear"
        As in :class:`mercer.SVC`.
    fit_intercept : bool, default=True
        Hyperplanes with an offset, or only those through the origin.
    gamma : {"scale", "auto"} or float, default="scale"
        For the kernels named by strings.

    Returns
    -------
    Separability
        The answer, with the widest separation or the rows that exclude it.
    """
    machine = SVC(
        kernel=kernel, gamma=gamma, C=math.inf, fit_intercept=fit_intercept, tol=1e-6,
        certify=None,
    )  # fmt: skip
    try:
        machine.fit(X, y)
    except NotSeparableError as refusal:
        return Separability(False, 0.0, None, np.asarray(refusal.rows))
    facts: Any = machine.diagnostics_
    width = float(facts.geometrical_margins.min())
    return Separability(True, width, machine, np.zeros(0, dtype=np.intp))


def is_consistent(rule: Any, X: Samples, y: ArrayLike) -> bool:
    """Whether a rule lies in the version space: y f(x) > 0 for every row.

    Parameters
    ----------
    rule : estimator, Expansion or array-like
        A fitted two-class model, an element of a Hilbert space, or a weight vector w of f = w·x.
    X, y : array-like
        Rows and labels.

    Returns
    -------
    bool
        True if no row is wrong or on the boundary.
    """
    if hasattr(rule, "decision_function"):
        sign, output = signs(y, rule.classes_), np.asarray(rule.decision_function(X))
    elif isinstance(rule, Expansion):
        sign, output = signs(y), rule.outputs(X)
    else:
        sign, output = signs(y), np.asarray(X, dtype=np.float64) @ np.asarray(rule, np.float64)
    return bool(np.all(sign * output > 0))


@dataclass(frozen=True, repr=False)
class InscribedBall(Brief):
    """A ball of unit weight vectors that all separate the sample.

    Attributes
    ----------
    centre : Expansion
        The weight vector at its centre, of length one.
    sine : float
        Sine of its angular radius: the smallest y f(x)/√k(x, x) of the centre. The texts call this
        the radius.
    angle, chord : float
        The angular radius itself, and the length of the chord from the centre to the edge.
    """

    centre: Expansion
    sine: float

    @property
    def angle(self) -> float:
        """Arcsin of the sine."""
        return math.asin(min(self.sine, 1.0))

    @property
    def chord(self) -> float:
        """2 sin(angle/2)."""
        return 2.0 * math.sin(self.angle / 2.0)


def inscribed_ball(X: Samples, y: ArrayLike, *, kernel: Any, centre: Any = None) -> InscribedBall:
    """The largest ball in the version space, or the one around a given consistent rule.

    The centre of the largest one is the hard-margin machine, without offset, of the normalised
    kernel k(x, z)/√(k(x, x) k(z, z)).

    Parameters
    ----------
    X, y : array-like
        Rows and two class labels.
    kernel : str or Kernel
        Its feature space holds the hyperplanes; a name as in :class:`mercer.SVC`.
    centre : Expansion, optional
        A rule of that kernel that separates the rows; by default the best one is found.

    Returns
    -------
    InscribedBall
        Centre and size.

    Raises
    ------
    NotSeparableError
        If the version space is empty.
    ValueError
        If ``centre`` is not in it.
    """
    sign = signs(y)
    if not isinstance(kernel, Kernel | str) or kernel == "precomputed":
        raise TypeError(
            f"kernel must be a name or a mercer Kernel, which can be normalised; got {kernel!r}."
        )
    kernel = kernel_meant(kernel, X).kernel
    length = np.sqrt(np.asarray(kernel.diag(X), dtype=np.float64))
    if np.any(length == 0):
        row = int(np.flatnonzero(length == 0)[0])
        raise ValueError(
            f"row {row} lies at the origin of the feature space: nothing separates it."
        )
    if centre is None:
        machine = SVC(
            kernel=kernel.normalized(), C=math.inf, fit_intercept=False, tol=1e-8, certify=None
        ).fit(X, sign)
        support = machine.support_
        coef = np.asarray(machine.dual_coef_[0]) / length[support]
        centre = Expansion(kernel, machine.support_vectors_, coef)
    unit = centre * (1.0 / centre.norm)
    sine = float(np.min(sign * unit(X) / length))
    if sine <= 0:
        raise ValueError("the centre given does not separate the rows: it is no consistent rule.")
    return InscribedBall(unit, sine)
