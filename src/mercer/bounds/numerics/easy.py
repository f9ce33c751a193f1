"""Hold-outs that were chosen to be easy, paid by the exact probability of being that easy.

Every split of the rows has an e-value, Σ_c w_c·e^{−cS}·(1 − a_c·q)^{−m} with a_c = 1 − e^{−c}: S
counts the errors on m held-out rows, q is the risk of the model trained on the others. Averaged
over all splits its mean is at most one. Splits drawn from another distribution, chosen by looking
at all rows, estimate that average without bias once each is weighted by the ratio of the two
probabilities. The proofs are in ``docs/theory/easy-holdouts.md``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mercer.bounds.numerics.checks import as_count, log_level
from mercer.bounds.numerics.combinatorics import log_binom
from mercer.bounds.numerics.root import increasing_root

Floats = NDArray[np.float64]
Bets = Sequence[tuple[float, float]]  # c > 0 (infinity: no error at all) with its weight


def log_ratio(n: int, easy: int, rows: int) -> float:
    """Ln of C(easy, rows)/C(n, rows): how probable a random part was to be among the easy rows."""
    n, easy, rows = as_count(n, "rows"), as_count(easy, "easy rows"), as_count(rows, "held-out")
    if not 1 <= rows <= easy <= n:
        raise ValueError(f"needs 1 <= held-out rows <= easy rows <= n, got {rows}, {easy}, {n}")
    return log_binom(easy, rows) - log_binom(n, rows)


def check_bets(bets: Bets) -> tuple[tuple[float, float], ...]:
    """Positive constants with positive weights whose sum is at most one."""
    made = tuple((float(c), float(w)) for c, w in bets)
    good = bool(made) and all(c > 0 and w > 0 for c, w in made)
    if not good or sum(w for _, w in made) > 1.0 + 1e-12:
        raise ValueError(f"bets are pairs of c > 0 and weights that sum to at most 1, got {bets!r}")
    return made


def easy_upper(
    log_ratios: Sequence[float],
    sums: Sequence[float],
    rows: int,
    delta: float | None = None,
    *,
    bets: Bets,
    log_delta: float | None = None,
) -> tuple[float, Floats]:
    """Limit on the mean risk of J models, and the shares of the mean for which it holds.

    The limit is the smallest θ with (1/J)·Σ_j ratio_j·ψ_j(θ) ≥ 1/δ, ψ_j the e-value above at q = θ;
    the shares are proportional to ratio_j·ψ_j'(θ). For one constant c they are proportional to
    ratio_j·e^{−c·S_j}. A limit of 1 comes with equal shares.
    """
    made, level = check_bets(bets), log_level(delta, log_delta)
    ratios, counts = np.asarray(log_ratios, dtype=float), np.asarray(sums, dtype=float)
    if ratios.shape != counts.shape or ratios.ndim != 1 or not len(counts):
        raise ValueError("needs one ratio and one sum of losses for every hold-out")
    if counts.min() < 0 or counts.max() > rows:
        raise ValueError(f"a sum of {rows} losses lies between 0 and {rows}")
    a = np.array([-math.expm1(-c) for c, _ in made])
    logs = np.array([[math.log(w) + _times(c, s) for c, w in made] for s in counts])
    logs += ratios[:, None] - math.log(len(counts))

    alive = np.isfinite(logs)  # with c infinite, a single error is enough
    if not alive.any():
        return 1.0, np.full(len(counts), 1.0 / len(counts))
    terms, factors = logs[alive], np.broadcast_to(a, logs.shape)[alive]

    def excess(theta: float) -> float:
        return _logsumexp(terms - rows * _log_rest(factors, theta)) + level

    limit = increasing_root(excess, 0.0, 1.0, safe="above")
    if not limit < 1.0:
        return 1.0, np.full(len(counts), 1.0 / len(counts))
    slopes = logs + np.log(a) - (rows + 1) * _log_rest(a, limit)
    shares = np.exp(slopes - slopes.max()).sum(axis=1)
    return limit, shares / shares.sum()


def _times(c: float, total: float) -> float:
    """−c·total, where no error at all is fine with any c."""
    return -c * total if total else 0.0


def _log_rest(a: Floats, theta: float) -> Floats:
    with np.errstate(divide="ignore"):
        return np.log1p(-a * theta)


def _logsumexp(values: Floats) -> float:
    top = float(values.max())
    if math.isinf(top):  # θ = 1 after no error
        return top
    return top + math.log(float(np.exp(values - top).sum()))
