"""Tails and radii: catalogue values, inverse pairs, orderings, and 40-digit Bennett."""

import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mercer.bounds import numerics as nm


def test_catalogue_values():
    assert nm.hoeffding_tail(100, 0.1, 2.0) == pytest.approx(0.606531, abs=5e-7)
    assert nm.bernstein_tail(100, 0.1, 0.05, form="book") == pytest.approx(0.00673795, abs=5e-9)
    assert nm.bernstein_tail(100, 0.1, 0.05) == pytest.approx(0.00247875, abs=5e-9)
    assert nm.bennett_tail(100, 0.1, 0.05) == pytest.approx(0.00153506, abs=5e-9)


@settings(max_examples=200)
@given(st.integers(1, 10**7), st.floats(1e-9, 0.9), st.floats(1e-6, 0.25))
def test_radius_inverts_tail_and_the_sharper_is_smaller(n, delta, variance):
    bennett = nm.bennett_radius(n, delta, variance)
    bernstein = nm.bernstein_radius(n, delta, variance)
    book = nm.bernstein_radius(n, delta, variance, form="book")
    assert nm.bennett_tail(n, bennett, variance) == pytest.approx(delta, rel=1e-8)
    assert nm.bernstein_tail(n, bernstein, variance) == pytest.approx(delta, rel=1e-8)
    assert bennett <= bernstein * (1 + 1e-9) <= book * (1 + 2e-9)
    assert nm.hoeffding_tail(n, nm.hoeffding_radius(n, delta)) == pytest.approx(delta, rel=1e-9)


@pytest.mark.parametrize("n", [10, 10**4, 10**7])
@pytest.mark.parametrize("variance", [1e-6, 0.01, 0.25])
@pytest.mark.parametrize("delta", [0.3, 0.05, 1e-30])
def test_bennett_with_forty_digits(n, variance, delta):
    eps = nm.bennett_radius(n, delta, variance)
    with mp.workdps(40):
        u = mp.mpf(eps) / mp.mpf(variance)
        exponent = n * mp.mpf(variance) * ((1 + u) * mp.log1p(u) - u)
        assert float(exponent) == pytest.approx(-math.log(delta), rel=1e-9)


@pytest.mark.parametrize(
    ("variance", "c", "eps", "n"), [(0.05, 1.0, 0.1, 100), (0.2, 2.0, 0.3, 10)]
)
def test_numerical_chernoff_recovers_the_closed_forms(variance, c, eps, n):
    bennett = nm.chernoff_log_tail(nm.log_mgf_bennett(variance, c), eps, n)
    assert math.exp(bennett) == pytest.approx(nm.bennett_tail(n, eps, variance, c), rel=1e-8)
    hoeffding = nm.chernoff_log_tail(nm.log_mgf_hoeffding(2.0), eps, n)
    assert math.exp(hoeffding) == pytest.approx(nm.hoeffding_tail(n, eps, 2.0), rel=1e-8)
    coin = nm.chernoff_log_tail(nm.log_mgf_bernoulli(0.1), 0.1 + eps, n)
    assert coin == pytest.approx(-n * nm.kl(0.1 + eps, 0.1), rel=1e-8)


def test_numerical_chernoff_respects_a_finite_range_of_s():
    def exponential(s):  # of a unit exponential variable, finite for s < 1 only
        return -math.log1p(-s)

    value = nm.chernoff_log_tail(exponential, 3.0, 1, s_max=1.0)
    assert value == pytest.approx(-(3.0 - 1.0 - math.log(3.0)), rel=1e-8)


