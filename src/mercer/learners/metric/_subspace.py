"""Is a span of functions large enough to see every distance?"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from sklearn.exceptions import ConvergenceWarning

from mercer._types import Samples

Floats = NDArray[np.float64]
ADDED = 20  # violated pairs that enter the programme at a time


class SubspaceGap(NamedTuple):
    """How much of a distance the span cannot see, where, and how surely.

    ``gap`` is reached at ``pair``; no pair has more than ``at_most``, which is the same number
    unless the search was cut short. ``programmes`` is how many linear programmes it took.
    """

    gap: float
    pair: tuple[int, int]
    at_most: float
    programmes: int


def subspace_condition(
    columns: Any, D: Samples, *, max_programmes: int = 1000, tol: float = 1e-7
) -> SubspaceGap:
    """The largest d(x, y) - sup{|f(x) - f(y)| : f in the span, L(f) ≤ 1}, and the pair.

    Zero for all pairs is the condition (16) of von Luxburg's thesis, III.9: the Lipschitz
    classifier over the span is then the largest margin of an isometric embedding.

    One linear programme per pair would do, but few pairs need theirs: a function found for one
    pair is feasible for all others and limits their gaps from above, so only pairs that may still
    be the worst are solved, and each with the constraints that bind.

    Parameters
    ----------
    columns : array of shape (m, k)
        The spanning functions at the m objects.
    D : array of shape (m, m)
        Their distances.
    max_programmes : int, default=1000
        After so many the answer is a bracket, gap to at_most, and a warning says so.
    tol : float, default=1e-7
        Gaps are exact up to this share of the largest distance.

    Returns
    -------
    SubspaceGap
        The gap, the pair, an upper limit for all pairs, and the number of programmes.
    """
    columns, D = np.asarray(columns, dtype=np.float64), np.asarray(D, dtype=np.float64)
    if columns.ndim != 2 or D.shape != (len(columns), len(columns)):
        raise ValueError(
            f"columns has shape {columns.shape} and D {D.shape}: one row of columns for every "
            "object, and all distances of the objects"
        )
    m = len(D)
    if m < 2:
        return SubspaceGap(0.0, (0, 0), 0.0, 0)
    programme = _Programme(columns, D)
    size = tol * max(float(D.max()), np.finfo(float).tiny)
    limit = np.triu(D - programme.seen_by(programme.scaled_columns()), 1)
    limit[np.tril_indices(m)] = -np.inf
    worst, place, count = -np.inf, (0, 1), 0
    while True:
        x, y = np.unravel_index(int(limit.argmax()), limit.shape)
        if limit[x, y] <= max(worst, 0.0) + size or count >= max_programmes:
            break
        f = programme.solve(int(x), int(y))
        count += 1
        limit = np.minimum(limit, D - np.abs(f[:, None] - f[None, :]))
        gap = max(float(D[x, y] - (f[x] - f[y])), 0.0)
        limit[x, y] = -np.inf  # settled
        if gap > worst:
            worst, place = gap, (int(x), int(y))
    rest = float(limit.max())
    if not np.isfinite(worst):  # every pair is seen by a function known beforehand
        worst, place = max(rest, 0.0), (int(x), int(y))
    at_most = max(worst, rest if rest > worst + size else worst)
    if at_most > worst:
        warnings.warn(
            f"subspace_condition stopped after {count} linear programmes: the gap lies between "
            f"{worst:.4g} and {at_most:.4g}. Raise max_programmes, or ask about fewer objects.",
            ConvergenceWarning,
            stacklevel=2,
        )
    return SubspaceGap(worst, place, at_most, count)


class _Programme:
    """max f(x) − f(y) over the span with L(f) ≤ 1; binding constraints are kept for later pairs."""

    def __init__(self, columns: Floats, D: Floats) -> None:
        self.D, self.columns = D, columns
        left, singular, _ = np.linalg.svd(columns - columns.mean(axis=0), full_matrices=False)
        top = max(float(singular.max(initial=0.0)), float(np.abs(columns).max(initial=0.0)))
        self.basis = left[:, singular > 1e-12 * max(top, np.finfo(float).tiny)]
        # a centred function with L(f) ≤ 1 is nowhere larger than the diameter
        self.box = float(np.sqrt(len(D)) * D.max()) + 1.0
        near = np.argsort(D + np.diag(np.full(len(D), np.inf)), axis=1)[:, 0]
        self.pairs = {(int(i), int(j)) for i, j in enumerate(near)}

    def scaled_columns(self) -> Floats:
        """Functions with Lipschitz constant one, seen without a programme.

        The given ones, and what the span has of the distances to each object: with these alone a
        span of all functions sees everything.
        """
        near = self.basis @ (self.basis.T @ self.D)
        given = (*self.columns.T, *near.T)
        found = [f / self._constant(f) for f in given if np.ptp(f) > 0]
        return np.array([f for f in found if np.isfinite(f).all()]).reshape(-1, len(self.D))

    def _constant(self, f: Floats) -> float:
        gaps = np.abs(f[:, None] - f[None, :])
        apart = self.D > 0
        if np.any(gaps[~apart] > 1e-12 * np.ptp(f)):
            return float(np.inf)  # it tells objects at distance zero apart
        return float((gaps[apart] / self.D[apart]).max())

    def seen_by(self, functions: Floats) -> Floats:
        """The largest |f(x) − f(y)| among some functions, for every pair."""
        found = np.zeros_like(self.D)
        for f in functions:
            found = np.maximum(found, np.abs(f[:, None] - f[None, :]))
        return found

    def solve(self, x: int, y: int) -> Floats:
        """The best function of one pair, at all objects; exactly feasible."""
        basis = self.basis
        if basis.shape[1] == 0:
            return np.zeros(len(self.D))
        slack = 1e-9 * float(self.D.max())
        self.pairs.add((x, y))
        while True:
            i, j = (np.array(part) for part in zip(*sorted(self.pairs), strict=True))
            rows, most = basis[i] - basis[j], self.D[i, j]
            found = linprog(
                -(basis[x] - basis[y]),
                A_ub=np.vstack([rows, -rows]),
                b_ub=np.concatenate([most, most]),
                bounds=(-self.box, self.box),
                method="highs",
            )
            if not found.success:
                raise ValueError(f"the linear programme was not solved: {found.message}")
            f = basis @ found.x
            over = np.triu(np.abs(f[:, None] - f[None, :]) - self.D, 1)
            if over.max() <= slack:
                return f / max(1.0, 1.0 + float(over.max()) / float(self.D.max()))
            worst = np.argsort(over, axis=None)[::-1][:ADDED]
            new = [divmod(int(place), len(f)) for place in worst if over.flat[place] > slack]
            self.pairs.update(new)
