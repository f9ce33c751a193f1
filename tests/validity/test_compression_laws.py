"""Compression and scenario bounds on learners small enough to know their risk exactly."""

import functools

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from helpers_validity import check_caught, check_valid
from mercer.bounds import Compression, Evidence, Pick, get
from mercer.bounds.numerics import clopper_upper

DELTA, DRAWS = 0.1, 400


def of(code):
    bound = get(code)()
    return lambda evidence, delta: bound.evaluate(evidence, delta).unclipped


def rate(evidence, delta):
    return evidence.compression.size / evidence.compression.rows


def bounding_box(n, d):
    """The smallest box around n uniform points: 2d of them determine it, its risk is 1 − volume."""

    def law(rng):
        X = rng.random((n, d))
        risk = 1 - np.prod(X.max(0) - X.min(0))
        size = len({*X.argmin(0), *X.argmax(0)})
        kept = Compression(n, size, nondegenerate=True)
        return Evidence(n, task="novelty", errors=0, compression=kept), risk

    return law


def hull(n):
    """The convex hull in the plane: the number of corners is random."""

    def law(rng):
        X = rng.random((n, 2))
        shape = ConvexHull(X)
        kept = Compression(n, len(shape.vertices), nondegenerate=True)
        return Evidence(n, task="novelty", errors=0, compression=kept), 1 - shape.volume

    return law


LAWS = {"box-1": bounding_box(60, 1), "box-4": bounding_box(120, 4), "hull": hull(80)}


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
@pytest.mark.parametrize("code", ["scenario", "compression"])
def test_one_class_learners(law, code, scale):
    check_valid(law, of(code), delta=DELTA, draws=DRAWS * scale)
    check_caught(law, rate, delta=DELTA, draws=DRAWS * scale)


def price_dropped(evidence, delta):
    """As if the kept rows had been chosen in advance: nothing is paid for choosing them."""
    kept = evidence.compression
    return clopper_upper(0, kept.rows - kept.size, delta)


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_without_the_price_of_choosing_the_kept_rows(law, scale):
    check_caught(law, price_dropped, delta=DELTA, draws=DRAWS * scale)


@pytest.mark.parametrize("name", ["box-1", "box-4"])
def test_scenario_with_delta_ignored(name, scale):
    """Its slack hides a tenth; at one in a hundred the broken twin shows."""
    small, draws = 0.01, 1200 * scale

    @functools.cache
    def limit(size, rows, delta):
        kept = Compression(rows, size, nondegenerate=True)
        return of("scenario")(Evidence(rows, task="novelty", compression=kept), delta)

    def value(evidence, delta):
        return limit(evidence.compression.size, evidence.compression.rows, delta)

    check_valid(LAWS[name], value, delta=small, draws=draws)
    check_caught(LAWS[name], lambda e, d: value(e, 0.999), delta=small, draws=draws)


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_both_ends_of_the_scenario_interval(law, scale):
    """The lower end too; centred at zero so that one comparison checks both ends."""

    def centred(rng):
        evidence, risk = law(rng)
        return Evidence(
            evidence.n, task="novelty", compression=evidence.compression, norm=risk
        ), 0.0

    def slack(evidence, delta):
        c = get("scenario")().evaluate(evidence, delta)
        return min(c.unclipped - evidence.norm, evidence.norm - c.lower)

    check_valid(centred, slack, delta=DELTA, draws=DRAWS * scale)
    point = lambda e, d: -abs(rate(e, d) - e.norm)  # noqa: E731
    check_caught(centred, point, delta=DELTA, draws=DRAWS * scale)


def wrong_length(memory, labels):
    """Length of [0, 1] on which the nearest remembered point has another label than the truth."""
    order = np.argsort(memory)
    points, signs = memory[order], labels[order]
    edges = np.concatenate([[0.0], (points[1:] + points[:-1]) / 2, [1.0]])
    below = np.clip(np.minimum(edges[1:], 0.4) - edges[:-1], 0, None)  # where the truth is -1
    return float(np.sum(np.where(signs > 0, below, np.diff(edges) - below)))


def pick_to_learn(N, noise):
    """Nearest neighbour on the picked points; the mistake farthest from them is picked next."""
    sizes, weights = (round(0.85 * N), round(0.7 * N)), (0.5, 0.5)

    def law(rng):
        x = rng.random(N)
        y = np.where(x < 0.4, -1, 1) * np.where(rng.random(N) < noise, -1, 1)
        memory, labels, picked = np.array([0.0, 1.0]), np.array([-1, 1]), 0
        while True:
            distance = np.abs(x[:, None] - memory[None])
            bad = np.flatnonzero(labels[distance.argmin(1)] != y)
            if bad.size == 0:
                break
            worst = bad[np.argmax(distance[bad].min(1))]
            memory, labels = np.append(memory, x[worst]), np.append(labels, y[worst])
            picked += 1
        risk = noise + (1 - 2 * noise) * wrong_length(memory, labels)
        return Evidence(2 * N, pick=Pick(N, picked, sizes, weights)), risk

    return law


@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_pick_to_learn(noise, scale):
    law = pick_to_learn(100, noise)
    check_valid(law, of("compress"), delta=DELTA, draws=300 * scale)
    tenth = lambda e, d: 0.1 * e.pick.kept / e.pick.rows  # noqa: E731
    check_caught(law, tenth, delta=DELTA, draws=300 * scale)


def test_pick_to_learn_with_delta_ignored(scale):
    law, small, draws = pick_to_learn(100, 0.0), 0.01, 700 * scale
    check_valid(law, of("compress"), delta=small, draws=draws)
    check_caught(law, lambda e, d: of("compress")(e, 0.999), delta=small, draws=draws)


def test_a_list_that_nobody_learns_is_a_binomial_count(scale):
    """The exact tail holds when nothing is picked; used for picked rows it is too small."""
    fixed = lambda rng: (Evidence(9, pick=Pick(80, int(rng.binomial(80, 0.1)), learns=False)), 0.1)  # noqa: E731
    check_valid(fixed, of("compress"), delta=DELTA, draws=600 * scale)
    check_caught(fixed, lambda e, d: of("compress")(e, 0.6), delta=DELTA, draws=600 * scale)
