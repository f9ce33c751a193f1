"""Fixed-c martingale bounds and betting limits: formulas, orderings, coverage on hard laws."""

import math
from itertools import product

import numpy as np
import pytest
from scipy.stats import binom

from mercer.bounds import numerics as nm


def test_fixed_c_catalogue_values():
    """Catoni's bound of the theory catalogue §15: KL = ln 1e6, m = 1000, r = .1."""
    for c, value in ((0.5, 0.164252), (1.0, 0.174408), (2.0, 0.225426)):
        cost = math.log(1e6)
        assert nm.fixed_c_upper(0.1, 1000, 0.05, c=c, cost=cost) == pytest.approx(value, abs=5e-7)


@pytest.mark.parametrize(("k", "m"), [(4, 200), (20, 500), (45, 500), (0, 100), (10**4, 10**7)])
def test_the_best_c_is_chernoff(k, m):
    c = nm.tune_c(k / m, m, 0.05)
    value = nm.fixed_c_upper(k / m, m, 0.05, c=c)
    chernoff = nm.kl_upper(k / m, math.log(20) / m)
    assert value == pytest.approx(chernoff, rel=1e-6)
    assert value >= nm.clopper_upper(k, m, 0.05)


def test_a_wrong_guess_costs_little():
    right = nm.fixed_c_upper(0.04, 500, 0.05, c=nm.tune_c(0.04, 500, 0.05))
    wrong = nm.fixed_c_upper(0.04, 500, 0.05, c=nm.tune_c(0.06, 500, 0.05))
    assert right < wrong < 1.02 * right


def test_mixture_contains_the_single_c():
    one = nm.mixture_upper(0.04, 500, 0.05, c=[0.4], weights=[1.0])
    assert one == pytest.approx(nm.fixed_c_upper(0.04, 500, 0.05, c=0.4), rel=1e-9)
    several = nm.mixture_upper(0.04, 500, 0.05, c=[0.2, 0.4, 0.8], weights=[0.25, 0.5, 0.25])
    assert one * 0.99 < several < one * 1.05
    with pytest.raises(ValueError, match="sum of at most 1"):
        nm.mixture_upper(0.04, 500, 0.05, c=[0.4, 0.5], weights=[1.0, 1.0])


def test_betting_equals_its_definition():
    """The limit is where the wealth, multiplied out bet by bet, first reaches 1/delta."""
    rng = np.random.default_rng(0)
    x = rng.beta(2, 8, 60)
    upper = nm.betting_upper(x, 0.05)

    def best_wealth(m):
        wealth, best, mean_sum, var_sum = 1.0, 0.0, 0.5, 0.25
        variance = 0.25
        for t, value in enumerate(x, start=1):
            stake = math.sqrt(2 * math.log(20) / (len(x) * variance))
            stake = min(stake, 0.5 / (1 - m))
            wealth *= 1 - stake * (value - m)
            best = max(best, wealth)
            mean_sum += value
            mean = mean_sum / (t + 1)
            var_sum += (value - mean) ** 2
            variance = var_sum / (t + 1)
        return best

    assert best_wealth(upper) == pytest.approx(20.0, rel=1e-6)
    assert best_wealth(upper * 0.99) < 20.0 < best_wealth(min(0.999, upper * 1.01))


def test_betting_symmetry_scaling_and_order_of_merit():
    rng = np.random.default_rng(1)
    x = rng.beta(1, 20, 500)
    upper = nm.betting_upper(x, 0.05)
    assert nm.betting_lower(1 - x, 0.05) == pytest.approx(1 - upper, rel=1e-12)
    assert nm.betting_upper(3 + 2 * x, 0.05, low=3, high=5) == pytest.approx(3 + 2 * upper)
    eb = x.mean() + nm.empirical_bernstein_radius(500, 0.05, x.var(ddof=1))
    hoeffding = x.mean() + nm.hoeffding_radius(500, 0.05)
    assert x.mean() < upper < eb < hoeffding
    low, up = nm.betting_interval(x, 0.05)
    assert low < x.mean() < upper < up
    assert nm.betting_upper(x, 0.01) > upper
    sequence = nm.betting_sequence(x[:40], 0.05)
    assert np.all(np.diff(sequence) <= 0)
    assert sequence[-1] <= nm.betting_upper(x[:40], 0.05, anytime=True)


