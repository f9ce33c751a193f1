"""Which of m sorted numbers a given share of new ones stays below: order statistics, no law.

The share of new draws below the k-th smallest of m independent ones is at least as large as a
Beta(k, m − k + 1) number (equal to one if there are no ties), so
P(share < q) ≤ P(Bin(m, q) ≥ k) (Wilks 1941; Vovk 2012 for predictors).
"""

from __future__ import annotations

import math

from mercer.bounds.numerics.binomial import log_sf
from mercer.bounds.numerics.checks import as_count, log_level


def quantile_rank(m: int, share: float, delta: float | None = None, *,
                  log_delta: float | None = None) -> int | None:  # fmt: skip
    """Smallest k so that the k-th smallest of m holds a ``share`` below it, but for probability δ.

    None if no rank does: even the largest of m numbers fails with probability share^m.
    """
    m, level = as_count(m, "rows"), log_level(delta, log_delta)
    share = _check_share(share)
    if m < 1 or log_sf(m, m, share) > level:
        return None
    low, high = 0, m  # not enough, enough
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if log_sf(middle, m, share) <= level else (middle, high)
    return high


def lower_quantile_rank(m: int, share: float, delta: float) -> int | None:
    """Largest k so that at most ``share`` of new draws lies below the k-th smallest; None: none."""
    rank = quantile_rank(m, 1.0 - _check_share(share), delta)
    return None if rank is None else m + 1 - rank


def marginal_rank(m: int, share: float) -> int | None:
    """Rank ⌈(m + 1)·share⌉: holds ``share`` on average over calibrations, not for this one."""
    rank = math.ceil((as_count(m, "rows") + 1) * _check_share(share) - 1e-12)
    return rank if rank <= m else None


def band_rank(m: int, share: float, delta: float) -> int | None:
    """Rank that is right for every share at once (Dvoretzky–Kiefer–Wolfowitz, Massart)."""
    level = log_level(delta)
    reach = _check_share(share) + math.sqrt(-level / (2.0 * max(1, as_count(m, "rows"))))
    rank = math.ceil(m * reach - 1e-9)
    return rank if rank <= m else None


def rows_for_share(share: float, delta: float) -> int:
    """Fewest rows from which :func:`quantile_rank` has an answer: ln δ / ln share, rounded up."""
    return max(1, math.ceil(log_level(delta) / math.log(_check_share(share)) - 1e-12))


def _check_share(share: float) -> float:
    share = float(share)
    if not 0.0 < share < 1.0:
        raise ValueError(f"share must lie strictly between 0 and 1, got {share!r}")
    return share
