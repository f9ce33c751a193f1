"""Objectives, outputs and attributes against scikit-learn on random and degenerate problems."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn import svm as peer
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel

import mercer

PAIRS = {
    "SVC": (mercer.SVC, peer.SVC),
    "NuSVC": (mercer.NuSVC, peer.NuSVC),
    "SVR": (mercer.SVR, peer.SVR),
    "NuSVR": (mercer.NuSVR, peer.NuSVR),
    "OneClassSVM": (mercer.OneClassSVM, peer.OneClassSVM),
}


def blobs(seed, n=60, d=3, classes=2):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    X = rng.normal(size=(n, d)) + 1.2 * np.eye(classes, d)[y] * 2
    return X, y, rng


def quadratic(model, K):
    """½ β'Kβ of a binary machine or regression."""
    beta = np.zeros(len(K))
    beta[model.support_] = model.dual_coef_[0]
    return 0.5 * beta @ K @ beta, beta


def dual_objective(model, K, y):
    """The dual of C-SVC or ε-SVR, to be maximised."""
    half, beta = quadratic(model, K)
    if hasattr(model, "epsilon"):
        return beta @ y - model.epsilon * np.abs(beta).sum() - half
    return np.abs(beta).sum() - half


def problems():
    """Data sets that make a solver stumble, each with a name."""
    X, y, rng = blobs(0)
    yield "plain", X, y, {}
    yield "duplicates", np.repeat(X[:20], 3, axis=0), np.repeat(y[:20], 3), {}
    yield "contradictions", np.repeat(X[:30], 2, axis=0), np.tile([0, 1], 30), {}
    yield "constant feature", np.column_stack([X, np.full(len(X), 7.0)]), y, {}
    yield "all features constant", np.ones((20, 2)), np.arange(20) % 2, {}
    yield "zero rows", np.vstack([X, np.zeros((10, 3))]), np.append(y, np.arange(10) % 2), {}
    yield "tiny C", X, y, {"C": 1e-6}
    yield "large C", X, y, {"C": 1e4}
    yield "small scale", 1e-6 * X, y, {}
    yield "large scale", 1e6 * X, y, {}
    yield "far from the origin", X + 1e3, y, {}
    yield "one point per class", X[:2], np.array([0, 1]), {}
    yield "unbalanced", X, (np.arange(60) < 3).astype(int), {"class_weight": "balanced"}
    yield "narrow kernel", X, y, {"gamma": 1e4}
    yield "wide kernel", X, y, {"gamma": 1e-8}
    yield "polynomial", X, y, {"kernel": "poly", "degree": 2, "coef0": 1.0}
    yield "linear", X, y, {"kernel": "linear"}
    yield "one column", X[:, :1], y, {}
    yield "more columns than rows", rng.normal(size=(12, 40)), np.arange(12) % 2, {}


CASES = {name: rest for name, *rest in problems()}


@pytest.mark.parametrize("case", CASES)
def test_classifier_reaches_the_same_optimum(case):
    X, y, options = CASES[case]
    ours = mercer.SVC(**options).fit(X, y)
    theirs = peer.SVC(**options).fit(X, y)
    K = ours.kernel_(X, X)
    best = max(dual_objective(ours, K, y), dual_objective(theirs, K, y))
    level = max(abs(best), 1e-12)
    assert dual_objective(ours, K, y) >= best - 2e-3 * level
    facts = ours.diagnostics_
    assert facts.dual == pytest.approx(dual_objective(ours, K, y), rel=1e-6, abs=1e-12)
    assert facts.primal >= facts.dual - 1e-9 * level
    assert facts.kkt_gap <= ours.tol
    doubtful = np.abs(theirs.decision_function(X)) < 5e-3
    agree = ours.predict(X) == theirs.predict(X)
    assert np.all(agree | doubtful)


@pytest.mark.parametrize("case", CASES)
def test_regression_reaches_the_same_optimum(case):
    X, y, options = CASES[case]
    options = {k: v for k, v in options.items() if k != "class_weight"}
    target = np.sin(np.arange(len(X))) + y
    ours = mercer.SVR(**options).fit(X, target)
    theirs = peer.SVR(**options).fit(X, target)
    K = ours.kernel_(X, X)
    best = max(dual_objective(ours, K, target), dual_objective(theirs, K, target))
    assert dual_objective(ours, K, target) >= best - 2e-3 * max(abs(best), 1e-12)
    assert ours.diagnostics_.kkt_gap <= ours.tol


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", PAIRS)
def test_attributes_match_at_a_small_tolerance(name, seed):
    X, y, rng = blobs(seed, classes=3 if "SVC" in name else 2)
    target = y if "SVC" in name else X[:, 0] ** 2 + 0.1 * rng.normal(size=len(X))
    weight = rng.uniform(0.2, 3.0, size=len(X))
    weight[::7] = 0.0
    ours, theirs = (cls(gamma=0.5, tol=1e-9) for cls in PAIRS[name])
    ours.fit(X, target, sample_weight=weight)
    theirs.fit(X, target, sample_weight=weight)
    # scikit-learn numbers the rows that are left once those of weight zero are gone.
    assert ours.support_.tolist() == np.flatnonzero(weight)[theirs.support_].tolist()
    assert ours.n_support_.tolist() == theirs.n_support_.tolist()
    assert ours.dual_coef_ == pytest.approx(theirs.dual_coef_, abs=2e-4)
    assert ours.intercept_ == pytest.approx(theirs.intercept_, abs=2e-4)
    assert np.array_equal(ours.support_vectors_, theirs.support_vectors_)
    assert ours.shape_fit_ == theirs.shape_fit_
    assert ours.fit_status_ == theirs.fit_status_ == 0
    method = "predict" if name.endswith("SVR") else "decision_function"
    new = rng.normal(size=(30, 3))
    assert getattr(ours, method)(new) == pytest.approx(getattr(theirs, method)(new), abs=5e-4)
    if name == "OneClassSVM":
        assert ours.offset_ == pytest.approx(theirs.offset_, abs=2e-4)
        assert ours.score_samples(new) == pytest.approx(theirs.score_samples(new), abs=5e-4)


