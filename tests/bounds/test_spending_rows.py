"""Bounds that spend rows, pools or votes: their relations, refusals and slow twins."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mercer.bounds import (
    Evidence,
    HoldOut,
    NotApplicable,
    Pick,
    Pool,
    Posterior,
    Progressive,
    Stage,
    Vote,
    get,
)
from mercer.bounds.numerics import clopper_upper
from mercer.bounds.transfer import knapsack
from mercer.bounds.votes import worst_c_bound


def value(code, evidence, delta=0.05, **params):
    return get(code)(**params).evaluate(evidence, delta).unclipped


def test_holdout_refusals():
    losses = Evidence(9, task="regression", holdout=HoldOut(5, losses=[0.1] * 5))
    with pytest.raises(NotApplicable, match="range"):
        get("holdout-loss")().evaluate(losses)
    with pytest.raises(NotApplicable, match="losses, not errors"):
        get("holdout")().evaluate(losses)
    wild = replace(losses, holdout=HoldOut(2, losses=[0.1, 7.0]), loss_range=(0, 1))
    with pytest.raises(ValueError, match="outside the declared range"):
        get("holdout-loss")().evaluate(wild)
    counts = Evidence(9, holdout=HoldOut(5, 1), loss_range=(0, 1))
    with pytest.raises(NotApplicable, match="errors, not losses"):
        get("holdout-loss")().evaluate(counts)
    with pytest.raises(NotApplicable, match="by class"):
        get("holdout-classes")().evaluate(counts)
    empty = Evidence(9, holdout=HoldOut(5, 1, classes={"a": (5, 1), "b": (0, 0)}))
    with pytest.raises(NotApplicable, match="class 'b'"):
        get("holdout-balanced")().evaluate(empty)
    with pytest.raises(NotApplicable, match="abstains"):
        get("selective")().evaluate(counts)
    nothing = Evidence(9, holdout=HoldOut(5, 1, accepted=0, accepted_errors=0))
    with pytest.raises(NotApplicable, match="accepted"):
        get("selective")().evaluate(nothing)
    single = Evidence(9, task="regression", holdout=HoldOut(1, losses=[0.1]), loss_range=(0, 1))
    with pytest.raises(NotApplicable, match="two rows"):
        get("holdout-loss-bernstein")().evaluate(single)


def test_per_class_limits_are_reported():
    part = HoldOut(510, 5, classes={"common": (500, 3), "rare": (10, 2)})
    c = get("holdout-classes")().evaluate(Evidence(600, holdout=part))
    assert c.details["worst"] == "rare"
    assert c.details["classes"]["common"] < 0.03 < c.value
    balanced = get("holdout-balanced")().evaluate(Evidence(600, holdout=part))
    assert balanced.value == pytest.approx(np.mean(list(c.details["classes"].values())))


def test_coverage_statement_of_a_selective_certificate():
    part = HoldOut(400, 20, accepted=360, accepted_errors=6)
    c = get("selective")().evaluate(Evidence(600, holdout=part))
    assert 0.85 < c.details["coverage_at_least"] < 0.9
    assert c.value < get("holdout")().evaluate(Evidence(600, holdout=part)).value


def test_pick_to_learn_tuned_multipliers_beat_the_published_ones():
    published = Evidence(1000, pick=Pick(500, 40))
    tuned = Evidence(1000, pick=Pick(500, 40, (375,), (1.0,)))
    assert value("compress", tuned) < value("compress", published)


def test_progressive_statements_are_ordered():
    run = Evidence(1000, progressive=Progressive(500, 20, models=20, c=0.5))
    assert value("progressive-min", run) < value("progressive", run)
    conditional = get("progressive-refit")().evaluate(run)
    assert conditional.kind == "conditional"
    assert not conditional.is_bound
    assert conditional.first_line().startswith("only if the model refitted")


def test_transfer_is_the_sum_of_two_limits():
    evidence = Evidence(1000, holdout=HoldOut(400, 11), pool=Pool(5000, 40))
    c = get("transfer")().evaluate(evidence)
    assert c.value == pytest.approx(clopper_upper(11, 400, 0.04) + clopper_upper(40, 5000, 0.01))
    predicted = replace(evidence, pool=Pool(5000, 40, expected=(0.03, 0.01)))
    at_least = max(c.details["certified"], 11 / 400 + 40 / 5000)
    assert at_least < value("transfer", predicted) < c.value
    with pytest.raises(NotApplicable, match="disagreements"):
        get("transfer")().evaluate(replace(evidence, pool=Pool(50)))
    vote = Evidence(100, progressive=Progressive(50, 2, models=5, c=0.5), pool=Pool(90, 3))
    with pytest.raises(NotApplicable, match="minority"):
        get("transfer-vote")().evaluate(vote)
    three = replace(vote, pool=Pool(90, minority=np.zeros(90)), n_classes=3)
    with pytest.raises(NotApplicable, match="two classes"):
        get("transfer-vote")().evaluate(three)


# 64ths are exact: a share that is 1/2 up to rounding is free to the LP solver's tolerance only
SHARES = st.integers(0, 32).map(lambda k: k / 64)


@settings(max_examples=50)
@given(st.lists(SHARES, min_size=1, max_size=8), st.integers(0, 80).map(lambda k: k / 64))
def test_knapsack_is_the_linear_programme(minority, budget):
    from scipy.optimize import linprog

    n = len(minority)
    cost = (1 - 2 * np.asarray(minority)) / n
    best = linprog(-np.full(n, 1 / n), A_ub=[cost], b_ub=[budget], bounds=[(0, 1)] * n)
    assert knapsack(np.asarray(minority), budget) == pytest.approx(-best.fun, abs=1e-7)


def test_vote_bounds():
    vote = Evidence(1000, vote=Vote(1000, 0.2, tandem=0.05, disagreement=0.3, kl=2.0))
    assert value("vote-tandem", vote) < value("vote-first-order", vote)
    for code, missing in (("vote-tandem", "tandem"), ("vote-c-bound", "disagreements")):
        with pytest.raises(NotApplicable, match=missing):
            get(code)().evaluate(Evidence(9, vote=Vote(9, 0.2)))
    with pytest.raises(NotApplicable, match="two classes"):
        get("vote-c-bound")().evaluate(replace(vote, n_classes=3))
    with pytest.raises(ValueError, match="counts are wrong"):
        get("vote-c-bound")().evaluate(Evidence(9, vote=Vote(9, 0.1, disagreement=0.4)))


@pytest.mark.parametrize(
    ("joint", "disagreement", "budget"), [(0.05, 0.3, 0.014), (0.01, 0.05, 0.03), (0.0, 0.1, 0.02)]
)
def test_c_bound_is_maximised_over_the_whole_set(joint, disagreement, budget):
    rng = np.random.default_rng(0)
    worst = worst_c_bound(joint, disagreement, budget)
    e, d = rng.uniform(0, 0.5, 200_000), rng.uniform(0, 0.5, 200_000)
    q = np.array([joint, disagreement, 1 - joint - disagreement])
    p = np.stack([e, d, 1 - e - d])
    ok = p[2] > 0
    with np.errstate(divide="ignore", invalid="ignore"):
        kl = np.where(q[:, None] > 0, q[:, None] * np.log(q[:, None] / p), 0).sum(0)
    ok &= (kl <= budget) & (2 * e + d < 1)
    inside = 1 - (1 - 2 * e[ok] - d[ok]) ** 2 / (1 - 2 * d[ok])
    assert inside.max() <= worst + 1e-9
    assert inside.max() > worst - 0.02


def test_recursive_pac_bayes():
    first = Stage(1000, 5.0, exceed=(1.0, 0.12, 0.12))
    one = value("recursive-pac-bayes", Evidence(1000, stages=(first,)))
    posterior = Evidence(1000, posterior=Posterior(1000, 0.12, 5.0))
    assert one == pytest.approx(value("pac-bayes-prior", posterior))
    second = Stage(500, 0.5, 0.5, (0.98, 0.05, 0.02))
    two = get("recursive-pac-bayes")().evaluate(Evidence(1000, stages=(first, second)))
    # excess = -γ + γ·.98 + (1-γ)·.05 + γ·.02, plus γ times the first loss
    assert two.observed == pytest.approx(-0.5 + 0.49 + 0.025 + 0.01 + 0.5 * 0.12)
    with pytest.raises(ValueError, match="gamma"):
        get("recursive-pac-bayes")().evaluate(
            Evidence(9, stages=(first, replace(second, gamma=1.5)))
        )


def test_posterior_whose_vote_is_not_the_model():
    q = Evidence(9, posterior=Posterior(50, 0.1, 2.0))
    assert value("pac-bayes-prior", q) < 1
    with pytest.raises(NotApplicable, match="majority vote"):
        get("pac-bayes-prior-vote")().evaluate(q)
    paid = Evidence(9, posterior=Posterior(50, 0.1, 2.0, candidates=12))
    assert value("pac-bayes-prior", paid) == value("pac-bayes-prior", q, 0.05 / 12)
