"""A against B, groups and other populations: exact sums over small laws, and twins."""

import warnings
from itertools import product

import numpy as np
from scipy.stats import binom, norm

from helpers_guarantees import chance_of_violation, tables
from mercer.bounds.numerics import clopper_lower, clopper_upper
from mercer.bounds.numerics.mixed_bets import mean_upper
from mercer.certification.guarantees.comparison import gain_lower
from mercer.certification.guarantees.density_ratio import estimate_weights
from mercer.certification.guarantees.shift import _label_shift, _weighted, certify_shifted

DELTA = 0.1


def test_the_gain_fails_at_most_at_its_rate_in_every_small_law():
    """Rows are won, lost or neither; every sample of 16 rows from 12 laws."""
    known = {}

    def state(counts, delta):
        if counts not in known:
            known[counts] = gain_lower(counts[0], counts[1], 16, delta)
        return known[counts]

    def seen(counts, delta):
        return (counts[0] - counts[1]) / 16

    rates, twins = [], []
    for won, lost in product((0.02, 0.2, 0.4), (0.02, 0.1, 0.25, 0.5)):
        law = (won, lost, 1 - won - lost)
        rates.append(chance_of_violation(state, won - lost, law, 16, DELTA))
        twins.append(chance_of_violation(seen, won - lost, law, 16, DELTA))
    assert max(rates) <= DELTA
    assert max(twins) > 2 * DELTA


def test_paired_rows_decide_earlier_than_two_separate_limits():
    """0.10 against 0.07 with 5 % discordant rows, 400 rows: the gain is seen in most draws."""
    rng, found, apart = np.random.default_rng(0), 0, 0
    for won, lost, _ in rng.multinomial(400, [0.04, 0.01, 0.95], size=200):
        found += gain_lower(int(won), int(lost), 400, 0.05) > 0
        both = int(rng.binomial(400, 0.06))
        apart += clopper_upper(both + int(lost), 400, 0.025) < clopper_lower(
            both + int(won), 400, 0.025
        )
    assert found > 140
    assert apart < 20


def test_largest_gap_of_two_groups():
    """Both groups of 9 rows; the gap of plain rates is the twin."""
    truth, limits = (0.1, 0.4), {}
    for k in range(10):
        limits[k] = clopper_lower(k, 9, DELTA / 4), clopper_upper(k, 9, DELTA / 4)

    def gap(a, b):
        return max(limits[a][1] - limits[b][0], limits[b][1] - limits[a][0])

    wrong = twin = 0.0
    for a, b in product(range(10), repeat=2):
        chance = np.prod([_binomial(k, 9, p) for k, p in zip((a, b), truth, strict=True)])
        wrong += chance * (gap(a, b) < 0.3)
        twin += chance * (abs(a - b) / 9 < 0.3)
    assert wrong <= DELTA
    assert twin > 2 * DELTA


def _binomial(k, n, p):
    return binom.pmf(k, n, p)


def test_weighted_errors_of_a_finite_law():
    """Two inputs, (wrong, right) each; the unweighted limit is the twin."""
    old, new, error = np.array([0.8, 0.2]), np.array([0.3, 0.7]), np.array([0.05, 0.6])
    weight, truth = new / old, float(new @ error)
    law = np.column_stack([old * error, old * (1 - error)]).ravel()

    def values(counts, w):
        return np.repeat([w[0], 0.0, w[1], 0.0], counts)

    def weighted(counts, delta):
        return mean_upper(values(counts, weight), delta, low=0.0, high=3.5)

    def plain(counts, delta):
        return mean_upper(values(counts, np.ones(2)), delta)

    assert sum(1 for _ in tables(8, 4)) == 165
    assert chance_of_violation(weighted, truth, law, 8, DELTA, "upper") <= DELTA
    assert chance_of_violation(plain, truth, law, 10, DELTA, "upper") > DELTA


def test_other_shares_of_the_classes_by_simulation():
    """Whole calls on drawn rows, 300 draws; twins leave out the shares, or the union over classes.

    Half of the rows are of the hard class here, nine tenths of them there.
    """
    rng, errors, shares = np.random.default_rng(5), {"a": 0.05, "b": 0.3}, {"a": 0.1, "b": 0.9}
    truth = sum(share * errors[label] for label, share in shares.items())
    wrong = twin = seen = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(300):
            y = np.where(rng.random(60) < 0.5, "a", "b")
            fails = rng.random(60) < np.where(y == "a", errors["a"], errors["b"])
            said = np.where(fails, np.where(y == "a", "b", "a"), y)
            made = certify_shifted(Given(said), np.arange(60)[:, None], y, DELTA, shares=shares)
            wrong += made.value < truth
            twin += clopper_upper(int(fails.sum()), 60, DELTA) < truth
            seen += made.observed < truth
    assert binom.sf(wrong - 1, 300, DELTA) > 1e-3
    assert binom.sf(twin - 1, 300, DELTA) < 1e-6
    assert binom.sf(seen - 1, 300, DELTA) < 1e-6


