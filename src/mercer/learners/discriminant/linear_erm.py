"""The plane with the fewest training errors, found by enumeration."""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from sklearn.exceptions import ConvergenceWarning

from mercer.learners._parameters import Rule, one_of, positive_whole
from mercer.learners._reasons import ONE_PROGRAMME
from mercer.learners.discriminant._linear import LinearClassifier, Plane
from mercer.solvers.watch import Watch

Floats = NDArray[np.float64]

BATCH = 2000  # planes looked at together


class LinearERM(LinearClassifier):
    """Empirical risk minimisation over all planes.

    By enumeration: through every d of the points goes one plane. Turned a little, it can give
    those d points any labels, so the fewest errors among the others, over all planes and both
    sides, is the fewest errors of any plane (for points in general position). The cost is
    C(n, d)·n·d: small dimensions only. Of more than two classes each is learned against the rest
    (``estimators_``), with one plane, a row of ``coef_``, for each. Sparse rows are filled.

    Parameters
    ----------
    method : {"enumerate", "hinge"}, default="enumerate"
        "hinge" minimises Σ max(1 − y f, 0) by a linear programme instead: no guarantee for the
        number of errors, but any dimension. It finds a separating plane if there is one.
    max_planes : int, default=2_000_000
        Refuse to enumerate more.
    time_limit : float or None, default=None
        Seconds after which no further planes are looked at: the best so far is kept, with a
        warning, and it may not have the fewest errors. For "enumerate".
    certify; delta : …

    Attributes
    ----------
    coef_, intercept_ : ndarray of shape (1, n_features), (1,)
        The plane; of more than two classes one row for each.
    empirical_risk_ : float
        Its (weighted) share of training errors.
    off_plane_risk_ : float
        After enumeration: the text's L̂ of the rows that are not on the best plane through d of
        them, (weighted) errors over their weight. Zero for separable rows; nan after "hinge".
    through_risk_ : float
        After enumeration: share of errors of the plane through its d points as it stands, those
        counted as wrong: at most d/n above ``empirical_risk_`` (Banisch, proposition 2.11).
    n_planes_ : int
        Planes that were looked at.
    classes_ : ndarray of shape (n_classes,)
        The labels; of two, a positive output means the second.
    evidence_, certificate_, certificates_, not_applicable_; n_features_in_; feature_names_in_ : …

    Examples
    --------
    >>> from mercer.learners.discriminant import LinearERM
    >>> model = LinearERM().fit([[0, 0], [1, 0], [0, 1], [1, 1]], [0, 1, 1, 0])
    >>> float(model.empirical_risk_)  # the exclusive or needs one error
    0.25
    """

    lacks: ClassVar[Mapping[str, str]] = ONE_PROGRAMME | {
        "time_limit": "",
        "proba": "errors are counted: no law of the labels is modelled",
    }
    _against_rest: ClassVar[bool] = True
    _matrices: ClassVar[float] = 3.4
    _rules: ClassVar[dict[str, Rule]] = {
        "method": one_of("enumerate", "hinge"),
        "max_planes": positive_whole,
    }

    def __init__(
        self,
        *,
        method: str = "enumerate",
        max_planes: int = 2_000_000,
        time_limit: float | None = None,
        certify: str | None = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.method = method
        self.max_planes = max_planes
        self.time_limit = time_limit
        self.certify = certify
        self.delta = delta

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [cls(method="hinge")]

    def _learn(self, X: Floats, y: Floats, weight: Floats) -> Plane:
        if self.method == "hinge":
            (w, b), count = _hinge_programme(X, y, weight), 0
            off, through = math.nan, math.nan
        else:
            (w, b), count, (off, through) = self._enumerate(X, y, weight)
        wrong = np.where(X @ w + b >= 0, 1.0, -1.0) != y
        found = {
            "n_planes_": count,
            "empirical_risk_": float(weight @ wrong / weight.sum()),
            "off_plane_risk_": off,
            "through_risk_": through,
        }
        # The fewest errors of all planes, if rows were counted: what bounds on the excess need.
        # Not "erm-enumeration": the plane was turned away from the points it goes through, so it
        # is none of the 2·C(n, d) planes that those bounds count.
        whole = self.method == "enumerate" and count == 2 * math.comb(len(X), min(X.shape[::-1]))
        counted = whole and float(np.ptp(weight)) == 0.0
        return Plane(w, b, found, "erm" if counted else "linear")

    def _enumerate(
        self, X: Floats, y: Floats, weight: Floats
    ) -> tuple[tuple[Floats, float], int, tuple[float, float]]:
        """The best plane, how many were looked at, and the risks of planes through d points."""
        n, d = X.shape
        size = min(d, n)
        count = math.comb(n, size)
        if count > self.max_planes:
            raise ValueError(
                f"{n} rows in {d} dimensions have {count:,} planes, more than "
                f"max_planes={self.max_planes:,}. Use fewer columns or rows, method='hinge', or a "
                "larger max_planes."
            )
        lifted = np.column_stack([X, np.ones(n)])
        best, plane = _constant(y, weight)
        total = float(weight.sum())
        off, through = math.inf, math.inf
        seen, watch = 0, Watch(self.time_limit)
        for subsets in _batches(n, size):
            if seen and watch.spent:
                break
            seen += len(subsets)
            normals = _planes(lifted, subsets)
            errors_off, own = _off_plane(lifted, y, weight, normals, subsets)
            others = np.maximum(total - own, np.finfo(float).tiny)
            off = min(off, float((errors_off / others).min()))
            through = min(through, float((errors_off + own).min()) / total)
            for normal, subset, errors in _promising(lifted, y, weight, normals, subsets, best):
                turned = _turn(lifted, y, normal, subset)
                real = float(weight @ (np.where(lifted @ turned >= 0, 1.0, -1.0) != y))
                if real < best and errors < best:
                    best, plane = real, turned
        if seen < count:
            warnings.warn(
                f"The time limit ({watch.seconds:g} s) ended the search after {seen:,} of "
                f"{count:,} planes: another may have fewer errors.",
                ConvergenceWarning,
                stacklevel=6,
            )
        full = np.append(np.zeros(d), plane) if np.ndim(plane) == 0 else plane
        return (full[:-1], float(full[-1])), 2 * seen, (off, through)


def _off_plane(
    lifted: Floats, y: Floats, weight: Floats, normals: Floats, subsets: NDArray[np.intp]
) -> tuple[Floats, Floats]:
    """Weight of the errors off each plane, the better side taken, and of the rows on it."""
    output = normals @ lifted.T
    np.put_along_axis(output, subsets, 0.0, axis=1)
    sides = [(side * output * y < 0) @ weight for side in (1.0, -1.0)]
    return np.minimum(*sides), weight[subsets].sum(axis=1)


def _constant(y: Floats, weight: Floats) -> tuple[float, Any]:
    """The better of the two constant classifiers: planes far away."""
    positive, negative = float(weight[y > 0].sum()), float(weight[y < 0].sum())
    return (negative, 1.0) if positive >= negative else (positive, -1.0)


def _batches(n: int, size: int) -> Iterator[NDArray[np.intp]]:
    subsets = itertools.combinations(range(n), size)
    while batch := list(itertools.islice(subsets, BATCH)):
        yield np.array(batch, dtype=np.intp)


def _planes(lifted: Floats, subsets: NDArray[np.intp]) -> Floats:
    """The plane through each group of points: the null vector of its d × (d + 1) system."""
    _, _, right = np.linalg.svd(lifted[subsets], full_matrices=True)
    return right[:, -1, :]


def _promising(
    lifted: Floats,
    y: Floats,
    weight: Floats,
    normals: Floats,
    subsets: NDArray[np.intp],
    best: float,
) -> Iterator[tuple[Floats, NDArray[np.intp], float]]:
    """Planes, with side, whose errors off the plane are fewer than the best so far."""
    output = normals @ lifted.T
    np.put_along_axis(output, subsets, 0.0, axis=1)
    for side in (1.0, -1.0):
        wrong = (side * output * y < 0) @ weight
        for place in np.argsort(wrong, kind="stable"):
            if wrong[place] >= best:
                break
            yield side * normals[place], subsets[place], float(wrong[place])


def _turn(lifted: Floats, y: Floats, normal: Floats, subset: NDArray[np.intp]) -> Floats:
    """The plane turned so little that only its own points change, each to its label's side."""
    push = np.linalg.lstsq(lifted[subset], y[subset], rcond=None)[0]
    output, moved = lifted @ normal, lifted @ push
    others = np.ones(len(y), dtype=bool)
    others[subset] = False
    others &= np.abs(output) > 1e-12
    ratio = np.abs(output[others]) / np.maximum(np.abs(moved[others]), 1e-300)
    step = 0.5 * float(ratio.min()) if ratio.size else 1.0
    return normal + min(step, 1.0) * push


def _hinge_programme(X: Floats, y: Floats, weight: Floats) -> tuple[Floats, float]:
    """Minimise Σ w u with u ≥ 1 − y(⟨x, β⟩ + b) and u ≥ 0."""
    n, d = X.shape
    lifted = y[:, None] * np.column_stack([X, np.ones(n)])
    cost = np.concatenate([np.zeros(d + 1), weight])
    found = linprog(
        cost,
        A_ub=-np.hstack([lifted, np.eye(n)]),
        b_ub=-np.ones(n),
        bounds=[(None, None)] * (d + 1) + [(0, None)] * n,
        method="highs",
    )
    if not found.success:
        raise ValueError(f"the linear programme was not solved: {found.message}")
    return found.x[:d], float(found.x[d])
