"""How many fresh rows a guarantee needs: calculators to be used before labels are paid for."""

from __future__ import annotations

import math
from collections.abc import Callable

from scipy.stats import invgauss

from mercer.bounds.numerics import clopper_lower, clopper_upper
from mercer.bounds.numerics.checks import check_delta
from mercer.bounds.numerics.order_statistics import quantile_rank, rows_for_share
from mercer.certification.core import arguments
from mercer.certification.guarantees.comparison import gain_lower
from mercer.certification.guarantees.monitor import FIRST, TIMES
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


def rows_for_f1(f1: float, expected: float, delta: float = 0.05) -> int:
    """Rows that are positive or called so, until an F1 expected to be ``expected`` is certified.

    Hits among these rows are binomial with a rate s, and F1 is 2s/(1 + s).
    """
    wanted, expected = arguments.share(f1, "f1"), arguments.share(expected, "expected")
    if not wanted < expected:
        raise ValueError("no number of rows certifies an F1 above the one that is expected")
    return rows_for_limit(wanted / (2 - wanted), expected / (2 - expected), delta)


def rows_for_auc(auc: float, expected: float, delta: float = 0.05) -> int:
    """Rows of the rarer class until an AUC expected to be ``expected`` is certified.

    Each makes one pair with a row of the other class, and pairs in order are counted.
    """
    wanted, expected = arguments.share(auc, "auc"), arguments.share(expected, "expected")
    if not wanted < expected:
        raise ValueError("no number of rows certifies an AUC above the one that is expected")
    return rows_for_limit(wanted, expected, delta)


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


def rows_for_recall(recall: float = 0.95, delta: float = 0.05) -> int:
    """Fresh rows of the positive class until any threshold at all keeps this recall."""
    return rows_for_share(arguments.share(recall, "recall"), check_delta(delta))


def rows_for_groups(groups: int, gap: float, expected: float = 0.1, delta: float = 0.05) -> int:
    """Rows of every group until equal groups, wrong at ``expected``, differ by at most ``gap``.

    Every group has two limits at δ/(2K): the gap that is certified is between the upper limit of
    one and the lower limit of another.
    """
    groups, gap = arguments.whole(groups, "groups"), arguments.share(gap, "gap")
    share = check_delta(delta) / (2 * max(2, groups))
    expected = arguments.share(expected, "expected")

    def enough(rows: int) -> bool:
        errors = round(expected * rows)
        return clopper_upper(errors, rows, share) - clopper_lower(errors, rows, share) <= gap

    return _fewest(enough)


def rows_for_weights(limit: float, expected: float, largest: float, delta: float = 0.05) -> int:
    """About how many rows certify an error of ``limit`` in a population with weights below B.

    With weights w between 0 and B = ``largest`` (mean 1) the weighted error lies between 0 and B.
    Rows of weight B that are wrong at the rate ``expected``/B have the largest variance: as many
    are needed as an exact binomial limit of ``limit``/B takes.
    """
    if not (math.isfinite(largest) and largest >= 1):
        raise ValueError(f"largest is a finite number of at least 1, got {largest!r}")
    if not limit > expected:
        raise ValueError("no number of rows certifies a limit below the rate that is expected")
    return rows_for_limit(limit / largest, expected / largest, delta)


def labels_until_alarm(limit: float, risk: float, alpha: float = 0.01) -> int:
    """About how many labels, in the median, until `Monitor` sees that the risk is ``risk``.

    Its evidence walks with the logarithm of the likelihood ratio of each of its rates. The first
    passage of a Brownian motion of that drift and variance through ln(1/α) and the price of the
    rate's weight has an inverse Gaussian law; the soonest of the medians is taken.
    """
    limit, risk = arguments.share(limit, "limit"), arguments.share(risk, "risk")
    price = -math.log(arguments.share(alpha, "alpha"))
    rates = {time * limit: weight for time, weight in TIMES.items() if time * limit < 1}
    rates = rates or {(1 + limit) / 2: 1.0}
    total, found = sum(rates.values()), math.inf
    for rate, weight in rates.items():
        wrong, right = math.log(rate / limit), math.log((1 - rate) / (1 - limit))
        drift = risk * wrong + (1 - risk) * right
        height = price - math.log(FIRST * weight / total)
        if drift > 0:
            shape = height**2 / (risk * (1 - risk) * (wrong - right) ** 2)
            found = min(found, float(invgauss(height / drift / shape, scale=shape).median()))
    if not math.isfinite(found):
        raise ValueError(f"a risk of {risk:g} is too near to {limit:g} to raise an alarm soon")
    return math.ceil(found)


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
