"""Fisher's discriminants of several classes: scikit-learn's, their projections, weights, sparse."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.datasets import load_digits, load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from mercer.kernels import Gaussian, Linear
from mercer.learners.discriminant import FisherDiscriminant, KernelFisher

IRIS, KIND = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[KIND]
COUNTS = np.random.default_rng(0).integers(0, 4, size=150)
COPIES = np.repeat(np.arange(150), COUNTS)


def same_up_to_signs(ours, theirs, **limits):
    assert ours.shape == theirs.shape
    signs = np.sign(np.sum(ours * theirs, axis=0))
    assert_allclose(ours * signs, theirs, **limits)


@pytest.mark.parametrize("solver", ["moments", "eigen"])
@pytest.mark.parametrize("prior", ["estimated", "equal", [0.2, 0.3, 0.5]])
def test_linear_discriminants_are_scikit_learns(solver, prior):
    some = np.r_[0:50, 50:90, 100:120]
    theirs = LinearDiscriminantAnalysis(solver="lsqr").fit(IRIS[some], NAMES[some])
    ours = FisherDiscriminant(solver=solver, prior=prior).fit(IRIS[some], NAMES[some])
    # scikit-learn's priors also weigh the covariance; ours are those of Bayes' rule only
    given = {"estimated": theirs.priors_, "equal": np.full(3, 1 / 3)}.get(str(prior), prior)
    wanted = theirs.predict_proba(IRIS) * given / theirs.priors_
    wanted /= wanted.sum(axis=1, keepdims=True)
    assert_array_equal(ours.predict(IRIS), ours.classes_[wanted.argmax(axis=1)])
    assert_allclose(ours.predict_proba(IRIS), wanted, atol=1e-9)
    assert_allclose(np.exp(ours.predict_log_proba(IRIS)), ours.predict_proba(IRIS), atol=1e-12)
    assert ours.decision_function(IRIS).shape == (150, 3)
    assert ours.coef_.shape == (3, 4)
    assert_allclose(  # scores are defined up to a function of x
        np.diff(ours.decision_function(IRIS) - np.log(given), axis=1),
        np.diff(theirs.decision_function(IRIS) - np.log(theirs.priors_), axis=1),
        atol=1e-8,
    )


def test_projections_are_scikit_learns():
    theirs = LinearDiscriminantAnalysis(solver="eigen").fit(IRIS, KIND)
    ours = FisherDiscriminant().fit(IRIS, KIND)
    centred = theirs.transform(IRIS) - theirs.transform(IRIS).mean(axis=0)
    same_up_to_signs(ours.transform(IRIS), centred, rtol=1e-7, atol=1e-8)
    assert_allclose(ours.explained_variance_ratio_, theirs.explained_variance_ratio_, rtol=1e-8)
    one = FisherDiscriminant(n_components=1).fit(IRIS, KIND)
    assert_allclose(one.transform(IRIS), ours.transform(IRIS)[:, :1])
    assert list(one.get_feature_names_out()) == ["fisherdiscriminant0"]
    inside = np.vstack(
        [ours.transform(IRIS[k == KIND]) - ours.transform(IRIS[k == KIND]).mean(axis=0)
         for k in range(3)]
    )  # fmt: skip
    assert_allclose(inside.T @ inside / 150, np.eye(2), atol=1e-10)
    assert make_pipeline(FisherDiscriminant(), LinearSVC()).fit(IRIS, KIND).score(IRIS, KIND) > 0.95
    with pytest.raises(ValueError, match="n_components cannot be larger"):
        FisherDiscriminant(n_components=3).fit(IRIS, KIND)


@pytest.mark.parametrize("solver", ["moments", "eigen", "least_squares"])
@pytest.mark.parametrize("penalty", [0.0, 0.3])
def test_sparse_rows_and_rows_without_a_formed_covariance(solver, penalty, monkeypatch):
    X, y = load_digits(return_X_y=True)
    X, y = X[:60], y[:60] % 4
    model = FisherDiscriminant(solver=solver, reg_param=penalty)
    weight = 1.0 + np.arange(60) % 3
    dense = model.fit(X, y, weight).decision_function(X)
    for rows in (sparse.csr_array(X), X, sparse.csr_matrix(X.astype(np.float32))):
        limit = 1e-6 if rows.dtype == np.float64 else 1e-3
        for formed in (1000, 0):  # 64 columns, 60 rows: through inner products of the rows
            monkeypatch.setattr("mercer.learners.discriminant._scatter.FORMED", formed)
            found = model.fit(rows, y, weight)
            assert hasattr(found, "covariance_") == (formed == 1000)
            assert_allclose(found.decision_function(rows), dense, rtol=limit, atol=limit * 100)
            assert found.transform(rows).shape == (60, 3)


def test_many_sparse_columns():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, size=150)
    noise = sparse.random_array((150, 20_000), density=0.002, rng=rng, format="csr")
    words = sparse.csr_array((np.ones(150), (np.arange(150), y)), shape=(150, 20_000))
    X = (noise + words).tocsr()
    model = FisherDiscriminant(reg_param=0.1).fit(X, y)
    assert model.coef_.shape == (3, 20_000)
    assert not hasattr(model, "covariance_")
    assert model.score(X, y) == 1.0
    assert model.certificates_ is not None


@pytest.mark.parametrize(
    "model",
    [
        FisherDiscriminant(),
        FisherDiscriminant(solver="least_squares", reg_param=0.1),
        KernelFisher(gamma=0.3, reg_param=0.05),
        KernelFisher(gamma=0.3, reg_param=0.05, solver="least_squares"),
    ],
    ids=str,
)
@pytest.mark.parametrize("y", [NAMES, KIND == 2], ids=["three", "two"])
def test_weights_are_copies(model, y):
    heavy = model.fit(IRIS, y, COUNTS)
    found = heavy.decision_function(IRIS), heavy.transform(IRIS)
    errors = heavy.evidence_.errors
    copied = model.fit(IRIS[COPIES], y[COPIES])
    assert_allclose(copied.decision_function(IRIS), found[0], rtol=1e-7, atol=1e-7)
    same_up_to_signs(copied.transform(IRIS), found[1], rtol=1e-6, atol=1e-7)
    wrong = copied.predict(IRIS) != y
    assert errors == np.count_nonzero(wrong[COUNTS > 0])


@pytest.mark.parametrize("kernel", [Gaussian(1.3), Linear()])
def test_kernel_discriminants_are_linear_on_gram_columns(kernel):
    K = kernel(IRIS)
    ours = KernelFisher(kernel=kernel, reg_param=0.1).fit(IRIS, KIND)
    slow = FisherDiscriminant(reg_param=0.1).fit(K, KIND)
    new = IRIS[::7] + 0.01
    assert_allclose(ours.predict_proba(new), slow.predict_proba(kernel(new, IRIS)), atol=1e-6)
    same_up_to_signs(ours.transform(new), slow.transform(kernel(new, IRIS)), rtol=1e-5, atol=1e-6)
    theirs = LinearDiscriminantAnalysis(solver="lsqr", covariance_estimator=_Shifted(0.1)).fit(
        K, KIND
    )
    assert_allclose(ours.predict_proba(new), theirs.predict_proba(kernel(new, IRIS)), atol=1e-6)
    given = KernelFisher(kernel="precomputed", reg_param=0.1).fit(K, KIND)
    assert_allclose(given.decision_function(kernel(new, IRIS)), ours.decision_function(new))
    assert ours.dual_coef_.shape == (150, 3)


class _Shifted:
    """scikit-learn's hook for covariances: the likeliest one plus λI, class by class."""

    def __init__(self, penalty):
        self.penalty = penalty

    def fit(self, X):
        self.covariance_ = np.cov(X, rowvar=False, bias=True) + self.penalty * np.eye(X.shape[1])
        return self


def test_probabilities_of_least_squares_are_not_there():
    for model in (FisherDiscriminant(solver="least_squares"), KernelFisher(solver="least_squares")):
        assert not hasattr(model, "predict_proba")
        assert model.fit(IRIS, KIND).score(IRIS, KIND) > 0.7


@pytest.mark.parametrize("learner", [FisherDiscriminant, KernelFisher])
def test_evidence_of_several_classes_claims_no_plane(learner):
    evidence = learner().fit(IRIS, KIND).evidence_
    assert evidence.n_classes == 3
    assert evidence.margins is None
    assert evidence.norm is None
    assert evidence.errors == np.count_nonzero(learner().fit(IRIS, KIND).predict(IRIS) != KIND)


@pytest.mark.parametrize("learner", [FisherDiscriminant, KernelFisher])
def test_classes_of_one_mean_are_announced(learner):
    X = np.tile([[1.0, 2.0]], (9, 1))
    with pytest.warns(UserWarning, match="the classes have the same mean"):
        model = learner().fit(X, list("aaaabbbcc"))
    assert model.predict(X).tolist() == ["a"] * 9
    assert model.transform(X).shape == (9, 0)
