"""Distances as points of a space: Euclidean, pseudo-Euclidean, Kuratowski, Arens-Eells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import eigh
from scipy.optimize import linprog

from mercer._types import Samples
from mercer.metrics._axioms import Floats, as_square, double_centred


@dataclass(frozen=True)
class Embedding:
    """Points, one row per object, and what they keep of the distances.

    ``signs`` are +1, or -1 for the coordinates whose square is subtracted (pseudo-Euclidean).
    ``stress`` is the root of Σ(|p_i - p_j| - d_ij)² / Σ d_ij²; ``curve`` the same by dimension.
    """

    points: Floats
    eigenvalues: Floats
    signs: Floats
    stress: float
    curve: Floats | None = None

    @property
    def elbow(self) -> int:
        """The first dimension after which the stress falls by less than a tenth of the start."""
        if self.curve is None:
            raise ValueError("no curve was computed; use stress_mds(D, dimensions=[...])")
        falls = -np.diff(self.curve)
        small = np.flatnonzero(falls < 0.1 * self.curve[0])
        return int(small[0]) + 1 if len(small) else len(self.curve)


def classical_mds(D: Samples, dimension: int | None = None) -> Embedding:
    """Points from the eigenvectors of -½ J D² J: exact if D is Euclidean, else a projection."""
    D = as_square(D)
    values, vectors = _spectrum(D)
    positive = values > 1e-10 * max(values[0], 1e-300)
    keep = int(positive.sum()) if dimension is None else min(int(dimension), int(positive.sum()))
    points = vectors[:, :keep] * np.sqrt(values[:keep])
    if dimension is not None and keep < dimension:
        points = np.hstack([points, np.zeros((len(D), dimension - keep))])
    signs = np.ones(points.shape[1])
    return Embedding(points, values, signs, stress(D, distances(points)))


def pseudo_euclidean(D: Samples) -> Embedding:
    """Points whose signed squared differences are exactly d²; negative squares are possible.

    Every symmetric matrix with zero diagonal has such points. The author of the thesis advises
    against using them: learn from the distances themselves.
    """
    D = as_square(D)
    values, vectors = _spectrum(D)
    keep = np.abs(values) > 1e-10 * np.abs(values).max(initial=1e-300)
    points = vectors[:, keep] * np.sqrt(np.abs(values[keep]))
    signs = np.sign(values[keep])
    squares = signed_squares(points, signs)
    return Embedding(points, values, signs, stress(D, np.sqrt(np.maximum(squares, 0.0))))


def signed_squares(points: Floats, signs: Floats) -> Floats:
    """Σ sign · difference² for all pairs."""
    own = (points**2) @ signs
    return own[:, None] + own[None, :] - 2.0 * (points * signs) @ points.T


def _spectrum(D: Floats) -> tuple[Floats, Floats]:
    values, vectors = eigh(double_centred(D))
    return values[::-1], vectors[:, ::-1]


def distances(points: Floats) -> Floats:
    """Euclidean distances of all pairs of rows."""
    from scipy.spatial.distance import cdist

    return cdist(points, points)


def stress(D: Floats, found: Floats) -> float:
    """sqrt(Σ(found - d)² / Σ d²)."""
    total = float(np.sum(D**2))
    return float(np.sqrt(np.sum((found - D) ** 2) / total)) if total > 0 else 0.0


def stress_mds(
    D: Samples,
    dimension: int = 2,
    dimensions: Any = None,
    max_iter: int = 300,
    tol: float = 1e-6,
) -> Embedding:
    """Points that minimise Σ(|p_i - p_j| - d_ij)² by majorisation, from the classical solution.

    With ``dimensions`` (such as ``range(1, 8)``) the stress of each is kept in ``curve``, and the
    points are those of its ``elbow``.
    """
    D = as_square(D)
    if dimensions is None:
        points = _smacof(D, classical_mds(D, dimension).points, max_iter, tol)
        return Embedding(points, np.zeros(0), np.ones(dimension), stress(D, distances(points)))
    curve = np.array([stress_mds(D, int(k), None, max_iter, tol).stress for k in dimensions])
    guess = Embedding(np.zeros((0, 0)), np.zeros(0), np.zeros(0), 0.0, curve)
    chosen = stress_mds(D, int(list(dimensions)[guess.elbow - 1]), None, max_iter, tol)
    return Embedding(chosen.points, chosen.eigenvalues, chosen.signs, chosen.stress, curve)


def _smacof(D: Floats, points: Floats, max_iter: int, tol: float) -> Floats:
    """Each step minimises a quadratic that lies above the stress and touches it (Guttman)."""
    last = np.inf
    for _ in range(max_iter):
        found = distances(points)
        now = stress(D, found)
        if last - now < tol:
            break
        last = now
        ratio = np.divide(D, found, out=np.zeros_like(D), where=found > 1e-12)
        B = -ratio
        np.fill_diagonal(B, ratio.sum(axis=1) - np.diagonal(ratio))
        points = B @ points / len(D)
    return points


def kuratowski(D: Samples, sample: Any = None) -> Floats:
    """X -> d(x, .) on the objects of the sample: isometric for the largest difference."""
    D = as_square(D)
    return D if sample is None else D[:, np.asarray(sample)]


def kuratowski_dual_norm(values: ArrayLike, D: Samples) -> float:
    """The norm of a linear functional with these values at the images d(x_i, .) of the objects.

    max Σ a_i c_i subject to |Σ_i a_i d(x_i, x_j)| ≤ 1 for all j; ‖D⁻¹c‖₁ if D is invertible.
    """
    D, c = as_square(D), np.asarray(values, dtype=np.float64)
    both = np.vstack([D, -D])
    found = linprog(-c, A_ub=both, b_ub=np.ones(len(both)), bounds=(None, None), method="highs")
    if found.status == 3:
        return float("inf")
    if not found.success:
        raise ValueError(f"kuratowski_dual_norm: the linear programme failed: {found.message}")
    return float(-found.fun)


def arens_eells_norm(molecule: Any, D: Samples, base: bool = True) -> float:
    """Cost of moving the positive part of a molecule onto the negative part.

    With ``base`` there is a further point at distance diam(X) from all others, which takes what
    does not balance; without it the weights must add up to zero.
    """
    D, m = as_square(D), np.asarray(molecule, dtype=np.float64)
    if base:
        far = float(D.max())
        D = np.block(
            [[D, np.full((len(D), 1), far)], [np.full((1, len(D)), far), np.zeros((1, 1))]]
        )
        m = np.append(m, -m.sum())
    if abs(m.sum()) > 1e-9 * max(1.0, np.abs(m).sum()):
        raise ValueError(f"the weights of a molecule add up to zero, these to {m.sum():.4g}")
    give, take = np.flatnonzero(m > 0), np.flatnonzero(m < 0)
    if len(give) == 0:
        return 0.0
    return transport_cost(D[np.ix_(give, take)], m[give], -m[take])


def transport_cost(cost: Floats, supply: Floats, demand: Floats) -> float:
    """Optimal transport; by assignment where all amounts are equal, else a linear programme."""
    if len(supply) == len(demand) and np.ptp(np.append(supply, demand)) <= 1e-12 * supply[0]:
        from scipy.optimize import linear_sum_assignment

        rows, columns = linear_sum_assignment(cost)
        return float(cost[rows, columns].sum() * supply[0])
    from scipy import sparse

    p, q = cost.shape
    rows = sparse.kron(sparse.eye_array(p), np.ones((1, q)))
    columns = sparse.kron(np.ones((1, p)), sparse.eye_array(q))
    demand = demand * (supply.sum() / demand.sum())
    found = linprog(
        cost.ravel(),
        A_eq=sparse.vstack([rows, columns], format="csr"),
        b_eq=np.append(supply, demand),
        method="highs",
    )
    if not found.success:
        raise ValueError(f"the transport problem failed: {found.message}")
    return float(found.fun)
