"""How many fresh rows a guarantee needs: calculators to be used before labels are paid for."""

from __future__ import annotations

import math
from collections.abc import Callable

from mercer.bounds.numerics import clopper_lower, clopper_upper
from mercer.bounds.numerics.checks import check_delta
from mercer.bounds.numerics.order_statistics import quantile_rank, rows_for_share
from mercer.certification.core import arguments
from mercer.certification.guarantees.comparison import gain_lower
from mercer.certification.guarantees.thresholds import first_rows

_MOST = 10**7


def rows_for_coverage(
    coverage: float = 0.9, delta: float = 0.05, slack: float | None = None
) -> int:
    """Held-out rows for sets and intervals: any at all, or of a coverage that is not too large.

    With ``slack`` the expected coverage is at most ``coverage + slack``: 0.05 above 0.9 takes 89
    rows.
    """
    coverage, delta = arguments.share(coverage, "coverage"), check_delta(delta)
    if slack is None:
        return rows_for_share(coverage, delta)

    def enough(rows: int) -> bool:
        rank = quantile_rank(rows, coverage, delta)
        return rank is not None and rank / (rows + 1) <= coverage + slack

    return _fewest(enough)


def rows_for_limit(limit: float, expected: float, delta: float = 0.05) -> int:
    """Rows until a rate expected to be ``expected`` is certified at ``limit``, above or below it.

    Error rates have a limit above what is seen; precision, recall and accuracy one below. For
    these, rows are those of the denominator: for recall, rows of the positive class.
    """
    limit, expected = (arguments.share(v, n) for v, n in ((limit, "limit"), (expected, "expected")))
    delta = check_delta(delta)
    if limit == expected:
        raise ValueError("no number of rows certifies the very rate that is expected")

    def enough(rows: int) -> bool:
        if limit > expected:
            return clopper_upper(math.ceil(expected * rows), rows, delta) <= limit
        return clopper_lower(math.floor(expected * rows), rows, delta) >= limit

    return _fewest(enough)


def rows_for_gain(won: float, lost: float, delta: float = 0.05) -> int:
    """Rows until a gain is certified, if a share ``won`` is won and ``lost`` is lost."""
    won, lost = arguments.share(won, "won"), arguments.share(lost, "lost")
    delta = check_delta(delta)
    if won <= lost:
        raise ValueError(f"there is no gain to find: won={won:g}, lost={lost:g}")

    def enough(rows: int) -> bool:
        return gain_lower(math.floor(won * rows), math.ceil(lost * rows), rows, delta) > 0

    return _fewest(enough)


def rows_for_target_error(target: float, delta: float = 0.05) -> int:
    """Accepted rows, none of them wrong, that show an error of at most ``target``."""
    return first_rows(arguments.share(target, "target"), check_delta(delta))


def _fewest(enough: Callable[[int], bool]) -> int:
    high = 1
    while not enough(high):
        high *= 2
        if high > _MOST:
            raise ValueError(f"more than {_MOST:,} rows would be needed")
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
