"""Margin tubes, checked without simulation: all samples and all splits of tiny laws are listed.

Planes over one column and a constant, rows from a law on a few points: the probability that the
limit fails, and the mean of the e-value behind it, are finite sums. Twins without the importance
weight, and without the check that the tube reaches the model, must be seen.
"""

import itertools
import math
from collections import Counter
from functools import cache

import numpy as np
import pytest

from mercer.bounds import Evidence, MarginTubes, get
from mercer.certification.modes._tube_shape import Shape

NOISY = {(-1.0, -1): 0.4, (-1.0, 1): 0.2, (1.0, 1): 0.2, (1.0, -1): 0.2}
SKEWED = {(-1.0, -1): 0.5, (0.4, -1): 0.1, (0.4, 1): 0.1, (1.0, 1): 0.3}
RADII, PRIOR = (0.02, 0.2, 1.0), (0.1, 0.8, 0.1)
BETS = ((math.inf, 0.9), (1.0, 0.1))
N, M = 5, 2
BOUND = get("margin-tube")()


def learn(rows):
    """A plane near f(x) = x that follows the labels a little."""
    return fitted(tuple(sorted(rows)))


@cache
def fitted(rows):
    A, y = columns([x for x, _ in rows]), np.array([y for _, y in rows], float)
    return np.array([1.0, 0.0]) + 0.2 * np.linalg.solve(A.T @ A + np.eye(2), A.T @ y)


def contrary(rows):
    """What learns of all rows need not be what made the anchors: here it is the opposite."""
    return -learn(rows)


def columns(x):
    return np.column_stack([np.asarray(x, float), np.ones(len(x))])


def risk(f, law):
    return sum(p for (x, y), p in law.items() if y * float(f @ [x, 1.0]) <= 0)


@cache
def shaped(rows):
    A = columns([x for x, _ in rows])
    return Shape.of(A.T @ A / len(rows) + 0.1 * np.eye(2))


def one_split(sample, held, learner):
    """What the record keeps of one hold-out: rows inside each tube, and the first that reaches."""
    rest = tuple(sorted(z for i, z in enumerate(sample) if i not in held))
    return seen(tuple(sorted(sample)), rest, tuple(sorted(sample[i] for i in held)), learner)


@cache
def seen(sample, rest, held, learner):
    f, g, shape = learner(sample), learn(rest), shaped(rest)
    x, y = (np.array([z[k] for z in held], float) for k in (0, 1))
    reach = y * (columns(x) @ g) / shape.width(columns(x), g)
    inside = tuple(int(np.sum(reach <= r)) for r in RADII)
    return inside, int(np.searchsorted(RADII, shape.distance(f, g)))


@cache
def listed(items, learner):
    """Of every sample: probability, risk of the model of all rows, easy rows, its hold-outs."""
    law, found = dict(items), []
    for sample in itertools.product(law, repeat=N):
        easy = [i for i, (x, y) in enumerate(sample) if x * y > 0]  # sees all rows and labels
        easy += sorted(set(range(N)) - set(easy))[: max(0, M - len(easy))]
        held = itertools.combinations(easy, M)
        splits = Counter(one_split(sample, out, learner) for out in held)
        p, truth = math.prod(law[z] for z in sample), risk(learner(sample), law)
        found.append((p, truth, len(easy), splits))
    return found


@cache
def limit(easy, splits, delta):
    inside, first = zip(*splits, strict=True)
    record = MarginTubes(M, total=N, easy=easy, widths=PRIOR, inside=inside, first=first, bets=BETS)
    return BOUND.evaluate(Evidence(N, tubes=record), delta).unclipped


def failure(law, delta, anchors=1, learner=learn, paid=True, reached=True):
    """P(R(f) > limit), exactly."""
    total = 0.0
    for p, truth, easy, splits in listed(tuple(law.items()), learner):
        for drawn in itertools.product(splits, repeat=anchors):
            often = math.prod(splits[one] for one in drawn) / splits.total() ** anchors
            told = drawn if reached else tuple((inside, 0) for inside, _ in drawn)
            value = limit(easy if paid else N, told, delta)
            total += p * often * (truth > value + 1e-12)
    return total


