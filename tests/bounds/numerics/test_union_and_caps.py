"""Union bounds, the quantifier reversal and spherical caps."""

import math

import mpmath as mp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mercer.bounds import numerics as nm
from mercer.bounds.pacbayes_classic import gibbs_subset


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
    risk_of_most = -level / m  # of all but the share 1/m of the set, whose rules have risk <= 1
    gibbs = risk_of_most * (1 - 1 / m) + 1 / m
    printed = (math.log(1 / prior_mass) + 2 * math.log(m) + math.log(1 / delta) + 1) / m
    assert gibbs == pytest.approx(printed, rel=1e-12)
    # Thm 5.6 the same way from Hoeffding's inequality; what is printed is a little larger
    agnostic = 0.1 + math.sqrt(-level / (2 * m)) * (1 - 1 / m) + 1 / m
    assert agnostic <= gibbs_subset(0.1, -math.log(prior_mass), m, delta) < agnostic * 1.001
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


@pytest.mark.parametrize("n", [2, 3, 7, 24])
@pytest.mark.parametrize("margin", [0.05, 0.5, 0.97])
def test_cap_is_a_ratio_of_integrals(n, margin):
    """Theorem C.14: ∫ sin^(n−2) over the cap's angle, divided by the one over half a turn."""
    with mp.workdps(60):  # quad aims at absolute digits, and the share is e^-71
        power = lambda t: mp.sin(t) ** (n - 2)  # noqa: E731
        share = mp.quad(power, [0, mp.asin(margin)]) / mp.quad(power, [0, mp.pi / 2, mp.pi])
    assert nm.log_cap_fraction(n, margin) == pytest.approx(float(mp.log(share)), rel=1e-11)


FIGURE_C5 = {  # §13.13: 1 − cos of the angle: exact, and the bound with n − 2
    10: {0.05: (12.479, 24.659), 0.1: (9.434, 19.114), 0.2: (6.466, 13.569), 0.4: (3.669, 8.023),
         0.6: (2.194, 4.780), 0.8: (1.281, 2.478), 0.9: (0.955, 1.536), 1.0: (0.693, 0.693)},
    100: {0.05: (118.40, 294.28), 0.1: (85.32, 226.35), 0.2: (53.57, 158.42), 0.4: (24.82, 90.49),
          0.6: (10.98, 50.75), 0.8: (3.796, 22.56), 0.9: (1.833, 11.02), 1.0: (0.693, 0.693)},
}  # fmt: skip


@pytest.mark.parametrize("n", FIGURE_C5)
def test_figure_of_the_volume_ratio(n):
    for x, (exact, bound) in FIGURE_C5[n].items():
        margin = min(1.0, math.sqrt(x * (2 - x)))
        digits = 6e-4 if n == 10 else 6e-3
        assert -nm.log_cap_fraction(n, margin) == pytest.approx(exact, abs=digits)
        assert (n - 2) * math.log(1 / x) + math.log(2) == pytest.approx(bound, abs=digits)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8, 33, 60])
def test_bounds_on_the_volume_ratio_are_ordered(n):
    """The book's exponent n, its proof's n − 2 or n − 1, and the truth; n − 2 fails at n = 2."""
    for k in range(1, 41):
        margin = k / 40
        exact = nm.log_cap_fraction(n, margin)
        sharp = nm.log_cap_bound(n, margin, sharp=True)
        assert nm.log_cap_bound(n, margin) <= sharp <= exact + 1e-12
    if n == 2:
        assert nm.log_cap_fraction(2, 0.5) < -math.log(2)
    for bad in ((0, 0.5), (3, 0.0), (3, 1.1)):
        with pytest.raises(ValueError, match=r"dimension|margin"):
            nm.log_cap_bound(*bad)


@pytest.mark.parametrize("j", [1, 2, 5, 20])
def test_lemma_behind_the_volume_ratio(j):
    """Bollmann's lemma C.20, and (C.18) in the limit."""
    for x in (0.0, 0.01, 0.2, 0.4, 0.49):
        terms = [math.comb(2 * i, i) * (x * (1 - x)) ** i for i in range(1, 400)]
        full = 2 * x / (1 - 2 * x)
        assert sum(terms[:j]) <= full * (1 - (2 * x) ** (2 * j)) + 1e-15
        if x < 0.45:
            assert sum(terms) == pytest.approx(full, rel=1e-6)
