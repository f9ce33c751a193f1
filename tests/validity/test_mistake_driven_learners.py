"""Perceptrons, halving and condensed neighbours on a law whose risk is a length."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

from helpers_validity import check_caught, check_valid
from mercer.bounds import Progressive, get
from mercer.learners.margin import KernelPerceptron, Perceptron
from mercer.learners.margin.perceptron._base import ONE_PASS_C
from mercer.learners.metric import CondensedNearestNeighbor
from mercer.learners.online import Halving, Stumps

DELTA, DRAWS, CUT = 0.1, 300, 0.4


def sample(rng, n, noise=0.0):
    x = rng.random(n)
    y = np.where(x < CUT, -1, 1) * np.where(rng.random(n) < noise, -1, 1)
    if len(np.unique(y)) < 2:
        return sample(rng, n, noise)
    return x, y


def half_line(n, **options):
    """A perceptron on a line with a gap: its risk is the mass on the wrong side."""
    grid = np.linspace(0, 1, 2001)
    grid = grid[np.abs(grid - CUT) > 0.03]

    def law(rng):
        x = rng.choice(grid, n)
        y = np.where(x < CUT, -1, 1)
        if len(np.unique(y)) < 2:
            return law(rng)
        model = Perceptron(random_state=int(rng.integers(10**6)), **options)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(x[:, None], y)
        wrong = model.predict(grid[:, None]) != np.where(grid < CUT, -1, 1)
        return model.evidence_, float(wrong.mean())

    return law


def voted(n, arrange=lambda y: y):
    """One pass, all rules of the run vote with their lifetimes; labels without a rule."""
    grid = np.linspace(-1, 1, 400)

    def law(rng):
        X = np.stack([rng.choice(grid, n), np.ones(n)], axis=1)
        y = arrange(rng.choice([-1, 1], n))
        model = KernelPerceptron(kernel="linear", max_iter=1, combine="vote").fit(X, y)
        return model.evidence_, 0.5

    return law


def condensed(n, noise, scheme):
    """The nearest kept point decides: the risk is a sum of lengths."""

    def law(rng):
        x, y = sample(rng, n, noise)
        model = CondensedNearestNeighbor(scheme).fit(x[:, None], y)
        points = x[model.kept_]
        order = np.argsort(points)
        points, labels = points[order], model.kept_labels_[order]
        edges = np.concatenate([[0.0], (points[1:] + points[:-1]) / 2, [1.0]])
        below = np.clip(np.minimum(edges[1:], CUT) - edges[:-1], 0, None)
        wrong = float(np.sum(np.where(labels > 0, below, np.diff(edges) - below)))
        return model.evidence_, noise + (1 - 2 * noise) * wrong

    return law


def halved(n):
    """The majority of the stumps that have not erred: the risk is the mass where it is wrong."""
    rules, grid = Stumps(0.0, 1.0, 41), (np.arange(400) + 0.5) / 400

    def law(rng):
        x, y = sample(rng, n)
        model = Halving(rules, max_iter=50).fit(x[:, None], y)
        wrong = model.predict(grid[:, None]) != np.where(grid < CUT, -1, 1)
        return model.evidence_, float(wrong.mean())

    return law


def of(code):
    bound = get(code)()
    return lambda evidence, delta: bound.evaluate(evidence, delta).unclipped


def training_error(evidence, delta):
    return evidence.errors / evidence.n


LAWS = {
    "cyclic": (half_line(40, max_iter=400), "compression"),
    "cyclic-scenario": (half_line(40, max_iter=400), "scenario"),
    "random-scenario": (half_line(40, order="random", max_iter=400), "scenario"),
    "random": (half_line(40, order="random", max_iter=400), "compression"),
    "average": (half_line(60, max_iter=3, combine="average"), "compression"),
    "hart": (condensed(60, 0.0, "condense"), "scenario"),
    "hart-noise": (condensed(60, 0.15, "condense"), "compression"),
    "net": (condensed(60, 0.15, "net"), "compression"),
    "halving-scenario": (halved(30), "scenario"),
}


@pytest.mark.parametrize(("law", "code"), LAWS.values(), ids=LAWS)
def test_certificates_hold_and_the_training_error_would_not(law, code, scale):
    check_valid(law, of(code), delta=DELTA, draws=DRAWS * scale)
    check_caught(law, training_error, delta=DELTA, draws=DRAWS * scale)


def if_as_drawn(bound):
    """A bound for one pass; no claim where the order of the labels was not as if drawn."""
    return lambda evidence, delta: (
        np.inf if evidence.progressive is None else bound(evidence, delta)
    )


def whatever_the_order(bound):
    """The first version's: mistakes of one pass, in any order of the file."""

    def limit(evidence, delta):
        run = Progressive(evidence.n, evidence.compression.size, models=2, c=ONE_PASS_C)
        return bound(replace(evidence, progressive=run), delta)

    return limit


def nearly_sorted(y):
    """Three quarters of the file are sorted."""
    cut = 3 * len(y) // 4
    return np.concatenate([np.sort(y[:cut]), y[cut:]])


def test_votes_of_one_pass(scale):
    law = voted(60)
    check_valid(law, if_as_drawn(of("progressive-vote")), delta=DELTA, draws=DRAWS * scale)
    check_caught(law, training_error, delta=DELTA, draws=DRAWS * scale)
    evidence = [law(np.random.default_rng(seed))[0] for seed in range(20)]
    assert sum(e.progressive is not None for e in evidence) > 15, "claims are made"


@pytest.mark.parametrize("arrange", [np.sort, nearly_sorted])
def test_one_pass_over_a_sorted_file(arrange, scale):
    law, votes = voted(100, arrange), of("progressive-vote")
    check_valid(law, if_as_drawn(votes), delta=DELTA, draws=DRAWS * scale)
    if arrange is np.sort:
        check_caught(law, whatever_the_order(votes), delta=DELTA, draws=DRAWS * scale)


def test_a_random_order_is_named_in_the_certificate():
    """The scenario bound averages over the learner's own random numbers, so it has to say so."""
    rng = np.random.default_rng(0)
    for order, said in (("random", True), ("cyclic", False)):
        evidence, _ = half_line(40, order=order, max_iter=400)(rng)
        text = get("scenario")().evaluate(evidence, DELTA).explain()
        assert ("not for each seed" in text) == said
