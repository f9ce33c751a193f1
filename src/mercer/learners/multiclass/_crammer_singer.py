r"""The dual of Crammer and Singer's machine, row by row within blocks of the worst rows.

Minimise :math:`\tfrac12\sum_k\|w_k\|^2 + \sum_{ik}[k\ne y_i]\,a_{ik}` with
:math:`w_k=\sum_ia_{ik}\phi(x_i)`, :math:`\sum_ka_{ik}=0` and :math:`a_{ik}\le C_i[k=y_i]`. Over the
coefficients of a single row the optimum is found by sorting (Keerthi et al. 2008). Such steps are
short where rows are nearly collinear, so that in a problem of one block all coefficients away from
their bounds also move together after each sweep, towards the optimum over them.
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

BLOCK = 256
INNER_SWEEPS = 8
TOGETHER = 1024  # coefficients moved at once: the work is cubic in their number


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
    ordered = np.sort(raised)[::-1]
    total, count = ordered[0] - curvature * price, 1
    while count < len(ordered) and total < count * ordered[count]:
        total += ordered[count]
        count += 1
    best = np.minimum((total / count - linear) / curvature, 0.0)
    best[own] = min(price, (total / count - linear[own]) / curvature)
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
    stopped, n_iter = "max_iter", 0
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
        block = np.sort(np.argsort(-violation, kind="stable")[:BLOCK])
        if n > BLOCK:
            block = block[violation[block] > 0.5 * tol]
        before = coef[block].copy()
        tile = np.asarray(gram.tile(block, block), dtype=np.float64)
        tile[np.diag_indices(len(tile))] = own_value[block]
        _improve(coef, output[block] + loss[block], tile, block, codes, price, 0.2 * gap)
        change = coef[block] - before
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


def _violation(coef: Floats, gradient: Floats, codes: Codes, price: Floats) -> Floats:
    """Largest gradient minus the smallest one of a coefficient that may still grow."""
    rows = np.arange(len(codes))
    room = coef < 0
    room[rows, codes] = coef[rows, codes] < price
    smallest = np.where(room, gradient, np.inf).min(axis=1)
    return np.where(price > 0, gradient.max(axis=1) - smallest, 0.0)


def _improve(
    coef: Floats,
    gradient: Floats,
    tile: Floats,
    block: Codes,
    codes: Codes,
    price: Floats,
    enough: float,
) -> None:
    """Sweep over the block until its rows are better than ``enough``; ``coef`` is changed."""
    for _ in range(INNER_SWEEPS):
        worst = _violation(coef[block], gradient, codes[block], price[block])
        if worst.max() <= enough:
            break
        for place in np.flatnonzero(worst > enough):
            row = block[place]
            old = coef[row]
            linear = gradient[place] - tile[place, place] * old
            new = best_row(tile[place, place], linear, int(codes[row]), float(price[row]))
            change = new - old
            gradient += tile[:, place, None] * change
            coef[row] = new
        if len(block) == len(coef):
            _move_together(coef, gradient, tile, codes, price)


def _move_together(
    coef: Floats, gradient: Floats, tile: Floats, codes: Codes, price: Floats
) -> None:
    """Go to the optimum over the coefficients inside their bounds; those that meet one stay there.

    A direction raises one free coefficient of a row and lowers that row's first free one, which
    keeps Σ_k a_ik = 0. Changes ``coef`` and ``gradient``.
    """
    rows, classes = np.arange(len(coef)), np.eye(coef.shape[1])
    bound = np.where(classes[codes] > 0, price[:, None], 0.0)
    for _ in range(len(coef)):
        free = coef < bound
        first = free.argmax(axis=1)
        free[rows, first] = False
        place, which = np.nonzero(free)
        if not 0 < len(place) <= TOGETHER:
            return
        directions = classes[which] - classes[first[place]]
        curvature = tile[np.ix_(place, place)] * (directions @ directions.T)
        curvature[np.diag_indices(len(place))] *= 1.0 + 1e-10  # equal rows
        slope = np.sum(gradient[place] * directions, axis=1)
        try:
            amount = linalg.cho_solve(linalg.cho_factor(curvature), -slope)
        except linalg.LinAlgError:  # not a kernel on these rows: the sweeps go on alone
            return
        step = np.zeros_like(coef)
        np.add.at(step, place, amount[:, None] * directions)
        room = np.divide(bound - coef, step, out=np.full_like(step, np.inf), where=step > 0)
        length = min(1.0, float(room.min()))
        coef[:] = np.where(room <= length, bound, coef + length * step)
        gradient += tile @ (length * step)
        if length == 1.0:
            return
