"""The soft Lipschitz problem when losses have weights: copies of rows, or a linear programme."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from mercer.learners.metric._matching import Floats, Ints, SoftSolution, solve_soft

_COPIES = 4  # times as many rows: below that whole weights are solved as copies


def solve_weighted(D: Floats, C: float, positive: Floats, negative: Floats) -> SoftSolution:
    """Min L + C Σ w_i hinge_i for distances of positive (rows) to negative points (columns)."""
    both = np.concatenate([positive, negative])
    if np.ptp(both) == 0.0:
        return solve_soft(D, C * float(both[0]))
    whole = np.all(both == np.round(both))
    if whole and both.sum() <= _COPIES * len(both):
        return _by_copies(D, C, positive.astype(np.intp), negative.astype(np.intp))
    return _by_programme(D, C * positive, C * negative)


def _by_copies(D: Floats, C: float, positive: Ints, negative: Ints) -> SoftSolution:
    """Copies of a row have the same constraints, so their values agree at the optimum."""
    rows, columns = (
        np.repeat(np.arange(len(D)), positive),
        np.repeat(np.arange(D.shape[1]), negative),
    )
    found = solve_soft(D[np.ix_(rows, columns)], C)
    first_row = np.searchsorted(rows, np.arange(len(D)))
    first_column = np.searchsorted(columns, np.arange(D.shape[1]))
    return SoftSolution(
        found.constant,
        found.positive[first_row],
        found.negative[first_column],
        np.bincount(rows, weights=found.mass_positive).astype(np.float64),
        np.bincount(columns, weights=found.mass_negative).astype(np.float64),
        found.objective,
        found.gap,
        found.n_matchings,
    )


def _by_programme(D: Floats, up: Floats, down: Floats) -> SoftSolution:
    """Prices of the positive and of the negative points; u_i + v_j + L d_ij >= 2."""
    p, q = D.shape
    i, j = np.divmod(np.arange(p * q), q)
    pairs, ones = np.arange(p * q), np.ones(p * q)
    places = (np.tile(pairs, 3), np.concatenate([i, p + j, np.full(p * q, p + q)]))
    matrix = sparse.csr_array((np.concatenate([ones, ones, D.ravel()]), places))
    found = linprog(
        np.concatenate([up, down, [1.0]]),
        A_ub=-matrix,
        b_ub=np.full(p * q, -2.0),
        bounds=(0, None),
        method="highs",
    )
    if not found.success:
        raise ValueError(f"the linear programme of the weighted problem failed: {found.message}")
    moved = -np.asarray(found.ineqlin.marginals).reshape(p, q)
    return SoftSolution(
        float(found.x[-1]),
        1.0 - found.x[:p],
        found.x[p : p + q] - 1.0,
        moved.sum(axis=1),
        moved.sum(axis=0),
        float(found.fun),
        float(found.fun - 2.0 * moved.sum()),
        0,
    )
