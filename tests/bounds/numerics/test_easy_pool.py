"""Easy hold-outs with a pool, checked without simulation: samples, splits and pools are listed.

Rows from a law on four points, every split, every pool: the probability that the limit of the
model of all rows fails is a finite sum. Twins without the importance weight, and without what the
pool costs, fail by far.
"""

import itertools
import math
from collections import Counter
from functools import cache

import numpy as np
import pytest

from mercer.bounds.numerics.easy import easy_upper, log_ratio
from mercer.bounds.numerics.easy_pool import easy_pool_upper, holdout_shares

NOISY = {(0, 0): 0.35, (0, 1): 0.25, (1, 0): 0.1, (1, 1): 0.3}  # (input, label): probability
CLEAN = {(0, 0): 0.55, (0, 1): 0.05, (1, 0): 0.02, (1, 1): 0.38}
PLAIN = {(0, 0): 0.6, (0, 1): 0.01, (1, 0): 0.01, (1, 1): 0.38}
N, M = 5, 2


def learn(rows):
    """The most frequent label of every input; label 1 where none is more frequent."""
    return tuple(int(sum(1 if y else -1 for u, y in rows if u == x) >= 0) for x in (0, 1))


def contrary(rows):
    """A model of all rows that has nothing to do with the smaller ones where the input is 1."""
    here, there = learn(rows)
    return here, 1 - there


def risk(rule, law):
    return sum(p for (x, y), p in law.items() if rule[x] != y)


def easy_rows(sample):
    """Rows that the model of the others gets right, filled up by the first of the rest."""
    right = [i for i, (x, y) in enumerate(sample) if learn(sample[:i] + sample[i + 1 :])[x] == y]
    rest = [i for i in range(N) if i not in right]
    return right + rest[: max(0, M - len(right))]


@cache
def enumerated(items, learner):
    """Of every sample: probability, risk of its model, easy rows, how often (errors, moved)."""
    law, found = dict(items), []
    for sample in itertools.product(law, repeat=N):
        full, easy, here = learner(sample), easy_rows(sample), Counter()
        for held in itertools.combinations(easy, M):
            rule = learn([z for i, z in enumerate(sample) if i not in held])
            wrong = sum(rule[sample[i][0]] != sample[i][1] for i in held)
            here[wrong, tuple(a != b for a, b in zip(rule, full, strict=True))] += 1
        found.append((math.prod(law[z] for z in sample), risk(full, law), len(easy), here))
    return found


@cache
def limit(easy, wrong, moved, u, delta, c, free_pool):
    ratios = [log_ratio(N, easy, M)] * len(wrong)
    if free_pool:  # the share that was seen, as if it were the probability
        return easy_upper(ratios, wrong, M, delta, bets=((c, 1.0),))[0] + moved / u
    return easy_pool_upper(ratios, wrong, M, moved, u, delta, c=c)


def failure(law, delta, *, c=5.0, u=2, models=1, learner=learn, paid=True, free_pool=False):
    """P(R(f) > limit), exactly: samples, draws from the proposal, inputs of the pool."""
    second = sum(p for (x, _), p in law.items() if x == 1)
    total = 0.0
    for p, truth, easy, here in enumerated(tuple(law.items()), learner):
        for drawn in itertools.product(here, repeat=models):
            often = math.prod(here[one] for one in drawn) / here.total() ** models
            wrong = tuple(errors for errors, _ in drawn)
            shares = holdout_shares([0.0] * models, wrong, c)
            seen = [sum(s for s, (_, d) in zip(shares, drawn, strict=True) if d[x]) for x in (0, 1)]
            for ones in range(u + 1):
                q = math.comb(u, ones) * second**ones * (1 - second) ** (u - ones)
                moved = min(u, round((u - ones) * seen[0] + ones * seen[1], 12))
                value = limit(easy if paid else N, wrong, moved, u, delta, c, free_pool)
                total += p * often * q * (truth > value + 1e-12)
    return total


@pytest.mark.parametrize(
    ("law", "models", "learner"),
    [(NOISY, 1, learn), (NOISY, 2, learn), (CLEAN, 1, learn), (PLAIN, 1, contrary)],
    ids=["noisy", "two models", "clean", "contrary"],
)
def test_the_limit_fails_at_most_at_its_rate(law, models, learner):
    for delta, (c, u) in itertools.product((0.1, 0.5), ((5.0, 1), (1.0, 3))):
        assert failure(law, delta, c=c, u=u, models=models, learner=learner) <= delta


def test_without_the_ratio_or_without_what_the_pool_costs_it_fails():
    assert failure(NOISY, 0.5, u=3, paid=False) > 0.5
    assert failure(PLAIN, 0.5, u=1, learner=contrary, free_pool=True) > 0.5


def joint_e_value(theta, d, logs, m, moved, u, c, b):
    """The logarithm of the product of both e-values."""
    a_c, a_b = -math.expm1(-c), -math.expm1(-b)
    return logs - m * math.log1p(-a_c * theta) - b * moved - u * math.log1p(-a_b * d)


@pytest.mark.parametrize(("u", "moved"), [(3000, 21.5), (60, 0.0), (20, 20.0), (40_000, 4000.0)])
def test_it_is_the_largest_sum_that_the_product_allows(u, moved):
    """A fine grid over d, θ solved from it: nothing larger is allowed, and it is attained."""
    sums, m, c, delta = [0, 1, 2], 60, 5.0, 0.05
    ratios = [log_ratio(200, 185, m)] * 3
    value = easy_pool_upper(ratios, sums, m, moved, u, delta, c=c)
    alone, _ = easy_upper(ratios, sums, m, delta, bets=((c, 1.0),))
    a = -math.expm1(-c)
    b = -math.log1p(-min(0.9, m * a / (1 - a * alone) / u))
    logs = np.logaddexp.reduce(np.array(ratios) - c * np.array(sums)) - math.log(3)
    best = 0.0
    for d in np.linspace(0, 1, 20_001):
        rest = -math.log(delta) - joint_e_value(0.0, d, logs, m, moved, u, c, b)
        if rest >= 0:
            best = max(best, d - math.expm1(-rest / m) / a)
    assert value == pytest.approx(min(1.0, best), abs=2e-4)
    assert value >= min(1.0, best)


def test_a_pool_without_disagreement_that_grows_costs_nothing():
    ratios, sums = [log_ratio(200, 185, 60)], [1]
    alone, _ = easy_upper(ratios, sums, 60, 0.05, bets=((5.0, 1.0),))
    values = [easy_pool_upper(ratios, sums, 60, 0.0, u, 0.05, c=5.0) for u in (10, 100, 10**5)]
    assert values[0] > values[1] > values[2] >= alone
    assert values[2] == pytest.approx(alone, rel=2e-3)


def test_what_cannot_be_is_refused_or_says_nothing():
    assert easy_pool_upper([0.0], [9], 10, 0.0, 50, 0.05, c=5.0) == 1.0
    for moved, u in ((-1.0, 10), (11.0, 10), (math.nan, 10)):
        with pytest.raises(ValueError, match="between 0 and 10"):
            easy_pool_upper([0.0], [0], 10, moved, u, 0.05, c=5.0)
    with pytest.raises(ValueError, match="positive and finite"):
        easy_pool_upper([0.0], [0], 10, 0.0, 10, 0.05, c=math.inf)