def mean_e_value(law, learner=learn, paid=True, reached=True):
    """E of the weighted e-value with the true risk put in."""
    total = 0.0
    for p, truth, easy, splits in listed(tuple(law.items()), learner):
        ratio = math.comb(easy, M) / math.comb(N, M) if paid else 1.0
        for (inside, first), often in splits.items():
            share = p * often / splits.total() * ratio
            for place, (count, weight) in enumerate(zip(inside, PRIOR, strict=True)):
                if reached and place < first:
                    continue
                for c, part in BETS:
                    kept = 1.0 if not count else math.exp(-c * count)
                    rest = (1 + math.expm1(-c) * truth) ** M
                    total += share * weight * part * kept / rest if kept else 0.0
    return total


def test_the_limit_fails_at_most_at_its_rate_and_the_unpaid_one_does_not():
    for delta in (0.5, 0.6, 0.8):
        assert 0 < failure(NOISY, delta) <= delta
    assert failure(SKEWED, 0.5) <= 0.5
    assert failure(NOISY, 0.6, anchors=2) <= 0.6
    assert failure(NOISY, 0.6, paid=False) > 0.6


def test_a_model_far_from_its_anchors_has_no_limit_and_would_break_one_without_the_check():
    assert failure(NOISY, 0.5, learner=contrary) == 0
    assert failure(SKEWED, 0.2, learner=contrary, reached=False) > 0.9


def test_the_mean_of_the_e_value_is_at_most_one():
    for law in (NOISY, SKEWED):
        assert 0.5 < mean_e_value(law) <= 1 + 1e-12
    assert mean_e_value(NOISY, paid=False) > 1.5
    assert mean_e_value(SKEWED, contrary, reached=False) > 10


def test_one_anchor_without_errors_has_a_closed_form():
    """(1 − θ)^m = δ·w·C(N, m)/C(n, m), w the weight of the tubes that reach the model."""
    record = MarginTubes(20, total=100, easy=93, widths=(0.4, 0.6), inside=((0, 0),), first=(1,))
    value = BOUND.evaluate(Evidence(100, tubes=record), 0.05).unclipped
    ratio = math.comb(93, 20) / math.comb(100, 20)
    assert value == pytest.approx(1 - (0.05 * 0.6 * ratio) ** (1 / 20), rel=1e-10)


def test_a_width_is_the_largest_value_of_any_function_that_near():
    """v(x)² = φ'Q⁻¹φ − g(x)²/Q(g), against functions drawn on the sphere; and t is the best t."""
    rng = np.random.default_rng(0)
    A = rng.normal(size=(30, 3))
    g, f, shape = rng.normal(size=3), rng.normal(size=3), Shape.of(A.T @ A / 30 + 0.1 * np.eye(3))
    u = rng.normal(size=(50_000, 3))
    u -= np.outer(u @ shape.form @ g, g) / (g @ shape.form @ g)
    u /= np.sqrt(np.einsum("ij,jk,ik->i", u, shape.form, u))[:, None]
    seen = np.abs(u @ A[:5].T).max(axis=0)
    width = shape.width(A[:5], g)
    assert np.all(seen <= width * (1 + 1e-12))
    assert np.all(seen > 0.99 * width)
    f = f if f @ shape.form @ g > 0 else -f
    t = (g @ shape.form @ g) / (f @ shape.form @ g)
    gap = t * f - g
    assert gap @ shape.form @ g == pytest.approx(0, abs=1e-12)
    assert shape.distance(f, g) == pytest.approx(np.sqrt(gap @ shape.form @ gap))
    assert shape.distance(-f, g) == np.inf
    assert np.all(np.abs(A[:5] @ gap) <= shape.distance(f, g) * width)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"easy": 101}, "rows <= easy <= total"),
        ({"widths": (0.8, 0.6)}, "sum of at most 1"),
        ({"inside": ((2, 1),)}, "grow with the half-width"),
        ({"first": (3,)}, "more than the 2"),
        ({"first": (0, 1)}, "for every hold-out"),
    ],
)
def test_what_cannot_be_is_refused(wrong, words):
    facts = {"total": 100, "easy": 93, "widths": (0.4, 0.6), "inside": ((0, 0),), "first": (1,)}
    with pytest.raises(ValueError, match=words):
        MarginTubes(20, **{**facts, **wrong})
