"""Binomial tails and Clopper-Pearson limits against 40 digits, up to ten million trials."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta

import helpers_exact as exact
from mercer.bounds.numerics import clopper_lower, clopper_upper, log_binom, log_cdf, log_pmf, log_sf

POINTS = [
    (0, 1, 0.3),
    (1, 1, 0.3),
    (3, 10, 0.2),
    (50, 1000, 0.07),
    (0, 10**7, 1e-6),
    (3, 10**7, 1e-6),
    (20, 10**6, 1e-3),
    (8000, 20000, 0.7),
    (1000, 10**7, 0.01),
    (990_000, 10**7, 0.1),
    (10**5, 10**7, 0.05),
    (9_999_990, 10**7, 0.999),
    (5, 10**7, 0.5),
    (10**7 - 5, 10**7, 1e-4),
]


@pytest.mark.parametrize(("k", "m", "p"), POINTS)
def test_tails_agree_with_forty_digits(k, m, p):
    assert log_pmf(k, m, p) == pytest.approx(float(exact.log_pmf(k, m, p)), rel=1e-11, abs=1e-11)
    assert log_cdf(k, m, p) == pytest.approx(float(exact.log_cdf(k, m, p)), rel=1e-10, abs=1e-13)
    assert log_sf(k, m, p) == pytest.approx(float(exact.log_sf(k, m, p)), rel=1e-10, abs=1e-13)


@pytest.mark.parametrize(
    ("n", "k"), [(5, 2), (1000, 50), (10**7, 3), (10**7, 10**5), (10**7, 5 * 10**6)]
)
def test_binomial_coefficients(n, k):
    assert log_binom(n, k) == pytest.approx(float(exact.log_binom(n, k)), rel=1e-13)


@pytest.mark.parametrize("log_delta", [math.log(0.5), math.log(0.05), -40.0, -900.0, -30_000.0])
@pytest.mark.parametrize(
    ("k", "m"),
    [(1, 3), (10, 1000), (45, 500), (999, 1000), (3, 10**6), (10**5, 10**7), (4 * 10**6, 10**7)],
)
def test_limits_invert_the_tail_on_the_safe_side(k, m, log_delta):
    upper = clopper_upper(k, m, log_delta=log_delta)
    lower = clopper_lower(k, m, log_delta=log_delta)
    assert lower <= k / m <= upper or log_delta > math.log(0.6)
    if upper < 1 - 1e-6:
        slope = 1e-9 * max(1.0, abs(log_delta))
        assert float(exact.log_cdf(k, m, upper)) == pytest.approx(log_delta, abs=slope)
    if lower > 1e-300:
        assert float(exact.log_sf(k, m, lower)) == pytest.approx(log_delta, rel=1e-9, abs=1e-9)


def test_zero_and_all_errors():
    assert clopper_upper(0, 1000, 0.05) == pytest.approx(0.00299125, abs=5e-9)
    assert clopper_upper(7, 7, 0.05) == 1.0
    assert clopper_lower(0, 7, 0.05) == 0.0
    assert clopper_lower(7, 7, 0.05) == pytest.approx(0.05 ** (1 / 7), rel=1e-14)


@pytest.mark.parametrize(
    ("kept", "naive", "truth"), [(8000, 0.0602, 0.6745), (1000, 0.0385, 0.1889)]
)
def test_compression_tail_does_not_underflow(kept, naive, truth):
    """certificates.md §3 no. 3: inverting scipy's binom.logcdf is silently far too small."""
    n = 20_000
    level = math.log(0.05 / n) - log_binom(n, kept)
    value = clopper_upper(0, n - kept, log_delta=level)
    assert value == pytest.approx(truth, abs=5e-5)
    assert value > 2 * naive
    # The same with errors outside the kept set, where the closed form is of no help.
    with_errors = clopper_upper(1, n - kept, log_delta=level)
    assert float(exact.log_cdf(1, n - kept, with_errors)) == pytest.approx(level, rel=1e-9)


@settings(max_examples=150)
@given(st.integers(1, 10**7), st.floats(0, 1), st.floats(1e-12, 0.9))
def test_limits_agree_with_the_beta_quantile(m, share, delta):
    k = int(share * m)
    if 0 < k < m:
        assert clopper_upper(k, m, delta) == pytest.approx(beta.isf(delta, k + 1, m - k), rel=1e-8)
        assert clopper_lower(k, m, delta) == pytest.approx(beta.ppf(delta, k, m - k + 1), rel=1e-8)


@settings(max_examples=100)
@given(st.integers(1, 10**6), st.floats(0, 1), st.floats(-5000, -0.7))
def test_limits_are_monotone(m, share, level):
    k = int(share * (m - 1))
    here = clopper_upper(k, m, log_delta=level)
    assert here <= clopper_upper(k + 1, m, log_delta=level)
    assert here <= clopper_upper(k, m, log_delta=level * 1.1)
    assert clopper_upper(k, m + 1, log_delta=level) <= here


@pytest.mark.parametrize(
    ("k", "m", "delta", "word"),
    [
        (5, 4, 0.05, "impossible"),
        (-1, 4, 0.05, "negative"),
        (0, 0, 0.05, "at least one"),
        (1.5, 4, 0.05, "whole"),
        (float("nan"), 4, 0.05, "whole"),
        (1, 4, 0.0, "delta"),
        (1, 4, 1.0, "delta"),
        (1, 4, float("nan"), "delta"),
        (1, 4, "x", "delta"),
    ],
)
def test_bad_input_is_refused(k, m, delta, word):
    for limit in (clopper_upper, clopper_lower):
        with pytest.raises(ValueError, match=word):
            limit(k, m, delta)


def test_exactly_one_level_is_needed():
    with pytest.raises(ValueError, match="exactly one"):
        clopper_upper(1, 4)
    with pytest.raises(ValueError, match="exactly one"):
        clopper_upper(1, 4, 0.05, log_delta=-3.0)
    with pytest.raises(ValueError, match="negative"):
        clopper_upper(1, 4, log_delta=0.0)


@pytest.mark.slow
def test_sweep_over_the_whole_range():
    """A thousand random points with n up to ten million and p from 1e-9 to 1."""
    rng = np.random.default_rng(0)
    for _ in range(1000):
        m = int(10 ** rng.uniform(0, 7))
        p = (
            min(1 - 1e-9, 10 ** rng.uniform(-9, 0))
            if rng.random() < 0.5
            else rng.uniform(0.01, 0.99)
        )
        spread = math.sqrt(m * p * (1 - p)) + 1
        k = int(np.clip(m * p + spread * rng.normal() * 10 ** rng.uniform(0, 2), 0, m))
        assert log_cdf(k, m, p) == pytest.approx(float(exact.log_cdf(k, m, p)), rel=1e-9, abs=1e-12)
        assert log_sf(k, m, p) == pytest.approx(float(exact.log_sf(k, m, p)), rel=1e-9, abs=1e-12)


def test_nearly_all_of_very_many():
    """k/n rounds to one, which log1p(−k/n) does not survive."""
    n = 10**17
    assert log_binom(n, n - 1) == pytest.approx(math.log(n))
    assert log_binom(n, n - 200) == pytest.approx(log_binom(n, 200))