def shifted_rows(rng, n, by):
    """Three columns, the first moved; rows are wrong more often where it is large."""
    X = rng.normal(size=(n, 3))
    X[:, 0] += by
    chance = 0.05 + 0.35 * norm.cdf(2 * (X[:, 0] - 1))
    return X, rng.random(n) < chance, chance


def test_weights_that_were_estimated():
    """No guarantee, but what is measured: 120 draws of a law whose ratio the machine can learn.

    The twin leaves the weights out.
    """
    truth = float(shifted_rows(np.random.default_rng(99), 400_000, 0.7)[2].mean())
    wrong = twin = 0
    for draw in range(120):
        rng = np.random.default_rng(draw)
        X, fails, _ = shifted_rows(rng, 200, 0.0)
        learned = estimate_weights(X, shifted_rows(rng, 300, 0.7)[0])
        found = _weighted(fails, learned.values, learned.largest, DELTA, learned.cut)
        wrong += found.value < truth
        twin += clopper_upper(int(fails.sum()), 200, DELTA) < truth
    assert binom.sf(wrong - 1, 120, DELTA) > 1e-3
    assert binom.sf(twin - 1, 120, DELTA) < 1e-6


def test_what_cut_weights_lose_is_added():
    """Exact weights that are cut: on every sample of 8 rows; the twin does not add the loss."""
    old, new, error = np.array([0.9, 0.1]), np.array([0.1, 0.9]), np.array([0.02, 0.9])
    weight, truth = np.minimum(new / old, 1.2), float(new @ error)
    law = np.column_stack([old * error, old * (1 - error)]).ravel()
    cut = np.repeat([0.0, 1 - 1.2 / 9], [1000, 9000])  # of the rows of the second kind

    def limit(counts, delta, lost):
        fails = np.repeat([True, False, True, False], counts)
        weights = np.repeat(weight[[0, 0, 1, 1]], counts)
        return _weighted(fails, weights, 1.2, delta, lost).value

    def whole(counts, delta):
        return limit(counts, delta, cut)

    def without(counts, delta):
        return limit(counts, delta, np.zeros(10_000))

    assert chance_of_violation(whole, truth, law, 8, DELTA, "upper") <= DELTA
    assert chance_of_violation(without, truth, law, 8, DELTA, "upper") > DELTA


class Given:
    """A fitted model that is known by its answers alone."""

    def __init__(self, said):
        self.said, self.classes_ = said, np.array(["a", "b"])

    def predict(self, rows):
        return self.said[rows[:, 0]]


def test_other_shares_of_the_classes_in_a_finite_law():
    """Rows are (class, wrong or right); every sample of 12 rows, three populations, three laws.

    The twin leaves the shares out: the exact limit of all fresh rows together.
    """
    known, rates, twins = {}, [], []

    def shifted(counts, delta, shares):
        if (counts, shares) not in known:
            truth = np.repeat(["a", "a", "b", "b"], counts)
            wrong = np.repeat([True, False, True, False], counts)
            given = dict(zip("ab", shares, strict=True))
            known[counts, shares] = _label_shift(truth, wrong, given, delta).value
        return known[counts, shares]

    def plain(counts, delta):
        return clopper_upper(counts[0] + counts[2], sum(counts), delta)

    for base, errors in product((0.5, 0.8), ((0.05, 0.5), (0.3, 0.3), (0.1, 0.7))):
        law = (base * errors[0], base * (1 - errors[0]),
               (1 - base) * errors[1], (1 - base) * (1 - errors[1]))  # fmt: skip
        for shares in ((0.2, 0.8), (0.0, 1.0), (0.5, 0.5)):
            truth = shares[0] * errors[0] + shares[1] * errors[1]
            rates.append(chance_of_violation(
                lambda counts, delta, shares=shares: shifted(counts, delta, shares),
                truth, law, 12, DELTA, "upper"))  # fmt: skip
            twins.append(chance_of_violation(plain, truth, law, 12, DELTA, "upper"))
    assert max(rates) <= DELTA
    assert max(twins) > 3 * DELTA