def test_mcdiarmid_book_and_sharp():
    c = np.full(50, 0.02)
    assert nm.mcdiarmid_tail(c, 0.1) == pytest.approx(math.exp(-2 * 0.01 / (50 * 0.0004)))
    for form in ("sharp", "book"):
        eps = nm.mcdiarmid_radius(c, 0.05, form=form)
        assert nm.mcdiarmid_tail(c, eps, form=form) == pytest.approx(0.05)
    assert nm.mcdiarmid_radius(c, 0.05, form="book") == pytest.approx(
        2 * nm.mcdiarmid_radius(c, 0.05)
    )
    assert nm.mcdiarmid_radius(np.full(100, 0.01), 0.05) == pytest.approx(
        nm.hoeffding_radius(100, 0.05)
    )


def test_empirical_bernstein_is_the_published_formula():
    value = nm.empirical_bernstein_radius(200, 0.05, 0.01)
    log2 = math.log(2 / 0.05)
    assert value == pytest.approx(math.sqrt(2 * 0.01 * log2 / 200) + 7 * log2 / (3 * 199))
    with pytest.raises(ValueError, match="two"):
        nm.empirical_bernstein_radius(1, 0.05, 0.01)


def test_dkw():
    assert nm.dkw_radius(1000, 0.05) == pytest.approx(math.sqrt(math.log(20) / 2000))
    assert nm.dkw_radius(1000, 0.05, sides=2) == pytest.approx(math.sqrt(math.log(40) / 2000))
    with pytest.raises(ValueError, match="1/2"):
        nm.dkw_radius(10, 0.6)
    with pytest.raises(ValueError, match="sides"):
        nm.dkw_radius(10, 0.1, sides=3)


def test_markov_and_chebyshev():
    assert nm.markov_tail(1.0, 4.0) == 0.25
    assert nm.chebyshev_tail(100, 0.25, 0.1) == pytest.approx(0.25)
    assert nm.markov_tail(5.0, 4.0) == 1.0


@pytest.mark.parametrize(
    "call",
    [
        lambda: nm.hoeffding_radius(0, 0.05),
        lambda: nm.hoeffding_radius(10, 1.5),
        lambda: nm.hoeffding_tail(10, -1.0),
        lambda: nm.bernstein_tail(10, 0.1, 0.1, form="folk"),
        lambda: nm.bennett_tail(10, 0.1, 0.0),
        lambda: nm.mcdiarmid_tail([], 0.1),
        lambda: nm.mcdiarmid_tail([float("nan")], 0.1),
        lambda: nm.markov_tail(1.0, 0.0),
        lambda: nm.chernoff_log_tail(lambda s: s, 1.0, 0),
    ],
)
def test_bad_input_is_refused(call):
    with pytest.raises(ValueError, match=r"must|needs|at least"):
        call()


def test_multiplicative_chernoff_is_above_the_exact_tail():
    n, p = 400, 0.1
    for t in (0.1, 0.5, 1.0):
        low, high = math.floor((1 - t) * n * p), math.ceil((1 + t) * n * p)
        lower = nm.multiplicative_chernoff_tail(n, p, t)
        upper = nm.multiplicative_chernoff_tail(n, p, t, side="upper")
        assert math.exp(nm.log_cdf(low, n, p)) <= lower
        assert math.exp(nm.log_sf(high - 1, n, p)) <= upper
    with pytest.raises(ValueError, match="t must lie"):
        nm.multiplicative_chernoff_tail(n, p, 2.0)
    with pytest.raises(ValueError, match="side"):
        nm.multiplicative_chernoff_tail(n, p, 0.5, side="left")


def test_the_normal_interval_promises_too_much_where_clopper_pearson_does_not():
    n, p, delta = 30, 0.03, 0.05
    covered = {"normal": 0.0, "exact": 0.0}
    for k in range(n + 1):
        chance = math.exp(nm.log_pmf(k, n, p))
        low, high = nm.normal_interval(k, n, delta)
        covered["normal"] += chance * (low <= p <= high)
        exact = nm.clopper_lower(k, n, delta / 2), nm.clopper_upper(k, n, delta / 2)
        covered["exact"] += chance * (exact[0] <= p <= exact[1])
    assert covered["normal"] < 0.7
    assert covered["exact"] >= 1 - delta
