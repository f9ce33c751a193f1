"""Relations between bounds, refusals with reasons, and formulas against slow twins."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mercer.bounds import (
    Compression,
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
from mercer.bounds.compression import lossless, lossless_relaxed
from mercer.bounds.transfer import knapsack
from mercer.bounds.votes import worst_c_bound


def value(code, evidence, delta=0.05, **params):
    return get(code)(**params).evaluate(evidence, delta).unclipped


@settings(max_examples=60, deadline=None)
@given(st.integers(20, 5000), st.floats(0.01, 0.5), st.floats(1e-6, 0.5))
def test_relaxed_is_never_below_exact(n, share, delta):
    size = max(1, int(share * n))
    evidence = Evidence(n, compression=Compression(n, size))
    tail = value("compression", evidence, delta)
    assert tail <= lossless(n, size, delta) + 1e-12
    assert lossless(n, size, delta) <= max(1.0, lossless_relaxed(n, size, delta) * (1 + 1e-9))
    assert value("scenario", evidence, delta) <= tail * (1 + 1e-9)


def test_scenario_needs_a_preferent_lossless_scheme():
    good = Compression(100, 10)
    for bad in (
        replace(good, preferent=False),
        replace(good, errors=2),
        replace(good, ordered=True),
    ):
        with pytest.raises(NotApplicable):
            get("scenario")().evaluate(Evidence(100, compression=bad))
    with pytest.raises(NotApplicable, match="every row"):
        get("compression")().evaluate(Evidence(10, compression=Compression(10, 10)))
    bits = value("compression", Evidence(100, compression=replace(good, bits=30.0)))
    assert bits > value("compression", Evidence(100, compression=good))


def test_scenario_interval_for_machines_whose_quantity_is_the_set():
    kept = Compression(300, 30, nondegenerate=True)
    c = get("scenario")().evaluate(Evidence(300, task="novelty", compression=kept))
    assert 0 < c.lower < 0.1 < c.value
    assert "rejected" in c.first_line()
    svc = get("scenario")().evaluate(Evidence(300, compression=kept))
    assert svc.lower is None  # few support vectors say nothing against a small error rate
    assert svc.value < c.value


def test_solver_gap_is_mentioned():
    c = get("scenario")().evaluate(Evidence(300, gap=1e-3, compression=Compression(300, 30)))
    assert "0.001" in c.explain()


def hinge(**changes):
    facts = {
        "n": 500,
        "loss": "hinge",
        "margins": np.ones(5),
        "radius": 1.0,
        "C": 1e-3,
        "errors": 0,
    }
    return Evidence(**(facts | changes))


def test_stability_refuses_what_the_theorem_does_not_cover():
    assert value("stability", hinge()) > 0
    for changes, word in (
        ({"offset": 0.0}, "offset"),
        ({"loss": "squared-hinge"}, "hinge loss"),
        ({"loss": ""}, "unnamed"),
        ({"n_classes": 3}, "two classes"),
    ):
        with pytest.raises(NotApplicable, match=word):
            get("stability")().evaluate(hinge(**changes))


def test_constant_c_is_never_stable_enough():
    values = [value("stability", hinge(n=n, C=1.0)) for n in (100, 10**4, 10**6)]
    assert min(values) > 1


def test_offset_costs_little_through_a_constant_feature():
    base = Evidence(
        5000, margins=np.linspace(0.2, 1, 50), norm=2.0, point_norms=np.ones(50), errors=0
    )
    plain = value("gaussian-margin", base)
    with_offset = value("gaussian-margin", replace(base, offset=0.05))
    assert plain < with_offset < 1.2 * plain
    assert value("gaussian-margin", replace(base, offset=2.0)) > with_offset


def test_gibbs_is_half_of_the_deterministic_bound():
    evidence = Evidence(2000, margins=np.linspace(-0.2, 1, 60), norm=1.5, point_norms=np.ones(60))
    assert value("gaussian-margin", evidence) == pytest.approx(
        2 * value("gaussian-margin-gibbs", evidence)
    )


def test_binary_machines_are_added_up():
    one = Evidence(
        3000, margins=np.linspace(0.2, 1, 60), norm=1.5, point_norms=np.ones(60), errors=0
    )
    idle = replace(one, margins=np.append(one.margins, np.inf), point_norms=np.ones(61))
    whole = Evidence(3000, n_classes=3, machines=(one, one, idle))
    c = get("gaussian-margin")().evaluate(whole, 0.06)
    assert c.unclipped == pytest.approx(
        2 * value("gaussian-margin", one, 0.02) + value("gaussian-margin", idle, 0.02)
    )
    assert value("gaussian-margin", idle) < value("gaussian-margin", one)
    assert len(c.ledger) == 3
    with pytest.raises(NotApplicable, match="each binary machine"):
        get("gaussian-margin")().evaluate(replace(one, n_classes=3))
    with pytest.raises(NotApplicable, match="norm"):
        get("gaussian-margin")().evaluate(replace(whole, machines=(one, replace(one, norm=None))))


def test_zero_weight_vector_has_no_margin():
    flat = Evidence(10, margins=np.zeros(2), norm=0.0, point_norms=np.ones(2), radius=1.0)
    for code in ("gaussian-margin", "rademacher"):
        with pytest.raises(NotApplicable, match="zero"):
            get(code)().evaluate(flat)


def test_cap_margin_needs_clean_data():
    bad = Evidence(50, margins=[0.2, -0.1], norm=1.0, point_norms=[1.0, 1.0], rank=3, errors=1)
    with pytest.raises(NotApplicable, match="own side"):
        get("cap-margin")().evaluate(bad)


def test_rademacher_covers_every_declared_ball():
    """Rescaling w changes nothing: the margin is relative to the norm."""
    base = Evidence(50_000, margins=np.linspace(0.1, 2, 40), norm=2.0, radius=1.0, errors=0)
    doubled = replace(base, margins=2 * base.margins, norm=4.0)
    assert value("rademacher", doubled) == pytest.approx(value("rademacher", base))
    by_trace = replace(base, radius=None, trace=50_000.0)
    assert value("rademacher", by_trace) > value("rademacher", base)
    with pytest.raises(NotApplicable, match="trace"):
        get("rademacher")().evaluate(replace(base, radius=None))


def test_vc_refusals():
    with pytest.raises(NotApplicable, match="dimension"):
        get("vc")().evaluate(Evidence(100, errors=0, dimension=math.inf))
    with pytest.raises(NotApplicable, match="two classes"):
        get("vc")().evaluate(Evidence(100, errors=0, dimension=3, n_classes=4))
    with pytest.raises(NotApplicable, match="zero training error"):
        get("vc-zero-error")().evaluate(Evidence(100, errors=1, dimension=3))
    with pytest.raises(NotApplicable, match="closed form"):
        get("vc")(growth="closed").evaluate(Evidence(10, errors=1, dimension=300))


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
    assert c.value == pytest.approx(c.details["certified"] + c.details["disagreement"])
    with pytest.raises(NotApplicable, match="disagreements"):
        get("transfer")().evaluate(replace(evidence, pool=Pool(50)))
    vote = Evidence(100, progressive=Progressive(50, 2, models=5, c=0.5), pool=Pool(90, 3))
    with pytest.raises(NotApplicable, match="minority"):
        get("transfer-vote")().evaluate(vote)
    three = replace(vote, pool=Pool(90, minority=np.zeros(90)), n_classes=3)
    with pytest.raises(NotApplicable, match="two classes"):
        get("transfer-vote")().evaluate(three)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(0, 0.5), min_size=1, max_size=8), st.floats(0, 1.2))
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
