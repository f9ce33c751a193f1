"""Halving and the drivers: mistakes against limits, streams against batches, queries."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import binom, norm

import mercer
from mercer.bounds import NotApplicable, best_of, get
from mercer.datasets import make_ringnorm
from mercer.learners import _as_drawn
from mercer.learners._as_drawn import order_p
from mercer.learners.margin import KernelPerceptron, Perceptron
from mercer.learners.online import (
    Halving,
    Stumps,
    halving_limit,
    learn_actively,
    learn_batch,
    learn_online,
)

X, Y, _ = make_ringnorm(300, d=3, random_state=0)


@pytest.mark.parametrize("seed", range(8))
def test_halving_keeps_its_limit_for_every_order(seed):
    rng = np.random.default_rng(seed)
    answers = rng.choice([-1.0, 1.0], size=(64, 200))  # 200 arbitrary rules on 64 points
    truth = answers[:, rng.integers(200)]
    order = rng.permutation(64)
    rules = lambda rows: answers[rows[:, 0].astype(int)]  # noqa: E731
    model = Halving(rules, max_iter=5).fit(order[:, None].astype(float), truth[order])
    assert model.n_mistakes_ <= np.log2(200)
    assert model.limit_ == pytest.approx(np.log2(200))
    assert model.n_restarts_ == 0
    assert model.score(order[:, None].astype(float), truth[order]) == 1.0
    assert "mistake-compression" in model.certificates_
    kept = np.unique(model.mistaken_rows_)
    again = (
        Halving(rules, max_iter=5).fit(order[kept, None].astype(float), truth[order[kept]])
        if (len(np.unique(truth[order[kept]])) > 1)
        else model
    )
    everything = np.arange(64.0)[:, None]
    assert np.array_equal(again.predict(everything), model.predict(everything))


@pytest.mark.parametrize("discount", [0.3, 0.7])
def test_the_weighted_majority_keeps_its_limit_under_noise(discount):
    rng = np.random.default_rng(1)
    points = rng.normal(size=(400, 2))
    labels = np.where(points[:, 0] > 0.5, 1, -1) * np.where(rng.random(400) < 0.1, -1, 1)
    model = Halving(discount=discount).fit(points, labels)
    best = int(np.min(np.sum(Stumps()(points) != labels[:, None], axis=0)))
    assert model.limit_ == pytest.approx(halving_limit(100, best, discount))
    assert model.n_mistakes_ <= model.limit_
    hard = Halving().fit(points, labels)
    assert hard.n_restarts_ > 0
    assert hard.n_mistakes_ <= hard.limit_
    assert hard.evidence_.mistakes is None


def test_limits_by_hand():
    assert halving_limit(1024) == 10
    assert halving_limit(1024, wrong=1) == np.inf
    with pytest.raises(ValueError, match="-1 or \\+1"):
        Halving(lambda rows: rows).fit(X, Y)


def test_rules_may_answer_with_the_labels():
    labels = np.where(Y == 1, "yes", "no")
    cuts = np.linspace(-1, 1, 9)
    named = [lambda rows, t=t: np.where(rows[:, 0] > t, "yes", "no") for t in cuts]
    signed = [lambda rows, t=t: np.where(rows[:, 0] > t, 1, -1) for t in cuts]
    model = Halving(named, discount=0.5).fit(X, labels)
    assert np.array_equal(model.weights_, Halving(signed, discount=0.5).fit(X, labels).weights_)
    assert set(model.predict(X)) <= {"yes", "no"}
    with pytest.raises(ValueError, match=r"the labels \['no', 'yes'\].* with \['maybe'\]"):
        Halving([lambda rows: np.full(len(rows), "maybe")]).fit(X, labels)


@pytest.mark.parametrize("pair", [(1, 2), (-2, -1)])
def test_labels_that_are_signs_of_the_other_class_are_no_answers(pair):
    """Of labels 1 and 2 a row on which all rules say 1 would be read as +1, which is class 2."""
    labels = np.where(Y == 1, *pair[::-1])
    named = [lambda rows, t=t: np.where(rows[:, 0] > t, *pair[::-1]) for t in (-0.5, 0.0)]
    with pytest.raises(ValueError, match="would be mistaken for signs"):
        Halving(named, discount=0.5).fit(X, labels)
    signed = [lambda rows, t=t: np.where(rows[:, 0] > t, 1, -1) for t in (-0.5, 0.0)]
    model = Halving(signed, discount=0.5).fit(X, labels)
    one_by_one = np.concatenate([model.predict(row[None]) for row in X])
    assert np.array_equal(one_by_one, model.predict(X))


@pytest.mark.parametrize("pair", [(0, 1), (-1, 1), (-1, 0), (False, True), ("a", "b")])
def test_answers_with_labels_mean_the_same_for_one_row_and_for_many(pair):
    labels = np.where(Y == 1, *pair[::-1])
    named = [lambda rows, t=t: np.where(rows[:, 0] > t, *pair[::-1]) for t in (-0.5, 0.0)]
    model = Halving(named, discount=0.5).fit(X, labels)
    one_by_one = np.concatenate([model.predict(row[None]) for row in X])
    assert np.array_equal(one_by_one, model.predict(X))


def test_a_stream_in_pieces_is_the_stream():
    whole = Halving(discount=0.5).fit(X, Y)
    pieces = Halving(discount=0.5)
    for first in range(0, 300, 70):
        pieces.partial_fit(X[first : first + 70], Y[first : first + 70], classes=[-1, 1])
    assert np.array_equal(whole.weights_, pieces.weights_)
    assert np.array_equal(whole.mistaken_rows_, pieces.mistaken_rows_)


def test_on_line_mistakes_are_those_of_one_sweep():
    run = learn_online(KernelPerceptron(gamma=0.5), X, Y)
    once = KernelPerceptron(gamma=0.5, max_iter=1, combine="average").fit(X, Y)
    wrong = np.zeros(300, dtype=bool)
    wrong[once.mistakes_.rows[once.mistakes_.values < 0]] = True
    assert np.array_equal(run.mistakes[1:], wrong[1:])  # the first row meets no rule yet
    assert run.error_curve()[-1] == pytest.approx(run.n_mistakes / 300)
    certificate = run.certificate(0.05)
    assert certificate.value > run.n_mistakes / 300
    assert certificate.classifier == "mixture"


def test_learners_without_partial_fit_are_refitted_now_and_then():
    run = learn_online(mercer.SVC(gamma=0.5), X, Y, warm_up=20, block=10)
    assert run.warm_up == 20
    assert len(run.mistakes) == 280
    assert run.n_mistakes < 0.4 * 280
    assert run.evidence().progressive.trained_on == 20
    assert run.model.shape_fit_[0] == 300
    batch = learn_batch(mercer.SVC(gamma=0.5), X, Y)
    assert np.array_equal(batch.predict(X), run.model.predict(X))


def test_queries_near_the_boundary_beat_random_ones():
    points = np.random.default_rng(0).uniform(-1, 1, (600, 2))
    labels = np.where(points[:, 0] + 0.3 * points[:, 1] > 0.1, 1, -1)
    learner = mercer.SVC(kernel="linear", C=100.0)
    options = {"queries": 30, "X_test": points, "y_test": labels}
    chosen = [learn_actively(learner, points, labels, random_state=s, **options) for s in range(4)]
    random = [
        learn_actively(
            learner, points, lambda rows: labels[rows], random_state=s, strategy="random", **options
        )
        for s in range(4)
    ]
    assert np.mean([run.errors[-1] for run in chosen]) < np.mean([run.errors[-1] for run in random])
    assert len(set(chosen[0].queried)) == len(chosen[0].queried) == 30
    own = learn_actively(
        Perceptron(combine="average"), points, labels, queries=15, random_state=0,
        strategy=lambda model, pool, rows: rows[::-1],
    )  # fmt: skip
    assert own.queried[-5:].min() > 550
    with pytest.raises(ValueError, match="strategy must be"):
        learn_actively(learner, points, labels, queries=15, strategy="clever")


def test_what_a_run_turned_out_to_lack_is_still_paid_for():
    """Whether a run ends without a mistake is seen only afterwards, so its share of δ is spent."""
    rng = np.random.default_rng(2)
    points, labels = rng.normal(size=(60, 2)), rng.choice([-1, 1], 60)
    for model in (Halving(), KernelPerceptron(kernel="linear", max_iter=2)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            evidence = model.fit(points, labels).evidence_
        assert evidence.mistakes is None
        with pytest.raises(NotApplicable) as refusal:
            get("mistake-compression")().evaluate(evidence)
        assert not refusal.value.structural
        alone = best_of(evidence, 0.05, ["compression"])
        both = best_of(evidence, 0.05, ["compression", "mistake-compression"])
        assert both.ledger.total == pytest.approx(0.05)
        assert (alone.details["own_delta"], both.details["own_delta"]) == (0.05, 0.025)


def test_halving_is_certified_by_its_few_mistakes():
    rng = np.random.default_rng(3)
    points = rng.normal(size=(300, 1))
    model = Halving(max_iter=20).fit(points, points[:, 0] > 0.25)
    chosen = model.certificate_
    assert chosen.bound().code == "scenario"
    assert chosen.value < model.certificates_["mistake-compression"].value


def _noise(rng, n=400):
    return rng.normal(size=(n, 3)), rng.integers(0, 2, n)


def _sorted_by_label(rng):
    X, y = _noise(rng)
    return X[np.argsort(y)], np.sort(y)


def _sorted_by_a_column(rng):
    X, y = _noise(rng)
    return X[np.argsort(X[:, 1])], y


def _walk_through_a_turning_rule(rng, n=400):
    """Labels look drawn, inputs do not, and each rule is right about its own neighbourhood only."""
    X = np.cumsum(rng.normal(size=(n, 2)), axis=0)
    return X, ((X - X.mean(axis=0))[:, 0] * np.cos(np.arange(n)) > 0) * 1


@pytest.mark.parametrize(
    "draw", [_sorted_by_label, _sorted_by_a_column, _walk_through_a_turning_rule]
)
def test_a_stream_in_order_is_no_evidence(draw):
    stream, labels = draw(np.random.default_rng(0))
    run = learn_online(Perceptron(), stream, labels)
    assert run.order_p < 1e-6
    assert run.evidence().progressive is None
    with pytest.raises(NotApplicable, match="did not come as if drawn"):
        run.certificate()
    mixed = np.random.default_rng(1).permutation(len(labels))
    again = learn_online(Perceptron(), stream[mixed], labels[mixed])
    assert again.certificate().value >= 0.4 or draw is _walk_through_a_turning_rule


STREAMS = {
    "numbers": lambda rng: _noise(rng, 60),
    "few values": lambda rng: (rng.integers(0, 3, (80, 2)), (rng.random(80) < 0.1) * 1),
    "heavy tails": lambda rng: (rng.standard_cauchy((50, 40)), rng.integers(0, 5, 50)),
    "sparse": lambda rng: (
        sparse.random_array((60, 200), density=0.05, rng=rng, format="csr"), rng.integers(0, 2, 60)
    ),
    "names": lambda rng: (rng.choice(["a", "b"], (60, 2)).astype(object), rng.integers(0, 2, 60)),
}  # fmt: skip


@pytest.mark.parametrize("name", STREAMS)
def test_streams_in_random_order_are_seldom_kept_back(name):
    rng, draws = np.random.default_rng(2), 300
    values = np.array([order_p(*STREAMS[name](rng)) for _ in range(draws)])
    for level in (0.01, 0.05, 0.2):
        assert binom.sf((values <= level).sum() - 1, draws, level) > 1e-3


def test_signals_that_do_not_share_the_level_would_keep_back_more(monkeypatch):
    """The broken twin: the most unusual of many columns is judged as if it were the only one."""
    monkeypatch.setattr(_as_drawn, "_neighbours_p", _of_the_first)
    rng = np.random.default_rng(3)
    found = sum(
        order_p(rng.normal(size=(60, 12)), rng.integers(0, 2, 60)) < 0.05 for _ in range(200)
    )
    assert binom.sf(found - 1, 200, 0.05) < 1e-6


def _of_the_first(signals):
    ranks = signals - signals.mean(axis=0)
    alike = (ranks[1:] * ranks[:-1]).sum(axis=0) / (ranks**2).sum(axis=0)
    return 2 * norm.sf(np.abs(alike).max() * np.sqrt(len(ranks)))
