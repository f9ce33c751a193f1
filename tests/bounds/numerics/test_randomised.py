"""Randomised exact binomial limits: their law by exact integration over the random number."""

import numpy as np
import pytest
from scipy.stats import binom

from mercer.bounds.numerics import clopper_lower, clopper_upper
from mercer.bounds.numerics.randomized import drawn, stevens_lower, stevens_upper

DELTA = 0.1
MIDDLES = (np.arange(400) + 0.5) / 400


def failure(m, p, upper):
    """Probability over counts and the random number that the limit is below p."""
    total = 0.0
    for k in range(m + 1):
        # the limit rises with u, so the share of u below a root fails
        low, high = 0, len(MIDDLES)
        while high > low:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if upper(k, m, MIDDLES[middle]) < p else (low, middle)
        total += binom.pmf(k, m, p) * low / len(MIDDLES)
    return total


@pytest.mark.parametrize("p", [0.07, 0.2, 0.5])
def test_the_limit_fails_with_probability_delta_and_not_less(p):
    m = 12
    exact = failure(m, p, lambda k, m, u: stevens_upper(k, m, DELTA, u))
    assert exact == pytest.approx(DELTA, abs=0.003)
    plain = failure(m, p, lambda k, m, u: clopper_upper(k, m, DELTA))
    assert plain < exact
    # the broken twin knows the count when it draws, and takes the best of three numbers
    best = failure(m, p, lambda k, m, u: stevens_upper(k, m, DELTA, u**3))
    assert best > exact + 0.01


def test_rates_that_no_count_without_errors_may_exclude():
    assert failure(12, 0.03, lambda k, m, u: stevens_upper(k, m, DELTA, u)) <= DELTA


def test_the_limits_in_closed_form_and_at_the_ends():
    assert stevens_upper(0, 50, 0.05, 0.4) == pytest.approx(1 - (0.05 / 0.4) ** (1 / 50))
    assert stevens_upper(3, 50, 0.05, 1.0) == clopper_upper(3, 50, 0.05)
    assert stevens_upper(0, 50, 0.05, 0.001) == stevens_upper(0, 50, 0.05, 0.1) > 0
    assert stevens_lower(47, 50, 0.05, 0.3) > clopper_lower(47, 50, 0.05)
    assert stevens_upper(50, 50, 0.05, 0.5) == 1.0
    assert drawn(7) == drawn(7) != drawn(8)
    with pytest.raises(ValueError, match="u must"):
        stevens_upper(1, 10, 0.05, 1.5)
