r"""The dual of Crammer and Singer's machine, row by row within blocks of unsettled rows.

Minimise :math:`\tfrac12\sum_k\|w_k\|^2 + \sum_{ik}[k\ne y_i]\,a_{ik}` with
:math:`w_k=\sum_ia_{ik}\phi(x_i)`, :math:`\sum_ka_{ik}=0` and :math:`a_{ik}\le C_i[k=y_i]`. Over the
coefficients of a single row the optimum is found by sorting (Keerthi et al. 2008). Such steps are
short where rows are nearly collinear, so that after each sweep all coefficients of the block that
are away from their bounds also move together: a damped Newton step, projected onto the bounds.
Where these coefficients are few, or the rows, they go on to the optimum over them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]

BLOCK = 512
FEW = 256  # rows, or coefficients off their bounds: so many are moved to their optimum
INNER_SWEEPS = 4
TOGETHER = 1024  # coefficients moved at once: the work is cubic in their number
DAMPING = 1e-3  # share added to the curvature at first; ten times less after a whole step
LEAST_DAMPING = 1e-10  # for equal rows


@dataclass(frozen=True)
class JointSolution:
    """Coefficients (n, K), outputs (n, K), objectives, and how well the conditions are met."""

    coef: Floats
    output: Floats
    slack: Floats
    primal: float
    dual: float
    gap: float  # largest violation of the optimality conditions
    n_iter: int
    stopped: str
    seconds: float

    @property
    def converged(self) -> bool:
        """Whether the tolerance was reached."""
        return self.stopped == "tolerance"


def best_row(curvature: float, linear: Floats, own: int, price: float) -> Floats:
    """Argmin ½·curvature·|a|² + linear·a over Σa = 0, a <= price at ``own`` and <= 0 elsewhere."""
    raised = linear.copy()
    raised[own] += curvature * price
    own_first = raised[own] == raised.max()
    raised.sort()
    ordered = raised.tolist()  # numbers of Python: there are few, and millions of rows
    total, count = ordered.pop() - curvature * price, 1
    if own_first:
        total = float(linear[own])  # the same without the rounding of a large price
    while ordered and total < count * ordered[-1]:
        total += ordered.pop()
        count += 1
    best = (total / count - linear) / curvature
    at_own = best[own]
    np.minimum(best, 0.0, out=best)
    best[own] = min(price, at_own)
    return best


def nearest_rows(values: Floats, codes: Codes, price: Floats) -> Floats:
    """Each row's nearest point within its bounds, for rows that sum to zero.

    This is :func:`best_row` of curvature 1, all at once.
    """
    rows = np.arange(len(values))
    raised = -values
    raised[rows, codes] += price
    ordered = -np.sort(-raised, axis=1)
    total = np.cumsum(ordered, axis=1) - price[:, None]
    counts = np.arange(1, values.shape[1] + 1)
    ends = np.ones(values.shape, dtype=bool)
    ends[:, :-1] = total[:, :-1] >= counts[:-1] * ordered[:, 1:]
    last = ends.argmax(axis=1)
    # never below zero but by rounding, which would take coefficients off their bounds
    level = np.maximum(total[rows, last] / counts[last], 0.0)
    best = np.minimum(level[:, None] + values, 0.0)
    best[rows, codes] = np.minimum(price, level + values[rows, codes])
    return best


def solve(
    gram: Any,
    codes: Codes,
    n_classes: int,
    price: Floats,
    *,
    tol: float,
    max_iter: int,
    time_limit: float | None,
    callback: Callable[[dict[str, Any]], Any] | None,
    start: Floats | None = None,
) -> JointSolution:
    """Solve for rows of positive price; ``max_iter`` counts blocks, -1 for no limit.

    ``start`` are coefficients of an earlier solution, made to keep the bounds of this one.
    """
    began = time.perf_counter()
    n = gram.n
    rows = np.arange(n)
    coef, output = np.zeros((n, n_classes)), np.zeros((n, n_classes))
    loss = np.ones((n, n_classes))
    loss[rows, codes] = 0.0
    if start is not None:
        coef = _within(start, codes, price)
        for part in gram.blocks():
            output[part] = np.asarray(gram.tile(part, rows), dtype=np.float64) @ coef
    own_value = np.maximum(np.asarray(gram.diag(), dtype=np.float64), 1e-12)
    stopped, n_iter, damping = "max_iter", 0, DAMPING
    while max_iter < 0 or n_iter < max_iter:
        violation = _violation(coef, output + loss, codes, price)
        gap = float(violation.max())
        seconds = time.perf_counter() - began
        if gap <= tol:
            stopped = "tolerance"
            break
        if time_limit is not None and seconds > time_limit:
            stopped = "time_limit"
            break
        report = {"gap": gap, "n_iter": n_iter, "seconds": seconds}
        if callback is not None and callback(report):
            stopped = "interrupt"
            break
        # next to the worst rows those with coefficients that the others' moves carry along
        inside = np.sum(_room(coef, codes, price), axis=1) > 1
        wanted = np.flatnonzero(inside | (violation > 0.5 * tol))
        block = np.sort(wanted[np.argsort(-violation[wanted], kind="stable")[:BLOCK]])
        if n <= FEW:
            block = rows
        before = coef[block].copy()
        tile = np.asarray(gram.tile(block, block), dtype=np.float64)
        tile[np.diag_indices(len(tile))] = own_value[block]
        gradient = np.asfortranarray(output[block] + loss[block])
        after = before.copy()
        damping = _improve(
            after, gradient, tile, codes[block], price[block], 0.2 * gap, damping, few=n <= FEW
        )
        coef[block], change = after, after - before
        for part in gram.blocks():
            output[part] += np.asarray(gram.tile(part, block), dtype=np.float64) @ change
        n_iter += 1
    slack = (output + loss).max(axis=1) - output[rows, codes]
    half = 0.5 * float(np.sum(coef * output))
    return JointSolution(
        coef=coef,
        output=output,
        slack=slack,
        primal=half + float(price @ slack),
        dual=-half - float(np.sum(coef * loss)),
        gap=float(_violation(coef, output + loss, codes, price).max()),
        n_iter=n_iter,
        stopped=stopped,
        seconds=time.perf_counter() - began,
    )


def _within(coef: Floats, codes: Codes, price: Floats) -> Floats:
    """Rows shortened until the coefficient of their own class costs no more than the price."""
    own = coef[np.arange(len(codes)), codes]
    share = np.divide(price, own, out=np.ones_like(own), where=own > price)
    return coef * share[:, None]


def _room(coef: Floats, codes: Codes, price: Floats) -> NDArray[np.bool_]:
    """Which coefficients are below their bounds."""
    rows, room = np.arange(len(codes)), coef < 0
    room[rows, codes] = coef[rows, codes] < price
    return room


def _violation(coef: Floats, gradient: Floats, codes: Codes, price: Floats) -> Floats:
    """Largest gradient minus the smallest one of a coefficient that may still grow."""
    smallest = np.where(_room(coef, codes, price), gradient, np.inf).min(axis=1)
    return np.where(price > 0, gradient.max(axis=1) - smallest, 0.0)


def _improve(
    coef: Floats,
    gradient: Floats,
    tile: Floats,
    codes: Codes,
    price: Floats,
    enough: float,
    damping: float,
    *,
    few: bool,
) -> float:
    """Sweep over the block until its rows are better than ``enough``; the next damping.

    Changes ``coef`` and ``gradient``, both of the rows of the block.
    """
    for _ in range(INNER_SWEEPS):
        worst = _violation(coef, gradient, codes, price)
        if worst.max() <= enough:
            break
        for row in np.flatnonzero(worst > enough).tolist():
            column, old = tile[row], coef[row]
            linear = gradient[row] - column[row] * old
            new = best_row(float(column[row]), linear, int(codes[row]), float(price[row]))
            change = new - old
            for k in change.nonzero()[0].tolist():  # few of the classes
                gradient[:, k] += column * change[k]
            coef[row] = new
        if few or np.count_nonzero(_room(coef, codes, price)) - len(coef) <= FEW:
            _settle(coef, gradient, tile, codes, price)
        else:
            damping = _move_together(coef, gradient, tile, codes, price, damping)
    return damping


def _together(
    coef: Floats, gradient: Floats, tile: Floats, codes: Codes, price: Floats, damping: float
) -> Floats | None:
    """Way to the optimum over the coefficients below their bounds, if it can be computed.

    A direction raises one such coefficient of a row and lowers that row's first one, which keeps
    Σ_k a_ik = 0.
    """
    free = _room(coef, codes, price)
    first = free.argmax(axis=1)
    free[np.arange(len(coef)), first] = False
    place, which = np.nonzero(free)
    if not 0 < len(place) <= TOGETHER:
        return None
    classes = np.eye(coef.shape[1])
    directions = classes[which] - classes[first[place]]
    curvature = tile[np.ix_(place, place)] * (directions @ directions.T)
    curvature[np.diag_indices(len(place))] *= 1.0 + damping
    slope = gradient[place, which] - gradient[place, first[place]]
    try:
        amount = linalg.cho_solve(linalg.cho_factor(curvature, overwrite_a=True), -slope)
    except linalg.LinAlgError:  # not a kernel on these rows: the sweeps go on alone
        return None
    step = np.zeros_like(coef)
    np.add.at(step, place, amount[:, None] * directions)
    return step


def _to_the_first_bound(
    coef: Floats, gradient: Floats, tile: Floats, codes: Codes, price: Floats, step: Floats
) -> float:
    """Go along ``step`` until a coefficient meets its bound, where it stays; the share gone."""
    bound = np.zeros_like(coef)
    bound[np.arange(len(coef)), codes] = price
    room = np.divide(bound - coef, step, out=np.full_like(step, np.inf), where=step > 0)
    length = min(1.0, float(room.min()))
    coef[:] = np.where(room <= length, bound, coef + length * step)
    gradient += tile @ (length * step)
    return length


def _settle(coef: Floats, gradient: Floats, tile: Floats, codes: Codes, price: Floats) -> None:
    """Go to the optimum over the coefficients below their bounds; those that meet one stay."""
    for _ in range(len(coef)):
        step = _together(coef, gradient, tile, codes, price, LEAST_DAMPING)
        if step is None or _to_the_first_bound(coef, gradient, tile, codes, price, step) == 1.0:
            return


def _move_together(
    coef: Floats, gradient: Floats, tile: Floats, codes: Codes, price: Floats, damping: float
) -> float:
    """One projected step that lowers the objective, else to the first bound; the next damping."""
    step = _together(coef, gradient, tile, codes, price, damping)
    if step is None:
        return damping
    for length in (1.0, 0.3, 0.1, 0.03):
        nearest = nearest_rows(coef + length * step, codes, price)
        moved = nearest - coef
        effect = tile @ moved
        promised = float(np.sum(gradient * moved))
        if promised + 0.5 * float(np.sum(moved * effect)) < 0.01 * promised < 0:
            coef[:] = nearest  # at a bound exactly, as coef + moved would not be
            gradient += effect
            return max(damping / 10, LEAST_DAMPING) if length == 1.0 else damping
    _to_the_first_bound(coef, gradient, tile, codes, price, step)
    return min(10 * damping, 1.0)
