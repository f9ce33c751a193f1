"""Limits of metrics: exact sums over every sample of small laws, and twins that must be caught."""

import numpy as np
import pytest
from scipy.stats import beta, binom

from helpers_guarantees import Said, chance_of_violation, from_table, laws
from mercer.bounds.numerics.mixed_bets import mean_lower, mean_upper, ratio_upper
from mercer.certification.guarantees.metrics import Unseen, available, metric_meant
from mercer.certification.guarantees.metrics.auc import disjoint_pairs
from mercer.certification.guarantees.metrics.mcc import correlation, rate_pairs

DELTA = 0.1
ROWS = {"f_beta": 8, "cost": 8}  # bets are slower than counts


def truth_of(name, law):
    tp, fn, fp, tn = law
    base = tp + fn
    return {
        "precision": tp / (tp + fp),
        "recall": tp / base,
        "specificity": tn / (tn + fp),
        "npv": tn / (tn + fn),
        "jaccard": tp / (tp + fp + fn),
        "f1": 2 * tp / (2 * tp + fp + fn),
        "f_beta": 5 * tp / (5 * tp + 4 * fn + fp),
        "lift": tp / (tp + fp) / base,
        "mcc": correlation(tp / base, fp / (1 - base), base),
        "accuracy": tp + tn,
        "balanced_accuracy": (tp / base + tn / (1 - base)) / 2,
        "cost": 5 * fn + fp,
    }[name]


NAMES = ("precision", "recall", "specificity", "npv", "jaccard", "f1", "f_beta", "lift", "mcc",
         "accuracy", "balanced_accuracy", "cost")  # fmt: skip


def metric(name):
    return metric_meant("cost:costs=0/1/5/0" if name == "cost" else name)


def test_every_metric_is_tested_here():
    assert set(available()) == {*NAMES, "auc", "ece", "r2", "error_quantile"}


@pytest.mark.parametrize("name", NAMES)
def test_limits_fail_at_most_at_their_rate_in_every_small_law(name):
    wanted, known = metric(name), {}

    def state(counts, delta):
        if counts not in known:
            known[counts] = wanted.state(from_table(*counts), delta).value
        return known[counts]

    rates = []
    for law in laws():
        truth = truth_of(name, law)
        rates.append(chance_of_violation(state, truth, law, ROWS.get(name, 14), DELTA, wanted.side))
    assert max(rates) <= DELTA + 1e-9


@pytest.mark.parametrize("name", NAMES)
def test_the_value_that_was_seen_is_no_limit(name):
    """The broken twin: what was observed, in place of the limit."""
    wanted = metric(name)

    def seen(counts, delta):
        return wanted.state(from_table(*counts), delta).observed

    law = (0.3, 0.2, 0.15, 0.35)
    assert chance_of_violation(seen, truth_of(name, law), law, 8, DELTA, wanted.side) > 2 * DELTA


def test_calibration_error_of_a_law_with_three_outputs():
    outputs, right = np.array([0.55, 0.75, 0.95]), np.array([0.4, 0.8, 0.9])
    share = np.array([0.3, 0.3, 0.4])
    law = np.column_stack([share * right, share * (1 - right)]).ravel()
    truth = float(np.abs(share * (outputs - right)).sum())

    def rows(counts):
        sure = np.repeat(np.repeat(outputs, 2), counts)
        hit = np.repeat([True, False] * 3, counts)
        answers = np.ones(len(sure), dtype=int)
        return Unseen(Said(sure), np.zeros((len(sure), 1)), np.where(hit, 1, 0), answers, (0, 1))

    def state(counts, delta):
        return metric_meant("ece").state(rows(counts), delta).value

    assert chance_of_violation(state, truth, law, 8, 0.3, "upper") <= 0.3

    def without_the_radius(counts, delta):
        return 0.5 * metric_meant("ece").state(rows(counts), delta).observed

    assert chance_of_violation(without_the_radius, truth, law, 8, 0.3, "upper") > 0.3


def test_area_under_the_curve_with_ties():
    """Scores 0, 1, 2 with known chances; exact pairs, and the plug-in area as the broken twin."""
    up, down = np.array([0.1, 0.3, 0.6]), np.array([0.5, 0.3, 0.2])
    truth = sum(up[i] * down[j] * (1.0 if i > j else 0.5 * (i == j)) for i in range(3)
                for j in range(3))  # fmt: skip
    rng, wrong, caught, draws = np.random.default_rng(0), 0, 0, 1500
    for _ in range(draws):
        y = rng.random(60) < 0.4
        score = np.where(y, rng.choice(3, 60, p=up), rng.choice(3, 60, p=down)) / 3
        rows = Unseen(Said(score), np.zeros((60, 1)), y.astype(int), y.astype(int), (0, 1))
        found = metric_meant("auc").state(rows, DELTA)
        wrong += found.value > truth
        caught += found.observed > truth
    assert wrong <= DELTA * draws + 3 * np.sqrt(DELTA * draws)
    assert caught > 3 * DELTA * draws
    assert disjoint_pairs(np.array([2.0, 1.0]), np.array([0.0, 0.0, 0.0])) == (2, 2)


def test_the_region_of_two_rates_holds_both_and_is_smaller_than_the_box():
    """Exact sum over both counts; the twin spends all of δ on either."""
    m, rest = 10, 7
    pairs = {
        (h, a): rate_pairs((h, m), (a, rest), DELTA) for h in range(m + 1) for a in range(rest + 1)
    }
    for true, false in ((0.9, 0.1), (0.6, 0.5), (0.793, 0.282)):
        wrong = twin = 0.0
        for (h, a), (lower, upper) in pairs.items():
            chance = binom.pmf(h, m, true) * binom.pmf(a, rest, false)
            wrong += chance * (not ((lower <= true) & (false <= upper)).any())
            box = beta.ppf(DELTA, h, m - h + 1) if h else 0.0, beta.isf(DELTA, a + 1, rest - a)
            twin += chance * (box[0] > true or (a < rest and box[1] < false))
        assert wrong <= DELTA
    assert twin > 1.5 * DELTA
    found = metric_meant("mcc").state(from_table(180, 20, 20, 180), DELTA).value
    assert 0.725 < found < 0.8  # 0.66 by a box of limits at δ/4; 0.74 by the normal approximation


def test_r_squared_and_bounded_means():
    rng, wrong, below, above, seen, draws = np.random.default_rng(1), 0, 0, 0, 0, 120
    for _ in range(draws):
        x = rng.random(80)
        y = (rng.random(80) < x).astype(float)  # Var y = 1/4, E(y − x)² = 1/6
        rows = Unseen(None, x, y, x)
        found = metric_meant("r2:target_range=0/1").state(rows, DELTA)
        wrong += found.value > 1 / 3
        below += mean_lower(x**2, DELTA) > 1 / 3
        above += mean_upper(x**2, DELTA) < 1 / 3
        assert found.value <= found.observed
        seen += found.observed > 1 / 3
    for count in (wrong, below, above):
        assert count <= DELTA * draws + 3 * np.sqrt(DELTA * draws)
    assert seen > 3 * DELTA * draws  # the broken twin
    assert ratio_upper(np.zeros(5), np.zeros(5), 0.05, worst=1.0) == np.inf
    x = np.random.default_rng(0).random(300)
    y = np.clip(x + 0.1 * np.random.default_rng(1).normal(size=300), 0, 1)
    found = metric_meant("r2:target_range=0/1").state(Unseen(None, x, y, x), DELTA)
    assert found.value > 0.70  # 0.60 with half as many bets, on disjoint pairs of rows
