"""The geometric view of the hard margin: the nearest points of two convex hulls."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer._types import Samples
from mercer.learners._brief import Brief
from mercer.learners._kernel import gram_of_points
from mercer.solvers import problems, smo

Floats = NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class HullDistance(Brief):
    """Nearest points of the convex hulls of two classes in feature space.

    Attributes
    ----------
    distance : float
        Between the hulls; 0 to within ``gap`` if they meet, that is, if no hyperplane separates the
        classes.
    weights : ndarray of shape (n,)
        Convex weights: those of each class add up to one and make its nearest point.
    sign : ndarray of shape (n,)
        −1 and +1, the class of each row.
    gap : float
        How exactly the solver met its conditions, in squared distance.
    """

    distance: float
    weights: Floats
    sign: Floats
    gap: float

    @property
    def margin(self) -> float:
        """Half the distance: the margin of the hard-margin machine with offset."""
        return self.distance / 2.0

    def points(self, X: Samples) -> tuple[Floats, Floats]:
        """The two nearest points themselves, in the space of X (for the linear kernel)."""
        rows = np.asarray(X, dtype=np.float64)
        negative, positive = self.sign < 0, self.sign > 0
        return self.weights[negative] @ rows[negative], self.weights[positive] @ rows[positive]

    def hard_margin_coef(self) -> Floats:
        """Signed coefficients of the hard-margin machine: weights times 2/distance²."""
        return self.sign * self.weights * 2.0 / self.distance**2


def nearest_hull_points(
    X: Samples,
    y: ArrayLike,
    kernel: Any = "linear",
    *,
    largest_weight: float = math.inf,
    tol: float = 1e-8,
) -> HullDistance:
    """Nearest points of the two classes' convex hulls, or of their reduced hulls.

    Parameters
    ----------
    X : array-like or Gram
        Rows, or their Gram matrix.
    y : array-like
        Two class labels.
    kernel : str, Kernel or "precomputed", default="linear"
        The feature space.
    largest_weight : float, default=inf
        Largest weight of a single row. A finite value, at least one over the size of the smaller
        class, shrinks the hulls so that overlapping classes come apart: the ν-machine with
        ν = 2/(n · largest_weight).
    tol : float, default=1e-8
        Accuracy, relative to the largest k(x, x).

    Returns
    -------
    HullDistance
        Distance and weights.
    """
    from mercer.learners.quantities.conventions import signs

    gram = gram_of_points(X, kernel)
    sign = signs(y)
    smaller = min(int(np.sum(sign > 0)), int(np.sum(sign < 0)))
    if smaller == 0:
        raise ValueError("there is only one class: two hulls need two.")
    if largest_weight * smaller < 1.0 - 1e-12:
        raise ValueError(
            f"largest_weight={largest_weight:g} leaves the smaller class ({smaller} rows) less "
            f"than weight one: use at least {1.0 / smaller:.6g}."
        )
    problem = problems.nearest_points(sign, n=gram.n)
    if math.isfinite(largest_weight):
        start = np.zeros(gram.n)
        for side in (sign > 0, sign < 0):
            rows = np.flatnonzero(side)
            room = np.full(len(rows), largest_weight)
            start[rows] = np.clip(1.0 - np.concatenate([[0.0], np.cumsum(room)[:-1]]), 0.0, room)
        problem = replace(problem, upper=np.full(gram.n, largest_weight), start=start)
    scale = max(float(np.max(gram.diag())), 1e-300)
    found = smo.solve(problem, gram, tol=tol * scale)
    squared = max(2.0 * found.objective, 0.0)
    return HullDistance(math.sqrt(squared), found.alpha, sign, found.gap)
