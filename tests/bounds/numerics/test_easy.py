"""Limits from easy hold-outs, checked without simulation: all samples and all splits are listed.

A law on four points, n rows, every split into a training and a held-out part, every proposal:
the probability that the limit fails is a finite sum. A twin that leaves out the importance weight
fails by far.
"""

import itertools
import math
from collections import Counter
from functools import cache

import numpy as np
import pytest

from mercer.bounds.numerics.easy import check_bets, easy_upper, log_ratio

NOISY = {(0, 0): 0.35, (0, 1): 0.25, (1, 0): 0.1, (1, 1): 0.3}  # (input, label): probability
CLEAN = {(0, 0): 0.55, (0, 1): 0.05, (1, 0): 0.02, (1, 1): 0.38}
ONLY = ((math.inf, 1.0),)
MIXED = ((math.inf, 0.6), (1.5, 0.4))


def learn(rows):
    """The most frequent label of every input; label 1 where none is more frequent."""
    return tuple(int(sum(1 if y else -1 for u, y in rows if u == x) >= 0) for x in (0, 1))


def risk(rule, law):
    return sum(p for (x, y), p in law.items() if rule[x] != y)


def easy_rows(sample, wanted):
    """Rows that the model of the others gets right, filled up by the first of the rest."""
    right = [
        i for i, (x, y) in enumerate(sample) if learn(sample[:i] + sample[i + 1 :])[x] == y
    ]  # sees all rows and all labels
    rest = [i for i in range(len(sample)) if i not in right]
    return right + rest[: max(0, wanted - len(right))]


@cache
def enumerated(law_items, n, m):
    """Of every sample: probability, easy rows, and how often the splits have which risk, errors."""
    law, found = dict(law_items), []
    for sample in itertools.product(law, repeat=n):
        p = math.prod(law[z] for z in sample)
        easy = easy_rows(sample, m)
        here = Counter()
        for held in itertools.combinations(easy, m):
            rule = learn([z for i, z in enumerate(sample) if i not in held])
            wrong = sum(rule[sample[i][0]] != sample[i][1] for i in held)
            here[risk(rule, law), wrong] += 1
        found.append((p, len(easy), here))
    return found


def failure(law, n, m, delta, bets, models, paid=True):
    """P(mean risk > limit), exactly, for so many independent draws from the proposal."""

    @cache
    def limit(easy, wrong):
        ratio = log_ratio(n, easy, m) if paid else 0.0
        return easy_upper([ratio] * models, wrong, m, delta, bets=bets)

    total = 0.0
    for p, easy, here in enumerated(tuple(law.items()), n, m):
        for drawn in itertools.product(here, repeat=models):
            often = math.prod(here[one] for one in drawn) / here.total() ** models
            value, shares = limit(easy, tuple(wrong for _, wrong in drawn))
            mean = sum(s * r for s, (r, _) in zip(shares, drawn, strict=True))
            total += p * often * (mean > value + 1e-12)
    return total


@pytest.mark.parametrize("bets", [ONLY, MIXED], ids=["no error", "two bets"])
@pytest.mark.parametrize(("law", "models"), [(NOISY, 1), (CLEAN, 1), (NOISY, 2)])
def test_the_limit_fails_at_most_at_its_rate_and_the_unpaid_one_does_not(law, models, bets):
    n, m = 5, 2
    for delta in (0.05, 0.2, 0.5):
        assert failure(law, n, m, delta, bets, models) <= delta
    if law is NOISY:  # of clean rows all are easy anyway: nothing to pay for
        assert failure(law, n, m, 0.5, bets, models, paid=False) > 0.5


def mean_e_value(law, n, m, c, paid=True):
    """E of the weighted e-value, the true risks put in."""
    a, total = -math.expm1(-c), 0.0
    for p, easy, here in enumerated(tuple(law.items()), n, m):
        ratio = math.exp(log_ratio(n, easy, m)) if paid else 1.0
        for (r, wrong), often in here.items():
            kept = 1.0 if not wrong else math.exp(-c * wrong)
            total += p * often / here.total() * ratio * kept / (1 - a * r) ** m
    return total


@pytest.mark.parametrize("c", [math.inf, 5.0, 1.0])
def test_the_mean_of_the_e_value_is_at_most_one(c):
    assert 0.5 < mean_e_value(NOISY, 5, 2, c) <= 1.0 + 1e-12
    assert mean_e_value(NOISY, 5, 2, c, paid=False) > 1.2


def test_one_hold_out_without_errors_has_a_closed_form():
    """(1 − θ)^m = δ·C(n − s, m)/C(n, m)."""
    ratio = math.comb(93, 20) / math.comb(100, 20)
    value, shares = easy_upper([log_ratio(100, 93, 20)], [0], 20, 0.05, bets=ONLY)
    assert value == pytest.approx(1 - (0.05 * ratio) ** (1 / 20), rel=1e-12)
    assert shares == pytest.approx([1.0])


def test_one_constant_has_a_closed_form_and_shares():
    """(1 − aθ)^m = δ·(ratio/J)·Σ e^{−cS}, shares in proportion to e^{−cS}."""
    c, sums, m = 3.0, np.array([0.0, 1.0, 2.5]), 40
    ratio, a = math.exp(log_ratio(200, 180, m)), -math.expm1(-c)
    weights = np.exp(-c * sums)
    value, shares = easy_upper([math.log(ratio)] * 3, sums, m, 0.05, bets=((c, 1.0),))
    assert value == pytest.approx((1 - (0.05 * ratio * weights.mean()) ** (1 / m)) / a, rel=1e-12)
    assert shares == pytest.approx(weights / weights.sum())


def test_no_other_risks_with_that_mean_explain_the_data_better():
    """The limit is the largest mean among all risks whose e-value stays at most 1/δ."""
    rng, sums, m, delta = np.random.default_rng(0), np.array([0, 1, 3]), 30, 0.1
    ratios = np.array([-1.0, -1.5, -0.5])
    value, shares = easy_upper(ratios, sums, m, delta, bets=MIXED)
    q = np.clip(value + rng.normal(0, 0.1, (20_000, 3)) * rng.random((20_000, 1)), 0, 0.999)
    total = np.zeros(len(q))
    for c, w in MIXED:
        kept = np.where(sums == 0, 1.0, np.exp(-c * np.maximum(sums, 1)))
        total += (w * np.exp(ratios) * kept / 3 * (1 + np.expm1(-c) * q) ** -m).sum(axis=1)
    allowed = total < 1 / delta
    assert 0.2 < allowed.mean() < 0.8
    assert (q[allowed] @ shares).max() <= value + 1e-12
    assert (q[allowed] @ shares).max() > 0.97 * value  # and it is attained


def test_what_cannot_be_is_refused_or_says_nothing():
    assert easy_upper([0.0, 0.0], [3, 4], 10, 0.05, bets=ONLY)[0] == 1.0
    assert easy_upper([0.0], [10], 10, 0.05, bets=MIXED)[0] == 1.0
    for bad in ((), ((0.0, 1.0),), ((1.0, 0.7), (2.0, 0.7)), ((1.0, -0.1),)):
        with pytest.raises(ValueError, match="bets"):
            check_bets(bad)
    with pytest.raises(ValueError, match="between 0 and 10"):
        easy_upper([0.0], [11], 10, 0.05, bets=ONLY)
    with pytest.raises(ValueError, match="for every hold-out"):
        easy_upper([0.0, 0.0], [1], 10, 0.05, bets=ONLY)
    with pytest.raises(ValueError, match="easy rows <= n"):
        log_ratio(10, 4, 5)
