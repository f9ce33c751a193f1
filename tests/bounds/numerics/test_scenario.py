"""The scenario polynomials against direct 40-digit sums, and the published and corrected values."""

import math

import mpmath as mp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import helpers_exact as exact
from mercer.bounds.numerics import (
    clopper_upper,
    kl_upper,
    log_binom,
    preferent_upper,
    scenario_interval,
    scenario_upper,
    tune_multipliers,
)


@exact.with_digits
def one_sided_excess(k, n, delta, eps):
    """ln of right over left side of the published equation, summed term by term."""
    t = 1 - mp.mpf(eps)
    total, term = mp.mpf(0), mp.mpf(1)
    for i in range(k, n):
        total += term
        term *= t * (i + 1) / (i + 1 - k)
    return mp.log(delta / mp.mpf(n) * total) - exact.log_binom(n, k) - (n - k) * mp.log(t)


@exact.with_digits
def two_sided_excess(k, n, delta, eps):
    t = 1 - mp.mpf(eps)
    inner, outer, term = mp.mpf(0), mp.mpf(0), mp.mpf(1)
    for i in range(k, 4 * n + 1):
        if i < n:
            inner += term
        elif i > n:
            outer += term
        term *= t * (i + 1) / (i + 1 - k)
    delta = mp.mpf(delta)
    right = delta / (2 * n) * inner + delta / (6 * n) * outer
    return mp.log(right) - exact.log_binom(n, k) - (n - k) * mp.log(t)


@pytest.mark.parametrize(
    ("k", "n", "delta"),
    [
        (0, 1, 0.05),
        (0, 50, 0.05),
        (3, 10, 0.3),
        (10, 500, 0.05),
        (50, 1000, 0.01),
        (499, 500, 1e-6),
    ],
)
def test_one_sided_root(k, n, delta):
    eps = scenario_upper(k, n, delta)
    truth = exact.bisect(
        lambda e: one_sided_excess(k, n, delta, e), max(k, 1) / (n + 1), 1 - 1e-15, 60
    )
    assert eps == pytest.approx(float(truth), rel=1e-9)


@pytest.mark.parametrize(
    ("k", "n", "delta"),
    [(0, 50, 0.05), (3, 10, 0.3), (10, 200, 0.05), (150, 300, 1e-6), (300, 300, 0.05)],
)
def test_two_sided_roots(k, n, delta):
    low, up = scenario_interval(k, n, delta)
    if k < n:
        truth = exact.bisect(
            lambda e: two_sided_excess(k, n, delta, e), max(k, 1) / (n + 1), 1 - 1e-15, 60
        )
        assert up == pytest.approx(float(truth), rel=1e-9)
    else:
        assert up == 1.0
    if low > 0:
        middle = k / n if k < n else 1 - 1e-15
        truth = exact.bisect(lambda e: -two_sided_excess(k, n, delta, e), 1e-15, middle, 60)
        assert low == pytest.approx(float(truth), rel=1e-9)
    else:
        assert k <= 3


@pytest.mark.parametrize(
    ("k", "n"), [(5, 10**6), (10**4, 10**6), (10**5, 10**7), (10**7 - 10, 10**7)]
)
def test_ten_million_points(k, n):
    """At this size the equation itself, with 40-digit binomial tails, is the check."""
    eps = scenario_upper(k, n, 0.05)
    left = math.log(n) + math.log(eps) + float(exact.log_pmf(k, n, eps))
    right = math.log(0.05) + float(exact.log_sf(k + 1, n, eps))
    assert left == pytest.approx(right, abs=1e-6)
    low, up = scenario_interval(k, n, 0.05)
    assert low < k / n < up
    assert up > eps
    assert eps > clopper_upper(k, n, 0.05)


@pytest.mark.parametrize(
    ("n", "k", "classical", "two_sided", "binomial"),
    [
        (500, 10, 0.1083, 0.0457, 0.0337),
        (1000, 50, 0.1946, 0.0753, 0.0629),
        (5000, 100, 0.0967, 0.0272, 0.0236),
        (20000, 1000, 0.1889, 0.0557, 0.0526),
    ],
)
def test_arithmetic_at_equal_compression_size(n, k, classical, two_sided, binomial):
    """certificates.md §2.2."""
    assert scenario_interval(k, n, 0.05)[1] == pytest.approx(two_sided, abs=5e-5)
    assert clopper_upper(k, n, 0.05) == pytest.approx(binomial, abs=5e-5)
    level = math.log(0.05 / n) - log_binom(n, k)
    assert clopper_upper(0, n - k, log_delta=level) == pytest.approx(classical, abs=5e-5)


