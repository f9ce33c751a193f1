"""Disagreement counted on unlabelled rows, and radii measured on the sample."""

import math
from dataclasses import replace

import numpy as np
import pytest

from helpers_validity import check_caught, check_valid
from mercer.bounds import Evidence, NotApplicable, Pool, Vote, get
from mercer.bounds._radius import declared_radius, with_radius

DELTA, DRAWS = 0.1, 300


def of(code):
    bound = get(code)()

    def value(evidence, delta):
        try:
            return bound.evaluate(evidence, delta).unclipped
        except NotApplicable:
            return math.inf

    return value


# --- a vote whose disagreement is seen on unlabelled rows ----------------------------------------


def vote_with_pool(members, error, m, u, beta, pairs):
    """Members wrong on random subsets of sixty places; weights from the labelled rows."""
    rng = np.random.default_rng(7)
    wrong = rng.random((members, 60)) < error * rng.uniform(0.3, 1.7, (members, 1))

    def law(rng):
        rows = wrong[:, rng.integers(0, 60, m)]
        q = np.exp(-beta * (rows.mean(1) - rows.mean(1).min()))
        q /= q.sum()
        share = q @ wrong[:, rng.integers(0, 60, u)]
        kl = float(np.sum(q * np.log(np.maximum(q, 1e-300) * members)))
        seen = q @ rows
        both = float((2 * seen * (1 - seen)).mean()) if pairs else None
        evidence = Evidence(
            m,
            vote=Vote(m, gibbs=float(seen.mean()), disagreement=both, kl=max(0.0, kl)),
            pool=Pool(u, pairs=float((2 * share * (1 - share)).mean())),
        )
        return evidence, float((q @ wrong >= 0.5).mean())

    return law


@pytest.mark.parametrize(("error", "beta"), [(0.2, 5.0), (0.4, 300.0)])
@pytest.mark.parametrize("pairs", [False, True])
def test_c_bound_with_a_pool(error, beta, pairs, scale):
    law = vote_with_pool(40, error, 60, 400, beta, pairs)
    check_valid(law, of("vote-c-bound-pool"), delta=DELTA, draws=DRAWS * scale)


@pytest.mark.parametrize("pairs", [False, True])
def test_plugging_in_what_was_seen_is_caught(pairs, scale):
    """One overfitted member: no disagreement, and few errors on the labelled rows."""
    law = vote_with_pool(200, 0.45, 30, 400, 1e4, pairs)
    check_valid(law, of("vote-c-bound-pool"), delta=DELTA, draws=DRAWS * scale)

    def plugged(evidence, delta):
        r, d = evidence.vote.gibbs, evidence.pool.pairs
        return 1 - (1 - 2 * r) ** 2 / (1 - 2 * d)

    check_caught(law, plugged, delta=DELTA, draws=DRAWS * scale)


# --- points of any length, the largest of the sample taken for the radius ------------------------


def long_points(n, d):
    """Directions on a sphere, lengths without an upper limit, a perceptron without error."""

    def law(rng):
        X = rng.normal(size=(n, d))
        X /= np.linalg.norm(X, axis=1)[:, None]
        y = np.where(X[:, 0] > 0, 1.0, -1.0)
        X *= rng.lognormal(0.0, 0.5, n)[:, None]
        w = np.zeros(d)
        while (wrong := np.flatnonzero(y * (X @ w) <= 0)).size:
            w = w + y[wrong[0]] * X[wrong[0]]
        angle = math.acos(float(np.clip(w[0] / np.linalg.norm(w), -1, 1)))
        evidence = Evidence(
            n,
            formulation="amm",
            errors=0,
            margins=y * (X @ w),
            norm=float(np.linalg.norm(w)),
            point_norms=np.linalg.norm(X, axis=1),
        )
        return evidence, angle / math.pi

    return law


@pytest.mark.parametrize(
    "code", ["margin-cover", "margin-fat", "margin-robust", "margin-adaptive", "rademacher"]
)
def test_margins_with_a_measured_radius(code, scale):
    law = long_points(15, 2)
    check_valid(law, of(code), delta=DELTA, draws=DRAWS * scale)
    check_caught(law, lambda e, d: e.errors / e.n, delta=DELTA, draws=DRAWS * scale)


def places(n, count, lam):
    """Labels without any rule on orthogonal directions, lengths without an upper limit.

    The hinge machine then decouples: a row alone at its place gets the margin min(1, s²/(2λn)).
    A place nobody visited gets the output zero, which is wrong.
    """

    def law(rng):
        place = rng.permutation(count)[:n]
        s, y = rng.lognormal(0.0, 0.5, n), rng.choice([-1.0, 1.0], n)
        w = np.minimum(1 / s, s / (2 * lam * n))
        evidence = Evidence(
            n, loss="hinge", margins=s * w, point_norms=s, C=1 / (2 * lam * n), errors=0
        )
        assert len(place) == len(y)
        return evidence, (0.5 * n + (count - n)) / count

    return law