@pytest.mark.parametrize("anytime", [False, True])
def test_betting_covers_two_point_laws(anytime):
    """Mostly zero, sometimes one: the law on which a Gaussian interval fails."""
    rng = np.random.default_rng(2)
    p, n, draws = 0.02, 100, 600
    misses = sum(
        nm.betting_upper(rng.random(n) < p, 0.1, anytime=anytime) < p for _ in range(draws)
    )
    assert binom.sf(misses - 1, draws, 0.1) > 1e-4
    # Broken on purpose: a normal approximation at the same level misses far more often.
    broken = 0
    for _ in range(draws):
        x = (rng.random(n) < p).astype(float)
        broken += x.mean() + 1.2816 * x.std() / math.sqrt(n) < p
    assert binom.sf(broken - 1, draws, 0.1) < 1e-4


def test_two_gamblers_share_one_wealth_on_every_small_sample():
    """All samples of six rows from four laws on 0, 1/2 and 1, in every order.

    The twin sorts the rows: the largest wealth of any time is then that after the small ones.
    """
    values, delta = np.array([0.0, 0.5, 1.0]), 0.2
    samples = np.array(list(product(range(3), repeat=6)))
    limits = np.array([nm.mixed_upper(values[one], delta) for one in samples])
    sorted_ = np.array([nm.mixed_upper(values[np.sort(one)], delta) for one in samples])
    worst, caught = 0.0, 0.0
    for law in ((0.1, 0.1, 0.8), (0.2, 0.6, 0.2), (0.3, 0.0, 0.7), (0.6, 0.0, 0.4)):
        chance, truth = np.prod(np.array(law)[samples], axis=1), float(values @ law)
        worst = max(worst, chance[limits < truth].sum())
        caught = max(caught, chance[sorted_ < truth].sum())
    assert 0.05 < worst <= delta
    assert caught > 1.2 * delta


def test_two_gamblers_are_tighter_on_few_small_means_and_not_much_looser_elsewhere():
    rng = np.random.default_rng(4)

    def ratio(draw):
        rows = [draw() for _ in range(20)]
        both = [(nm.mixed_upper(x, 0.05), nm.betting_upper(x, 0.05)) for x in rows]
        return np.divide(*np.mean(both, axis=0))

    assert ratio(lambda: rng.beta(1, 9, 30)) < 0.92
    assert ratio(lambda: rng.binomial(5, 0.1, 60) / 5) < 0.96
    assert ratio(lambda: (rng.random(120) < 0.05).astype(float)) < 1.08
    assert ratio(lambda: (rng.random(60) < 0.5).astype(float)) < 1.06
    many = rng.random(400)
    assert nm.mixed_upper(many, 0.05) == nm.betting_upper(many, 0.05)
    assert nm.mixed_upper(3 + 2 * many[:50], 0.05, low=3, high=5) == pytest.approx(
        3 + 2 * nm.mixed_upper(many[:50], 0.05))  # fmt: skip


def test_two_gamblers_cover_a_small_mean():
    """Where the tail is heavy: one in fifty groups is always wrong, the others never."""
    rng, truth, draws = np.random.default_rng(5), 0.02, 800
    misses = sum(nm.mixed_upper(rng.random(60) < truth, 0.1) < truth for _ in range(draws))
    assert binom.sf(misses - 1, draws, 0.1) > 1e-4


@pytest.mark.parametrize("n", [10**6, pytest.param(10**7, marks=pytest.mark.slow)])
def test_betting_on_millions(n):
    x = np.zeros(n)
    x[:: 10**4] = 1.0
    upper = nm.betting_upper(x, 0.05)
    assert 1e-4 < upper < (1.3e-4 if n < 10**7 else 1.1e-4)


@pytest.mark.parametrize(
    ("x", "word"),
    [
        ([], "no observations"),
        ([float("nan")], "NaN"),
        ([0.2, 1.2], "outside"),
        ([-0.1], "outside"),
    ],
)
def test_bad_observations_are_refused(x, word):
    with pytest.raises(ValueError, match=word):
        nm.betting_upper(x, 0.05)


def test_bad_parameters_are_refused():
    with pytest.raises(ValueError, match="low < high"):
        nm.betting_upper([0.1], 0.05, low=1.0, high=0.0)
    with pytest.raises(ValueError, match="truncation"):
        nm.betting_upper([0.1], 0.05, truncation=1.0)
    with pytest.raises(ValueError, match="delta"):
        nm.betting_interval([0.1], 1.0)
    with pytest.raises(ValueError, match="trial"):
        nm.tune_c(0.1, 0, 0.05)
