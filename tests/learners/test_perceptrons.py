"""Perceptrons against their definition, their limits and their compression sets."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from mercer.datasets import make_moons, make_ringnorm
from mercer.kernels import Gaussian, Linear, Polynomial
from mercer.learners.margin import (
    KernelPerceptron,
    Perceptron,
    novikoff_limit,
    novikoff_report,
    relative_limit,
)

X, Y, _ = make_ringnorm(700, d=3, random_state=1)
PLANE, SIDE, _ = make_moons(90, noise=0.02, random_state=0)
quiet = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def slow_perceptron(K, y, orders, margin=0.0, rate=1.0, start=None):
    """The algorithm as the texts print it; coefficients, updates, and all rules of the run."""
    beta = np.zeros(len(y)) if start is None else start.copy()
    updates, rules = [], []
    for order in orders:
        for j in order:
            if y[j] * (K[j] @ beta) <= margin:
                beta[j] += rate * y[j]
                updates.append(j)
            rules.append(beta.copy())
    return beta, updates, rules


@quiet
@pytest.mark.parametrize("margin", [0.0, 0.5])
@pytest.mark.parametrize("rate", [1.0, 0.25])
def test_blocks_repeat_the_plain_loop(margin, rate):
    """700 rows are more than one block; the run is the same update for update."""
    K = Gaussian(1.0)(X)
    beta, updates, _ = slow_perceptron(K, Y, [np.arange(700)] * 3, margin, rate)
    model = KernelPerceptron(
        kernel=Gaussian(1.0), max_iter=3, margin=margin, learning_rate=rate
    ).fit(X, Y)
    assert model.mistakes_.rows.tolist() == updates
    found = np.zeros(700)
    found[model.support_] = model.dual_coef_[0]
    assert_allclose(found, beta)
    assert_allclose(model.decision_function(X), K @ beta, atol=1e-9)


@quiet
@pytest.mark.parametrize("order", ["cyclic", "random", "greedy", [3, 1, 1, 4, 0, 2, 600]])
@pytest.mark.parametrize("combine", ["last", "average", "vote"])
def test_primal_and_dual_are_the_same_rule(order, combine):
    options = {"order": order, "combine": combine, "max_iter": 2, "random_state": 5}
    options["max_iter"] = 1 if order == "greedy" else 2
    primal = Perceptron(**options).fit(X, Y)
    dual = KernelPerceptron(kernel=Linear() + 1.0, **options).fit(X, Y)
    assert primal.mistakes_.rows.tolist() == dual.mistakes_.rows.tolist()
    assert_allclose(primal.decision_function(X), dual.decision_function(X), atol=1e-8)
    as_sparse = clone(primal).fit(sparse.csr_array(X), Y)
    assert_allclose(as_sparse.decision_function(sparse.csr_array(X)), primal.decision_function(X))


@quiet
def test_average_and_vote_against_all_rules_of_the_run():
    K = Gaussian(1.0)(X[:200])
    _, _, rules = slow_perceptron(K, Y[:200], [np.arange(200)] * 2)
    outputs = K @ np.array(rules).T
    average = KernelPerceptron(kernel=Gaussian(1.0), max_iter=2, combine="average")
    average.fit(X[:200], Y[:200])
    assert_allclose(average.decision_function(X[:200]), outputs.mean(axis=1), atol=1e-10)
    vote = KernelPerceptron(kernel=Gaussian(1.0), max_iter=2, combine="vote")
    vote.fit(X[:200], Y[:200])
    share = np.where(outputs >= 0, 1, -1).mean(axis=1)
    assert_allclose(vote.decision_function(X[:200]), share, atol=1e-10)


def test_a_start_is_where_the_run_starts():
    start = np.linspace(-1, 1, 90)
    K = Gaussian(0.15)(PLANE)
    beta, updates, _ = slow_perceptron(K, SIDE, [np.arange(90)] * 60, start=start)
    model = KernelPerceptron(kernel=Gaussian(0.15), coef_init=start, max_iter=60).fit(PLANE, SIDE)
    assert model.mistakes_.separated
    assert model.mistakes_.rows.tolist() == updates
    found = np.zeros(90)
    found[model.support_] = model.dual_coef_[0]
    assert_allclose(found, beta)
    report = novikoff_report(model, PLANE, SIDE)
    assert report.holds
    with pytest.raises(ValueError, match="one finite coefficient per training row"):
        KernelPerceptron(coef_init=[1.0]).fit(PLANE, SIDE)


@settings(max_examples=25)
@given(seed=st.integers(0, 10**6), margin=st.sampled_from([0.0, 1.0]), started=st.booleans())
def test_novikoff_is_never_exceeded(seed, margin, started):
    rng = np.random.default_rng(seed)
    w = rng.normal(size=3)
    points = rng.normal(size=(30, 3))
    points = points[np.abs(points @ w) > 0.3]
    y = np.where(points @ w > 0, 1, -1)
    if len(np.unique(y)) < 2:
        return
    start = rng.normal(size=3) * 3 if started else None
    model = Perceptron(
        fit_intercept=False, order="random", random_state=seed, margin=margin, max_iter=5000,
        coef_init=start,
    ).fit(points, y)  # fmt: skip
    report = novikoff_report(model, points, y)
    assert model.mistakes_.separated
    assert report.separable
    assert report.updates <= report.limit * (1 + 1e-6)
    if not started and margin == 0:
        assert report.limit == pytest.approx((report.radius / report.margin) ** 2)


def test_limits_by_hand():
    assert novikoff_limit(2.0, 0.5) == 16
    assert novikoff_limit(2.0, 0.5, required=1.0) == pytest.approx(24)
    # a start along the separator helps, one against it costs
    assert novikoff_limit(2.0, 0.5, start_norm=3, start_margin=3) < 16
    assert novikoff_limit(2.0, 0.5, start_norm=3, start_margin=-3) > 16
    assert relative_limit(1.0, 0.5, np.array([0.3, 0.4])) == pytest.approx(9.0)
    with pytest.raises(ValueError, match="margin must be positive"):
        novikoff_limit(1.0, 0.0)


@quiet
def test_one_sweep_keeps_freund_and_schapires_limit():
    model = Perceptron(fit_intercept=False, max_iter=1).fit(X, Y)
    rng = np.random.default_rng(0)
    radius = np.linalg.norm(X, axis=1).max()
    for _ in range(20):
        u = rng.normal(size=3)
        u /= np.linalg.norm(u)
        for gamma in (0.2, 1.0):
            misses = np.maximum(0, gamma - Y * (X @ u))
            assert model.mistakes_.n_updates <= relative_limit(radius, gamma, misses)


@quiet
@pytest.mark.parametrize("order", ["cyclic", "greedy"])
@pytest.mark.parametrize("margin", [0.0, 0.3])
def test_the_mistaken_rows_alone_rebuild_a_converged_rule(order, margin):
    model = KernelPerceptron(kernel=Gaussian(0.15), order=order, margin=margin, max_iter=300)
    model.fit(PLANE, SIDE)
    assert model.mistakes_.separated
    kept = model.mistakes_.distinct
    again = clone(model).fit(PLANE[kept], SIDE[kept])
    assert_allclose(again.decision_function(PLANE), model.decision_function(PLANE), atol=1e-9)
    evidence = model.evidence_
    assert evidence.compression.size == len(kept) < 90
    assert evidence.compression.errors == 0
    assert evidence.compression.preferent
    assert {"compression", "scenario"} <= set(model.certificates_)
    assert (evidence.mistakes is None) == (margin > 0)


@quiet
def test_evidence_of_an_unfinished_run_counts_errors_outside():
    model = KernelPerceptron(kernel=Gaussian(1.0), max_iter=2).fit(X, Y)
    wrong = model.predict(X) != Y
    evidence = model.evidence_
    assert evidence.errors == wrong.sum()
    wrong[model.mistakes_.distinct] = False
    assert evidence.compression.errors == wrong.sum() > 0
    assert not evidence.compression.preferent
    assert "scenario" in model.not_applicable_
    assert evidence.mistakes is None
    chosen = KernelPerceptron(kernel=Gaussian(1.0), max_iter=2, order=np.arange(700)).fit(X, Y)
    assert "the order of visits" in chosen.certificates_["compression"].first_line()
    started = KernelPerceptron(kernel=Gaussian(1.0), max_iter=2, coef_init=np.ones(700)).fit(X, Y)
    assert started.evidence_.compression is None


@quiet
def test_one_pass_is_a_progressive_run():
    once = KernelPerceptron(kernel=Gaussian(1.0), max_iter=1).fit(X, Y)
    run = once.evidence_.progressive
    assert (run.rows, run.errors) == (700, once.mistakes_.n_updates)
    assert "progressive" in once.certificates_
    twice = KernelPerceptron(kernel=Gaussian(1.0), max_iter=2).fit(X, Y)
    assert twice.evidence_.progressive is None
    stream = KernelPerceptron(kernel=Gaussian(1.0))
    for first in range(0, 700, 130):
        stream.partial_fit(X[first : first + 130], Y[first : first + 130], classes=[-1, 1])
    assert stream.mistakes_.rows.tolist() == once.mistakes_.rows.tolist()
    assert_allclose(stream.decision_function(X), once.decision_function(X), atol=1e-9)
    assert stream.evidence_.progressive == run
    line = Perceptron()
    for first in range(0, 700, 130):
        line.partial_fit(X[first : first + 130], Y[first : first + 130], classes=[-1, 1])
    plain = Perceptron(max_iter=1).fit(X, Y)
    assert_allclose(line.coef_, plain.coef_)
    assert line.evidence_.progressive == plain.evidence_.progressive


@quiet
@pytest.mark.parametrize("forget", ["oldest", "smallest", "random"])
def test_a_budget_is_kept_and_large_ones_change_nothing(forget):
    small = KernelPerceptron(
        kernel=Gaussian(1.0), budget=20, forget=forget, max_iter=2, random_state=0
    ).fit(X, Y)
    assert len(small.support_) <= 20
    assert small.score(X, Y) > 0.6
    free = KernelPerceptron(kernel=Gaussian(1.0), max_iter=2).fit(X, Y)
    roomy = KernelPerceptron(kernel=Gaussian(1.0), max_iter=2, budget=700, forget=forget)
    assert_allclose(roomy.fit(X, Y).decision_function(X), free.decision_function(X), atol=1e-9)
    stream = KernelPerceptron(kernel=Gaussian(1.0), budget=20, forget=forget, random_state=0)
    stream.partial_fit(X, Y, classes=[-1, 1])
    assert stream.support_vectors_.shape[0] <= 20


def test_the_oldest_row_goes_first():
    points = np.eye(4)
    model = KernelPerceptron(kernel="linear", budget=2, max_iter=1, forget="oldest")
    with pytest.warns(ConvergenceWarning):
        model.fit(points, [1, -1, 1, -1])
    assert sorted(model.support_.tolist()) == [2, 3]


def test_a_run_without_end_says_so():
    with pytest.warns(ConvergenceWarning, match="may not be separable"):
        model = Perceptron(max_iter=3).fit(X, Y)
    assert not model.mistakes_.separated
    assert not novikoff_report(model, X, Y).separable
    assert "no limit" in str(novikoff_report(model, X, Y))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"order": "backwards"}, "'order' parameter"),
        ({"order": [0, 1000]}, "no row"),
        ({"margin": -1.0}, "'margin' parameter"),
        ({"learning_rate": 0.0}, "'learning_rate' parameter"),
        ({"max_iter": 0}, "'max_iter' parameter"),
        ({"combine": "mean"}, "'combine' parameter"),
        ({"budget": 5, "combine": "average"}, "A budget needs combine='last'"),
        ({"budget": 5, "order": "greedy"}, "not 'greedy'"),
    ],
)
def test_bad_parameters_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        KernelPerceptron(**options).fit(PLANE, SIDE)


def test_streams_refuse_what_they_cannot_do():
    model = KernelPerceptron()
    with pytest.raises(ValueError, match="classes must be passed"):
        model.partial_fit(PLANE, SIDE)
    assert not hasattr(KernelPerceptron(kernel="precomputed"), "partial_fit")
    assert not hasattr(KernelPerceptron(combine="vote"), "partial_fit")
    model.partial_fit(PLANE, SIDE, classes=[-1, 1])
    with pytest.raises(ValueError, match="unknown class"):
        model.partial_fit(PLANE, np.full(90, 7))


def test_rows_far_from_the_origin_and_kernels_outside_the_core():
    far = PLANE + 1e4
    near = KernelPerceptron(kernel=Gaussian(0.15), max_iter=60).fit(PLANE, SIDE)
    moved = KernelPerceptron(kernel=Gaussian(0.15), max_iter=60).fit(far, SIDE)
    assert moved.mistakes_.rows.tolist() == near.mistakes_.rows.tolist()
    product = Gaussian(0.15) * Polynomial(1, coef0=1.0)
    model = KernelPerceptron(kernel=product, max_iter=200).fit(PLANE, SIDE)
    K = product(PLANE)
    beta, updates, _ = slow_perceptron(K, SIDE, [np.arange(90)] * 200)
    assert model.mistakes_.rows.tolist() == updates
    given_matrix = KernelPerceptron(kernel="precomputed", max_iter=200).fit(K, SIDE)
    assert_allclose(given_matrix.decision_function(K), K @ beta, atol=1e-9)


@quiet
def test_a_scale_read_off_the_rows_of_a_single_pass_is_not_covered():
    """The same rows are counted as unseen by the rules of the run."""
    batch = KernelPerceptron(max_iter=1).fit(PLANE, SIDE)
    stream = KernelPerceptron().partial_fit(PLANE, SIDE, classes=np.unique(SIDE))
    for model in (batch, stream):
        assert [c.what for c in model.certificates_["progressive"].uncovered] == ["gamma"]
    fixed = KernelPerceptron(gamma=1.0).partial_fit(PLANE, SIDE, classes=np.unique(SIDE))
    assert fixed.certificates_["progressive"].uncovered == ()


@quiet
@pytest.mark.parametrize("learner", [Perceptron(), KernelPerceptron(gamma=1.0)])
def test_as_many_visits_as_rows_are_not_yet_a_single_pass(learner):
    twice = clone(learner).set_params(order=[0, 0, 1, 1], max_iter=1)
    few, labels = np.array([[0.0], [1.0], [2.0], [3.0]]), [0, 1, 0, 1]
    twice.fit(few, labels).partial_fit(few, labels)
    assert twice.evidence_.progressive is None


def test_a_stream_that_starts_somewhere_is_no_progressive_run():
    """The start may have been learnt from the very rows that come by."""
    model = Perceptron(coef_init=np.ones(4)).partial_fit(X[:100], Y[:100], classes=[-1, 1])
    assert model.evidence_.progressive is None


def test_rows_that_come_again_are_told_before_a_progressive_number():
    once = Perceptron().partial_fit(X[:100], Y[:100], classes=[-1, 1])
    assert "progressive" in once.certificates_
    twice = once.partial_fit(X[:50], Y[:50])
    (said,) = (choice.what for choice in twice.evidence_.choices)
    assert said == "what hangs together: 50 of 150 rows of the stream came before"


def test_two_sweeps_are_those_of_the_plain_loop():
    """scikit-learn's test of its own perceptron, in our words: an order, and no tolerance."""
    rng = np.random.default_rng(12)
    X = rng.normal(size=(150, 4)) + 1.0
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=150) > 1.0, 1, -1)
    w, b = np.zeros(4), 0.0
    for _ in range(2):
        for row, label in zip(X, y, strict=True):
            if np.sign(row @ w + b) != label:
                w, b = w + label * row, b + label
    with pytest.warns(ConvergenceWarning):
        model = Perceptron(max_iter=2).fit(X, y)
    assert_allclose(model.coef_.ravel(), w, atol=1e-9)
    assert model.intercept_ == pytest.approx(b)