@pytest.mark.parametrize("shape", ["ovo", "ovr"])
@pytest.mark.parametrize("break_ties", [False, True])
def test_many_classes(shape, break_ties):
    X, y, rng = blobs(1, n=100, d=5, classes=5)
    labels = np.array(["e", "d", "c", "b", "a"])[y]
    options = {"decision_function_shape": shape, "tol": 1e-8, "class_weight": {"a": 2.0}}
    ours = mercer.SVC(break_ties=break_ties, **options).fit(X, labels)
    theirs = peer.SVC(break_ties=break_ties, **options).fit(X, labels)
    new = rng.normal(size=(200, 5))
    assert ours.classes_.tolist() == theirs.classes_.tolist()
    assert ours.class_weight_.tolist() == theirs.class_weight_.tolist()
    assert ours.dual_coef_.shape == theirs.dual_coef_.shape
    assert ours.dual_coef_ == pytest.approx(theirs.dual_coef_, abs=1e-4)
    assert ours.decision_function(new) == pytest.approx(theirs.decision_function(new), abs=1e-4)
    if break_ties and shape == "ovo":
        with pytest.raises(ValueError, match="break_ties must be False"):
            ours.predict(new)
    else:
        assert np.mean(ours.predict(new) == theirs.predict(new)) > 0.99


def test_linear_weights_of_many_classes():
    X, y, _ = blobs(2, n=60, d=4, classes=4)
    ours = mercer.SVC(kernel="linear", tol=1e-8).fit(X, y)
    theirs = peer.SVC(kernel="linear", tol=1e-8).fit(X, y)
    assert ours.coef_ == pytest.approx(theirs.coef_, abs=1e-4)
    assert ours.coef_.shape == (6, 4)


@pytest.mark.parametrize("container", [sparse.csr_matrix, sparse.csc_array, sparse.coo_array])
@pytest.mark.parametrize("name", PAIRS)
def test_sparse_data(name, container):
    X, y, rng = blobs(3, classes=3)
    X[np.abs(X) < 0.7] = 0.0
    target = y if "SVC" in name else X[:, 0] + 0.1 * rng.normal(size=len(X))
    ours, theirs = (cls(tol=1e-8).fit(container(X), target) for cls in PAIRS[name])
    assert sparse.issparse(ours.support_vectors_)
    assert sparse.issparse(ours.dual_coef_)
    assert ours.dual_coef_.toarray() == pytest.approx(theirs.dual_coef_.toarray(), abs=2e-4)
    method = "predict" if name.endswith("SVR") else "decision_function"
    expected = getattr(theirs, method)(container(X))
    assert getattr(ours, method)(container(X)) == pytest.approx(expected, abs=5e-4)
    dense = PAIRS[name][0](tol=1e-8).fit(X, target)
    assert getattr(dense, method)(X) == pytest.approx(getattr(ours, method)(X), abs=1e-5)


@pytest.mark.parametrize("name", PAIRS)
def test_precomputed_callable_and_kernel_object_agree(name):
    X, y, rng = blobs(4, classes=3)
    target = y if "SVC" in name else X[:, 0] + 0.1 * rng.normal(size=len(X))
    new = rng.normal(size=(20, 3))
    cls = PAIRS[name][0]
    method = "predict" if name.endswith("SVR") else "decision_function"
    named = cls(kernel="rbf", gamma=0.5, tol=1e-8).fit(X, target)
    gaussian = cls(kernel=mercer.kernels.Gaussian(1.0), tol=1e-8).fit(X, target)
    function = cls(kernel=lambda a, b: rbf_kernel(a, b, gamma=0.5), tol=1e-8).fit(X, target)
    matrix = cls(kernel="precomputed", tol=1e-8).fit(rbf_kernel(X, gamma=0.5), target)
    expected = getattr(named, method)(new)
    assert getattr(gaussian, method)(new) == pytest.approx(expected, abs=1e-6)
    assert getattr(function, method)(new) == pytest.approx(expected, abs=1e-6)
    values = rbf_kernel(new, X, gamma=0.5)
    assert getattr(matrix, method)(values) == pytest.approx(expected, abs=1e-6)


def test_single_precision_data():
    X, y, rng = blobs(5, n=200)
    ours = mercer.SVC(tol=1e-6).fit(X.astype(np.float32), y)
    double = mercer.SVC(tol=1e-6).fit(X, y)
    new = rng.normal(size=(50, 3))
    assert ours.support_vectors_.dtype == np.float32
    assert ours.decision_function(new) == pytest.approx(double.decision_function(new), abs=1e-3)
    assert ours.decision_function(new).dtype == np.float64


@pytest.mark.parametrize("name", ["SVC", "SVR"])
def test_stopping_after_few_iterations(name):
    X, y, _ = blobs(6)
    for cls in PAIRS[name]:
        with pytest.warns(ConvergenceWarning, match=r"terminated early \(max_iter=3\)"):
            model = cls(max_iter=3, C=10).fit(X, y)
        assert model.fit_status_ == 1
        assert np.all(model.n_iter_ == 3)


def test_nothing_is_printed(capfd):
    X, y, _ = blobs(7)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mercer.SVC().fit(X, y).predict(X)
    out, err = capfd.readouterr()
    assert out == err == ""
