"""Perceptrons of several classes and with weights, against a rule written down row by row."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

import mercer
from mercer.datasets import load_iris
from mercer.kernels import Gaussian, Linear
from mercer.learners.margin import KernelPerceptron, Perceptron

TABLE = load_iris()
ORDER = np.random.default_rng(1).permutation(150)
X = ((TABLE.X - TABLE.X.mean(axis=0)) / TABLE.X.std(axis=0))[ORDER]
Y = np.array(["setosa", "versicolor", "virginica"])[TABLE.y[ORDER]]
CODES = TABLE.y[ORDER]
LIFTED = np.hstack([X, np.ones((150, 1))])
WEIGHT = np.random.default_rng(2).integers(0, 4, 150).astype(float)


def fitted(model, *args, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(*args, **options)


def slow(Z, codes, *, sweeps, margin=0.0, rate=1.0, weight=None):
    """The rules of a run, one after every visit, and who caused updates."""
    weight = np.ones(len(Z)) if weight is None else weight
    W, rules, rows = np.zeros((3, Z.shape[1])), [], []
    for _ in range(sweeps):
        clean = True
        for i in np.flatnonzero(weight > 0):
            outputs = W @ Z[i]
            rival = max((k for k in range(3) if k != codes[i]), key=lambda k: outputs[k])
            if outputs[codes[i]] - outputs[rival] <= margin:
                W[codes[i]] += rate * weight[i] * Z[i]
                W[rival] -= rate * weight[i] * Z[i]
                rows.append(i)
                clean = False
            rules.append(W.copy())
        if clean:
            break
    return W, rules, rows


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
@pytest.mark.parametrize("margin", [0.0, 0.7])
def test_the_rule_of_weights(margin, weight):
    model = fitted(Perceptron(max_iter=4, margin=margin), X, Y, sample_weight=weight)
    W, _, rows = slow(LIFTED, CODES, sweeps=4, margin=margin, weight=weight)
    assert_allclose(np.column_stack([model.coef_, model.intercept_]), W, atol=1e-9)
    kept = np.arange(150) if weight is None else np.flatnonzero(weight > 0)
    assert_array_equal(kept[model.mistakes_.rows], rows)
    assert_allclose(model.decision_function(X), LIFTED @ W.T, atol=1e-9)
    assert_array_equal(model.predict(X), model.classes_[(LIFTED @ W.T).argmax(axis=1)])


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
def test_the_rule_of_coefficients(weight):
    for model in (
        KernelPerceptron(kernel=Linear() + 1.0, max_iter=3),
        KernelPerceptron(kernel=Linear() + 1.0, max_iter=3, budget=150),
    ):
        found = fitted(model, X, Y, sample_weight=weight)
        W, _, rows = slow(LIFTED, CODES, sweeps=3, weight=weight)
        assert_allclose(found.decision_function(X), LIFTED @ W.T, atol=1e-8)
        assert_array_equal(found.mistakes_.rows, rows)
        assert found.dual_coef_.shape == (3, len(found.support_))
        assert_allclose(found.dual_coef_.sum(axis=0), 0.0, atol=1e-12)
        assert found.n_support_.sum() == len(found.support_)


def test_averages_and_votes():
    _, rules, _ = slow(LIFTED, CODES, sweeps=3)
    average = fitted(Perceptron(max_iter=3, combine="average"), X, Y)
    assert_allclose(average.decision_function(X), LIFTED @ np.mean(rules, axis=0).T, atol=1e-9)
    counts = np.zeros((150, 3))
    for W in rules:
        counts[np.arange(150), (LIFTED @ W.T).argmax(axis=1)] += 1
    for model in (
        Perceptron(max_iter=3, combine="vote"),
        KernelPerceptron(kernel=Linear() + 1.0, max_iter=3, combine="vote"),
    ):
        found = fitted(model, X, Y)
        assert_allclose(found.decision_function(X), counts / len(rules), atol=1e-9)
        assert found.evidence_.errors == np.sum(found.predict(X) != Y)


def test_a_stream_is_one_sweep_and_greedy_takes_the_worst():
    W, _, rows = slow(LIFTED, CODES, sweeps=1, weight=WEIGHT)
    for model in (Perceptron(), KernelPerceptron(kernel=Linear() + 1.0)):
        for part in np.array_split(np.arange(150), 4):
            model.partial_fit(X[part], Y[part], np.unique(Y), sample_weight=WEIGHT[part])
        assert_allclose(model.decision_function(X), LIFTED @ W.T, atol=1e-8)
        assert model.mistakes_.n_updates == len(rows)
        assert model.predict(X).dtype == Y.dtype
    greedy = fitted(KernelPerceptron(gamma=0.5, order="greedy"), X, Y)
    assert greedy.mistakes_.separated
    assert greedy.score(X, Y) == 1.0


def test_a_budget_is_kept():
    model = fitted(KernelPerceptron(gamma=0.5, budget=25, max_iter=5), X, Y)
    assert len(model.support_) <= 25
    assert model.score(X, Y) > 0.8
    stream = KernelPerceptron(gamma=0.5, budget=25, forget="smallest")
    for part in np.array_split(np.arange(150), 3):
        stream.partial_fit(X[part], Y[part], np.unique(Y))
    assert len(stream.support_vectors_) <= 25


def test_sparse_rows_given_matrices_starts_and_files(tmp_path):
    dense = fitted(Perceptron(max_iter=5), X, Y)
    thin = fitted(Perceptron(max_iter=5), sparse.csr_array(X), Y)
    assert_allclose(thin.coef_, dense.coef_, atol=1e-8)
    K = Gaussian(1.0)(X)
    given = fitted(KernelPerceptron(kernel="precomputed"), K, Y)
    rows = fitted(KernelPerceptron(kernel=Gaussian(1.0)), X, Y)
    assert_allclose(given.decision_function(K), rows.decision_function(X), atol=1e-8)
    more = np.column_stack([dense.coef_, dense.intercept_])
    again = fitted(Perceptron(max_iter=3, coef_init=more), X, Y)
    both = fitted(Perceptron(max_iter=8), X, Y)
    assert_allclose(again.coef_, both.coef_, atol=1e-8)
    for model in (dense, rows, fitted(Perceptron(combine="vote", max_iter=2), X, Y)):
        twin = mercer.load(mercer.save(model, tmp_path / "model.mercer"))
        assert_array_equal(twin.decision_function(X), model.decision_function(X))
        assert twin.evidence_ == model.evidence_


@pytest.mark.parametrize("combine", ["last", "average", "vote"])
def test_the_rows_that_caused_updates_rebuild_the_rule(combine):
    """What the compression bound asks for; an average needs the lifetimes, so its labels only."""
    model = fitted(KernelPerceptron(gamma=0.5, combine="last"), X, Y)
    kept = model.mistakes_.distinct
    twin = fitted(KernelPerceptron(gamma=0.5, combine="last"), X[kept], Y[kept])
    assert_allclose(twin.decision_function(X), model.decision_function(X), atol=1e-9)
    evidence = fitted(KernelPerceptron(gamma=0.5, combine=combine), X, Y).evidence_
    assert evidence.n_classes == 3
    assert evidence.mistakes is None
    assert evidence.compression.size == len(kept)


def test_weights_and_sorted_files_claim_nothing():
    heavy = fitted(Perceptron(), X, Y, sample_weight=1.0 + np.arange(150) % 2)
    assert heavy.evidence_.compression is None
    assert heavy.evidence_.progressive is None
    assert heavy.evidence_.mistakes is None
    once = fitted(Perceptron(max_iter=1), X, Y)
    assert once.evidence_.progressive is None  # the test of the order knows two classes
    drawn = fitted(Perceptron(max_iter=1, order="random", random_state=0), X, Y)
    assert drawn.evidence_.progressive is not None


def test_two_classes_with_weights_are_the_weighted_updates():
    two = CODES < 2
    sign = np.where(CODES[two] == 1, 1.0, -1.0)
    Z, w = LIFTED[two] + np.random.default_rng(0).normal(size=LIFTED[two].shape), np.zeros(5)
    Z[:, -1] = 1.0
    for _ in range(3):
        for i in np.flatnonzero(WEIGHT[two] > 0):
            if sign[i] * (Z[i] @ w) <= 0:
                w += WEIGHT[two][i] * sign[i] * Z[i]
    model = fitted(Perceptron(max_iter=3), Z[:, :-1], sign, sample_weight=WEIGHT[two])
    assert_allclose(np.append(model.coef_[0], model.intercept_), w, atol=1e-9)