@pytest.mark.parametrize(
    ("k", "n", "published_bug", "correct"),
    [(20, 500, 0.0536, 0.0801), (50, 1000, 0.0621, 0.0796), (326, 27000, 0.0135, 0.0148)],
)
def test_pick_to_learn_erratum(k, n, published_bug, correct):
    """certificates.md §3 no. 1: a plus typed for a times made the printed bound too small."""
    value = scenario_interval(k, n, 0.01)[1]
    assert value == pytest.approx(correct, abs=1e-4)
    assert value > published_bug * 1.05
    assert scenario_upper(k, n, 0.01) > published_bug * 1.05


def test_scenario_notebook_value():
    assert scenario_interval(349, 1000, 1e-6)[1] == pytest.approx(0.4395, abs=5e-5)


@pytest.mark.parametrize(("k", "n"), [(0, 200), (7, 500), (40, 1000), (900, 1000), (10**4, 10**7)])
def test_uniform_multipliers_are_a_special_case(k, n):
    sizes = list(range(k, n)) if n <= 1000 else [round(n * 0.9), round(n * 0.8)]
    value = preferent_upper(k, n, 0.05, sizes=sizes, weights=[1 / len(sizes)] * len(sizes))
    if n <= 1000:  # weights 1/n are the published ones; 1/(n-k) is a little less wasteful
        published = preferent_upper(k, n, 0.05, sizes=sizes, weights=[1 / n] * len(sizes))
        assert published == pytest.approx(scenario_upper(k, n, 0.05), rel=1e-9)
        assert value <= published
    else:
        assert k / n < value < 1


def test_preferent_equation_holds_with_forty_digits():
    sizes, weights, n, k = [300, 350, 400], [0.25, 0.5, 0.25], 500, 12
    eps = mp.mpf(preferent_upper(k, n, 0.05, sizes=sizes, weights=weights))
    with mp.workdps(40):
        total = sum(
            w * mp.binomial(m, k) / mp.binomial(n, k) * (1 - eps) ** (m - n)
            for m, w in zip(sizes, weights, strict=True)
        )
        assert float(0.05 * total) == pytest.approx(1.0, rel=1e-10)
    assert preferent_upper(401, n, 0.05, sizes=sizes, weights=weights) == 1.0


@settings(max_examples=80)
@given(st.integers(2, 10**6), st.floats(0, 1), st.floats(1e-9, 0.5))
def test_monotone(n, share, delta):
    k = int(share * (n - 1))
    here = scenario_upper(k, n, delta)
    assert here <= scenario_upper(k + 1, n, delta)
    assert here <= scenario_upper(k, n, delta / 2)
    assert here >= clopper_upper(k, n, delta) * (1 - 1e-9)
    low, up = scenario_interval(k, n, delta)
    assert 0 <= low <= k / n <= up <= 1


@pytest.mark.parametrize(("rate", "n"), [(0.0, 50), (0.02, 500), (0.1, 500), (0.05, 10**6)])
def test_tuned_multipliers_are_close_to_chernoff(rate, n):
    sizes, weights = tune_multipliers(rate, n, 0.05)
    k = round(rate * n)
    value = preferent_upper(k, n, 0.05, sizes=sizes, weights=weights)
    chernoff = kl_upper(k / n, math.log(20) / n)
    assert clopper_upper(k, n, 0.05) < value < 1.25 * chernoff + 1 / n
    assert value < scenario_upper(k, n, 0.05) * 1.001 or k == 0


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="impossible"):
        scenario_upper(5, 4, 0.05)
    with pytest.raises(ValueError, match="size"):
        preferent_upper(1, 10, 0.05, sizes=[10], weights=[1.0])
    with pytest.raises(ValueError, match="sum"):
        preferent_upper(1, 10, 0.05, sizes=[5, 6], weights=[0.7, 0.7])
    with pytest.raises(ValueError, match="length"):
        preferent_upper(1, 10, 0.05, sizes=[], weights=[])
