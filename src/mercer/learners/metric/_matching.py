"""The soft Lipschitz problem by matchings.

    min over L >= 0 and values a:  L + C Σ max(0, 1 - y_i a_i)   with  a_i - a_j <= L d(x_i, x_j)

In a metric space only pairs of opposite labels bind: any values that respect those can be moved
towards their labels until they respect all. For fixed L the rest is the dual of a matching
problem: the least Σ hinge is the largest total of (2 - L d_ij)+ over matchings of positive with
negative points. That value is convex and piecewise linear in L, so a few matchings find its least
sum with L exactly. The dual of the whole problem moves mass from positive to negative points, at
most C each, within a transport budget of one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
_MOST_CUTS = 100


@dataclass(frozen=True)
class Matching:
    """The best matching at one Lipschitz constant: pairs of rows, total distance, total value."""

    constant: float
    rows: Ints
    columns: Ints
    cost: float
    value: float

    def line(self, C: float, at: float) -> float:
        """The lower bound on the objective that this matching gives at another constant."""
        return at + C * (2.0 * len(self.rows) - at * self.cost)


@dataclass(frozen=True)
class SoftSolution:
    """Values at positive and negative points, their Lipschitz constant, and the dual.

    ``mass`` is what the transport dual moves out of (into) each point: support points have mass.
    ``objective`` is L + C Σ hinge; ``gap`` how much the dual falls short of it.
    """

    constant: float
    positive: Floats
    negative: Floats
    mass_positive: Floats
    mass_negative: Floats
    objective: float
    gap: float
    n_matchings: int


def best_matching(D: Floats, constant: float) -> Matching:
    """Match positive (rows) with negative points so that Σ (2 - L d)+ is largest."""
    profit = np.maximum(2.0 - constant * D, 0.0)
    if constant == 0.0:  # every matching of all is best: take the cheapest, whose slope counts
        rows, columns = linear_sum_assignment(D)
    else:
        rows, columns = linear_sum_assignment(profit, maximize=True)
    kept = profit[rows, columns] > 0
    rows, columns = rows[kept], columns[kept]
    return Matching(
        constant,
        rows,
        columns,
        float(D[rows, columns].sum()),
        float(profit[rows, columns].sum()),
    )


def solve_soft(D: Floats, C: float) -> SoftSolution:
    """Solve for the distances of positive (rows) to negative points (columns)."""
    first = best_matching(D, 0.0)
    if C * first.cost <= 1.0:  # even moving everything stays within the budget: L = 0
        return _solution(D, C, first, first, 1)
    left, right = first, _nothing(D)
    matchings = 1
    while matchings < _MOST_CUTS:
        # where the two lines meet: slopes 1 - C cost, of opposite signs
        meet = (2.0 * len(left.rows) - 2.0 * len(right.rows)) / (left.cost - right.cost)
        middle = best_matching(D, meet)
        matchings += 1
        here = meet + C * middle.value
        if here <= left.line(C, meet) + 1e-12 * max(1.0, here):
            break
        if C * middle.cost > 1.0:
            left = middle
        else:
            right = middle
    return _solution(D, C, left, right, matchings)


def _nothing(D: Floats) -> Matching:
    """At a very large constant only pairs at distance zero are worth matching."""
    zero = D <= 0
    if not zero.any():
        empty = np.zeros(0, dtype=np.intp)
        return Matching(np.inf, empty, empty, 0.0, 0.0)
    rows, columns = linear_sum_assignment(zero.astype(float), maximize=True)
    kept = zero[rows, columns]
    return Matching(np.inf, rows[kept], columns[kept], 0.0, 2.0 * float(kept.sum()))


def _solution(D: Floats, C: float, left: Matching, right: Matching, count: int) -> SoftSolution:
    constant, share = 0.0, 1.0
    if left is not right:
        constant = 2.0 * (len(left.rows) - len(right.rows)) / (left.cost - right.cost)
        share = (1.0 / C - right.cost) / (left.cost - right.cost)  # so that the budget is used up
    at_optimum = best_matching(D, constant)
    u, v = potentials(2.0 - constant * D, at_optimum.rows, at_optimum.columns)
    positive, negative = 1.0 - u, v - 1.0
    constant = max(constant, _constant_between(positive, negative, D))
    mass_positive, mass_negative = np.zeros(D.shape[0]), np.zeros(D.shape[1])
    for part, weight in ((left, share), (right, 1.0 - share)):
        mass_positive[part.rows] += C * weight
        mass_negative[part.columns] += C * weight
    hinge = np.maximum(u, 0.0).sum() + np.maximum(v, 0.0).sum()
    objective = constant + C * float(hinge)
    dual = float(mass_positive.sum() + mass_negative.sum())
    return SoftSolution(
        constant,
        positive,
        negative,
        mass_positive,
        mass_negative,
        objective,
        objective - dual,
        count,
    )


def _constant_between(positive: Floats, negative: Floats, D: Floats) -> float:
    rise = positive[:, None] - negative[None, :]
    slopes = np.divide(rise, D, out=np.zeros_like(D), where=D > 0)
    return float(slopes.max(initial=0.0))


def potentials(profit: Floats, rows: Ints, columns: Ints) -> tuple[Floats, Floats]:
    """Slacks u, v >= 0 with u_i + v_j >= profit_ij, tight on the pairs of a best matching.

    The smallest v is a longest path from the unmatched rows, whose u is zero; the rows whose
    column has just moved are looked at again until nothing moves.
    """
    free = np.ones(profit.shape[0], dtype=bool)
    free[rows] = False
    v = np.maximum(profit[free].max(axis=0, initial=0.0), 0.0)
    own = profit[rows, columns]
    active = np.arange(len(rows))
    for _ in range(len(rows) + 1):
        if len(active) == 0:
            break
        reach = v[columns[active]] - own[active]
        pushed = (profit[rows[active]] + reach[:, None]).max(axis=0)
        moved = pushed > v + 1e-12
        v = np.where(moved, pushed, v)
        active = np.flatnonzero(moved[columns])
    u = np.zeros(profit.shape[0])
    u[rows] = np.maximum(own - v[columns], 0.0)
    return u, v


def noise_fit(D: Floats, signs: Floats, constant: float = 1.0, limit: float | str = 1.0) -> float:
    """The largest (1/n) Σ σ_i g(x_i) over |g| <= limit with Lipschitz constant <= ``constant``.

    ``limit="diameter"`` is the thesis' class (III.8): |g| at most the diameter times the constant,
    the unit ball of its norm. Scaling g by the limit leaves the problem with |g| <= 1.
    """
    D = np.asarray(D, dtype=np.float64)
    top = constant * float(D.max()) if limit == "diameter" else float(limit)
    if not top > 0.0:
        return 0.0
    up, down = signs > 0, signs < 0
    if not up.any() or not down.any():
        return top
    value = best_matching(D[np.ix_(up, down)], constant / top).value
    return top * (1.0 - value / len(signs))