@pytest.mark.parametrize("code", ["stability", "stability-scales"])
def test_stability_with_a_measured_radius(code, scale):
    law = places(10, 20, 0.01)
    check_valid(law, of(code), delta=DELTA, draws=DRAWS * scale)
    observed = lambda e, d: get(code)().evaluate(e, d).observed  # noqa: E731
    check_caught(law, observed, delta=DELTA, draws=DRAWS * scale)


def test_the_declared_radii_cost_one_unit_of_delta():
    """Their shares of δ add up to one, and each measured radius is rounded up by at most 9 %."""
    weights = [1 / ((math.pi**2 / 3 - 1) * (1 + abs(j)) ** 2) for j in range(-200_000, 200_001)]
    assert 0.9999 < sum(weights) <= 1.0
    for measured in (1e-9, 0.3, 1.0, 1.0000001, 7.0, 1e12):
        radius, _ = declared_radius(measured)
        assert measured <= radius <= 1.0906 * measured


def test_truncation_only_adds_errors():
    """The lemma behind it: with points beyond r sent to the origin, the risk does not fall."""
    rng = np.random.default_rng(0)
    X, w = rng.standard_t(2, size=(20_000, 3)), rng.normal(size=3)
    y = np.where(X[:, 0] + 0.3 * rng.normal(size=len(X)) > 0, 1.0, -1.0)
    norms = np.linalg.norm(X, axis=1)
    for r in (0.5, 2.0, 10.0):
        inside = np.where((norms <= r)[:, None], X, 0.0)
        assert np.mean(y * (X @ w) <= 0) <= np.mean(y * (inside @ w) <= 0)


def test_a_measured_radius_is_dearer_than_a_known_one_and_says_so():
    facts = Evidence(
        10**6, errors=0, margins=np.full(4, 0.3), norm=1.0, point_norms=np.linspace(0.5, 1, 4)
    )
    measured = get("margin-cover")().evaluate(facts)
    known = get("margin-cover")().evaluate(replace(facts, radius=1.0))
    assert known.value < measured.value < 1.2 * known.value
    assert "measured" in measured.ledger.entries[0].why
    assert any("declared radius" in text for text in known.assumptions)
    assert not any("declared radius" in text for text in measured.assumptions)
    assert measured.recompute() == measured
    assert with_radius(facts)[1] < 1.0


def test_a_regression_needs_a_known_radius():
    """Output zero is not the largest loss of a regression, so truncation proves nothing there."""
    facts = Evidence(
        1000,
        task="regression",
        loss="squared",
        point_norms=np.ones(3),
        C=1e-4,
        risks={"squared": 0.1},
        loo={"exact": 0.1},
        slacks=np.zeros(3),
        loss_range=(0.0, 1.0),
    )
    for code in ("stability-ridge", "stability-ridge-loo", "stability-regression"):
        with pytest.raises(NotApplicable, match="known before the data"):
            get(code)().evaluate(facts)


def test_zero_vectors_have_no_radius():
    flat = Evidence(10, errors=0, margins=np.ones(2), norm=1.0, point_norms=np.zeros(2))
    with pytest.raises(NotApplicable, match="zero vector"):
        get("margin-fat")().evaluate(flat)


@pytest.mark.parametrize("pairs", [None, 0.015])
def test_a_pool_of_another_law_is_noticed(pairs):
    vote, pool = Vote(5000, 0.01, disagreement=pairs), Pool(5000, pairs=0.4)
    with pytest.raises(NotApplicable, match="another law"):
        get("vote-c-bound-pool")().evaluate(Evidence(5000, vote=vote, pool=pool))


@pytest.mark.parametrize(("rows", "r", "d"), [(300, 0.2, 0.3), (1000, 0.3, 0.4), (5000, 0.1, 0.18)])
def test_the_pool_sharpens_the_vote(rows, r, d):
    vote = Vote(rows, r, tandem=r - d / 2, disagreement=d, kl=0.1)
    evidence = Evidence(rows, vote=vote, pool=Pool(10**6, pairs=d))
    with_pool = get("vote-c-bound-pool")().evaluate(evidence).value
    assert with_pool < get("vote-c-bound")().evaluate(evidence).value
    singles = replace(evidence, vote=Vote(rows, r, kl=0.1))
    assert get("vote-c-bound-pool")().evaluate(singles).value > with_pool
