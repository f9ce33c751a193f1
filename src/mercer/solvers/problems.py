"""Each support vector machine, written as one :class:`BoxProblem`.

Conventions, the same for all of them:

* ``y`` holds -1 and +1; the machine's output is ``f(x) = sum_i coef_i k(x_i, x) + intercept``.
* ``rows`` says which rows of the full data (``n`` rows) the problem is about, so that several
  problems can share one Gram; ``y``, ``target`` and ``weight`` are aligned with ``rows``.
* ``weight`` multiplies the cost of each sample. Samples whose weight is not positive are left out.
* The box is LIBSVM's: ``upper = C * weight`` (the texts' ``1/(2 lambda m)``), and the starting
  points are LIBSVM's, so that the tolerance means the same thing.
* The squared losses put ``shift = 1/(2 C weight)`` (the texts' ``lambda m``) on the diagonal and
  leave the box open. ``C = inf`` with a linear loss is the hard margin.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.solvers.quadratic import BoxProblem, Floats

Rows = NDArray[np.intp]


class InfeasibleNu(ValueError):
    """The ν asked for cannot be met by the classes as they are."""


def c_svc(
    y: ArrayLike,
    C: float = 1.0,
    *,
    rows: ArrayLike | None = None,
    n: int | None = None,
    weight: ArrayLike | None = None,
    squared: bool = False,
    fit_intercept: bool = True,
) -> BoxProblem:
    r"""Soft or hard margin: ``min ½‖w‖² + C Σ weight_i ξ_i`` (``ξ_i²`` if ``squared``).

    With an intercept the dual is constrained by ``Σ y_i α_i = 0``; without, by the box alone.
    """
    sign, index, weights, n = _prepare(y, rows, n, weight)
    upper, shift = _box(C * weights, squared)
    return BoxProblem(
        n=n,
        sign=sign,
        linear=np.full(len(sign), -1.0),
        upper=upper,
        start=np.zeros(len(sign)),
        index=index,
        group=_one_group(sign) if fit_intercept else None,
        balance=sign if fit_intercept else None,
        shift=shift,
    )


def nu_svc(
    y: ArrayLike,
    nu: float = 0.5,
    *,
    rows: ArrayLike | None = None,
    n: int | None = None,
    weight: ArrayLike | None = None,
    fit_intercept: bool = True,
) -> BoxProblem:
    r"""ν-SVM in LIBSVM's scale: ``0 <= α_i <= weight_i``, ``Σ α_i = ν Σ weight_i``.

    With an intercept each class carries half of the sum (two groups, whose multipliers
    ``r_+, r_-`` give ``rho = (r_+ + r_-)/2`` and ``intercept = -(r_+ - r_-)/2``). Without one there
    is the single constraint of the texts and its multiplier is ``rho``. Dividing α, w and rho by
    ``m`` gives the texts' scale (box ``1/m``, sum ν); dividing by ``rho`` gives the C-SVM's.

    Raises
    ------
    InfeasibleNu
        If a class is too light to carry half of the sum.
    """
    sign, index, weights, n = _prepare(y, rows, n, weight)
    total = nu * weights.sum()
    start = np.zeros(len(sign))
    if fit_intercept:
        positive = sign > 0
        lightest = min(weights[positive].sum(), weights[~positive].sum())
        if total / 2 > lightest * (1 + 1e-12):
            raise InfeasibleNu(
                f"specified nu is infeasible: nu={nu:g} needs weight {total / 2:g} in each class, "
                f"the smaller one has {lightest:g}. "
                f"Use nu <= {2 * lightest / weights.sum():.6g} or fit_intercept=False."
            )
        start[positive] = _fill(weights[positive], total / 2)
        start[~positive] = _fill(weights[~positive], total / 2)
        group = np.where(positive, 0, 1).astype(np.int8)
    else:
        start[:] = _fill(weights, total)
        group = _one_group(sign)
    ones = np.ones(len(sign))
    return BoxProblem(n, sign, 0 * ones, weights, start, index, group, ones)


def nearest_points(
    y: ArrayLike,
    *,
    rows: ArrayLike | None = None,
    n: int | None = None,
    weight: ArrayLike | None = None,
    fit_intercept: bool = True,
) -> BoxProblem:
    r"""The hard margin seen from the dual: the two nearest points of the classes' convex hulls.

    Without an intercept: the point of the hull of ``y_i φ(x_i)`` nearest to the origin. Unlike the
    hard-margin dual this problem is bounded whether or not the classes can be separated, and its
    solution scaled by ``2/d²`` (``1/d²``), ``d`` the distance found, is the hard-margin one.
    """
    sign, index, _, n = _prepare(y, rows, n, weight)
    start = np.zeros(len(sign))
    group = _one_group(sign)
    if fit_intercept:
        group = np.where(sign > 0, 0, 1).astype(np.int8)
    for g in np.unique(group):
        start[np.flatnonzero(group == g)[0]] = 1.0
    ones = np.ones(len(sign))
    return BoxProblem(n, sign, 0 * ones, np.inf * ones, start, index, group, ones)


def epsilon_svr(
    target: ArrayLike,
    C: float = 1.0,
    epsilon: float = 0.1,
    *,
    rows: ArrayLike | None = None,
    n: int | None = None,
    weight: ArrayLike | None = None,
    squared: bool = False,
    fit_intercept: bool = True,
) -> BoxProblem:
    r"""ε-insensitive regression: ``min ½‖w‖² + C Σ weight_i max(|t_i - f_i| - ε, 0)``.

    Two variables per sample: first those that pull the function up, then those that pull it down.
    """
    goal, index, weights, n = _prepare(target, rows, n, weight)
    upper, shift = _box(np.tile(C * weights, 2), squared)
    sign = np.repeat([1.0, -1.0], len(goal))
    return BoxProblem(
        n=n,
        sign=sign,
        linear=np.concatenate([epsilon - goal, epsilon + goal]),
        upper=upper,
        start=np.zeros(len(sign)),
        index=np.tile(index, 2),
        group=_one_group(sign) if fit_intercept else None,
        balance=sign if fit_intercept else None,
        shift=shift,
    )


def nu_svr(
    target: ArrayLike,
    C: float = 1.0,
    nu: float = 0.5,
    *,
    rows: ArrayLike | None = None,
    n: int | None = None,
    weight: ArrayLike | None = None,
    fit_intercept: bool = True,
) -> BoxProblem:
    r"""ν-SVR: the width ε of the tube is found, ``Σ (α_i + α*_i) = C ν Σ weight_i``.

    With an intercept: two groups, ``ε = -(r_1 + r_2)/2`` and ``intercept = -(r_1 - r_2)/2``.
    Without: one group, ``ε = -r``.
    """
    goal, index, weights, n = _prepare(target, rows, n, weight)
    upper = C * weights
    half = _fill(upper, nu * upper.sum() / 2)
    sign = np.repeat([1.0, -1.0], len(goal))
    group = _one_group(sign)
    if fit_intercept:
        group = np.repeat(np.array([0, 1], dtype=np.int8), len(goal))
    return BoxProblem(
        n=n,
        sign=sign,
        linear=np.concatenate([-goal, goal]),
        upper=np.tile(upper, 2),
        start=np.tile(half, 2),
        index=np.tile(index, 2),
        group=group,
        balance=np.ones(len(sign)),
    )


def one_class(
    nu: float = 0.5,
    *,
    rows: ArrayLike | None = None,
    n: int | None = None,
    weight: ArrayLike | None = None,
) -> BoxProblem:
    r"""Support of a distribution: ``0 <= α_i <= weight_i``, ``Σ α_i = ν Σ weight_i``.

    The multiplier is the threshold: ``f(x) = Σ α_i k(x_i, x) - rho``.
    """
    count = n if rows is None else np.size(np.asarray(rows))
    sign, index, weights, n = _prepare(np.ones(count or 0), rows, n, weight)
    start = _fill(weights, nu * weights.sum())
    return BoxProblem(n, sign, 0 * sign, weights, start, index, _one_group(sign), sign)


def _prepare(
    y: ArrayLike, rows: ArrayLike | None, n: int | None, weight: ArrayLike | None
) -> tuple[Floats, Rows, Floats, int]:
    """Align labels, row numbers and weights, and leave out samples without positive weight."""
    values = np.asarray(y, dtype=np.float64)
    index = np.arange(len(values)) if rows is None else np.asarray(rows)
    index = index.astype(np.intp)
    weights = np.ones(len(values)) if weight is None else np.asarray(weight, dtype=np.float64)
    if not len(values) == len(index) == len(weights):
        raise ValueError(
            f"labels, rows and weights differ in length: {len(values)}, {len(index)}, "
            f"{len(weights)}."
        )
    if n is None:
        n = int(index.max(initial=-1)) + 1
    kept = weights > 0
    return values[kept], index[kept], weights[kept], n


def _box(cost: Floats, squared: bool) -> tuple[Floats, Floats | None]:
    """Upper bounds and diagonal shifts of a loss that is linear or squared in the slack."""
    if not squared:
        return cost, None
    return np.full(len(cost), np.inf), 1.0 / (2.0 * cost)


def _fill(capacity: Floats, total: float) -> Floats:
    """Fill the first variables up to their capacity until ``total`` is spent (LIBSVM's start)."""
    spent_before = np.concatenate([[0.0], np.cumsum(capacity)[:-1]])
    return np.clip(total - spent_before, 0.0, capacity)


def _one_group(sign: Floats) -> NDArray[np.int8]:
    return np.zeros(len(sign), dtype=np.int8)
