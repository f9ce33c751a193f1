"""Union bounds, the quantifier reversal and spherical caps."""

import math

import mpmath as mp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mercer.bounds import numerics as nm


@given(st.floats(1e-6, 0.99), st.lists(st.floats(0.01, 1), min_size=1, max_size=20))
def test_shares_never_exceed_the_budget(delta, raw):
    weights = [w / sum(raw) for w in raw]
    assert sum(nm.split_delta(delta, weights)) <= delta * (1 + 1e-9)
    logs = nm.split_log_delta(math.log(delta), weights)
    assert [math.exp(v) for v in logs] == pytest.approx(list(nm.split_delta(delta, weights)))


def test_equal_shares_and_refusals():
    assert nm.split_delta(0.05, 5) == pytest.approx([0.01] * 5)
    for bad in (0, [0.6, 0.6], [], [-0.5]):
        with pytest.raises(ValueError, match=r"weight|statement|at most"):
            nm.split_delta(0.05, bad)


def test_integer_weights_are_a_distribution():
    total = sum(nm.integer_weights(j) for j in range(-200_000, 200_001))
    assert 1 - 1e-4 < total <= 1.0


def test_quantifier_reversal_gives_the_gibbs_bound():
    """Thm 5.2 is the lemma at alpha = P/m, beta = 1/m applied to (1-eps)^m = level, plus 1/m."""
    m, prior_mass, delta = 1000, 1e-6, 0.05
    level = nm.quantifier_reversal(prior_mass / m, 1 / m, delta)
    risk_of_most = -level / m
    gibbs = risk_of_most * (1 - 1 / m) * (m / (m - 1)) + 1 / m
    printed = (math.log(1 / prior_mass) + 2 * math.log(m) + math.log(1 / delta) + 1) / m
    assert gibbs == pytest.approx(printed, rel=2e-3)
    for bad in ({"alpha": 0.0, "beta": 0.5}, {"alpha": 0.5, "beta": 1.0}):
        with pytest.raises(ValueError, match="lie in"):
            nm.quantifier_reversal(**bad, delta=0.05)


@pytest.mark.parametrize("d", [1, 2, 3, 10, 101, 5000])
@pytest.mark.parametrize("margin", [1e-6, 0.01, 0.3, 0.9, 0.999999, 1.0])
def test_cap_against_forty_digits(d, margin):
    value = nm.log_cap_fraction(d, margin)
    if d == 1:
        assert value == pytest.approx(math.log(0.5))
        return
    with mp.workdps(40):
        x, a = mp.mpf(margin) ** 2, mp.mpf(d - 1) / 2
        # I_x(a,b) = x^a (1-x)^b / (a B(a,b)) * 2F1(a+b, 1; a+1; x); summed directly
        if x == 1:
            truth = mp.log(mp.mpf(1) / 2)
        else:
            series = mp.hyp2f1(a + mp.mpf(1) / 2, 1, a + 1, x)
            lead = a * mp.log(x) + mp.log1p(-x) / 2 - mp.log(a)
            truth = lead - mp.log(mp.beta(a, mp.mpf(1) / 2)) + mp.log(series) - mp.log(2)
    assert value == pytest.approx(float(truth), rel=1e-10)
    if d > 1:
        assert nm.log_cap_bound(d, margin) <= value + 1e-12


@pytest.mark.parametrize("d", [10**6, 10**7])
def test_cap_in_very_high_dimension(d):
    """The hypergeometric series summed term by term, with the beta function from log-gammas."""
    margin = 0.5
    value = nm.log_cap_fraction(d, margin)
    with mp.workdps(40):
        a = mp.mpf(d - 1) / 2
        x = mp.mpf(margin) ** 2
        log_beta = mp.loggamma(a) + mp.log(mp.pi) / 2 - mp.loggamma(a + mp.mpf(1) / 2)
        series = mp.nsum(
            lambda j: mp.rf(a + mp.mpf(1) / 2, j) / mp.rf(a + 1, j) * x**j, [0, 80], method="d"
        )
        truth = a * mp.log(x) + mp.log1p(-x) / 2 - mp.log(a) - log_beta + mp.log(series) - mp.log(2)
    assert value == pytest.approx(float(truth), rel=1e-10)


def test_cap_catalogue_values_and_bad_input():
    assert -nm.log_cap_fraction(10, 0.5) == pytest.approx(8.1684, abs=5e-5)
    assert -nm.log_cap_fraction(100, 0.9) == pytest.approx(12.8579, abs=5e-5)
    for bad in ((0, 0.5), (3, 0.0), (3, 1.1), (3, float("nan"))):
        with pytest.raises(ValueError, match=r"dimension|margin"):
            nm.log_cap_fraction(*bad)
