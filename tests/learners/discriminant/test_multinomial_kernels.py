"""Kernel logistic classification of several classes, and regularised risks of several columns."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import logsumexp
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier

import mercer
from mercer.kernels import Gaussian, Linear, Spectrum
from mercer.learners.discriminant import (
    KernelLogistic,
    LogisticClassifier,
    RegularizedRiskClassifier,
)
from mercer.learners.regression import RegularizedRiskRegressor
from mercer.losses import Hinge, Huber, Logistic

IRIS, KIND = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[KIND]
COUNTS = np.random.default_rng(0).integers(0, 3, size=150)
COPIES = np.repeat(np.arange(150), COUNTS)


def by_features(kernel, C, X, y, new, weight=None, fit_intercept=True):
    """scikit-learn's multinomial regression on coordinates whose inner products are the kernel."""
    values, vectors = np.linalg.eigh(kernel(X))
    kept = values > 1e-11 * values[-1]
    basis = vectors[:, kept] / np.sqrt(values[kept])
    theirs = LogisticRegression(C=C, tol=1e-10, max_iter=10_000, fit_intercept=fit_intercept)
    theirs.fit(kernel(X) @ basis, y, weight)
    return theirs.predict_proba(kernel(new, X) @ basis)


@pytest.mark.parametrize("C", [0.1, 10.0])
@pytest.mark.parametrize("kernel", [Linear(), Gaussian(1.5)], ids=str)
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_multinomial_regression_in_a_feature_space(kernel, C, fit_intercept):
    new = IRIS[::5] + 0.05
    ours = KernelLogistic(kernel=kernel, C=C, fit_intercept=fit_intercept).fit(IRIS, NAMES)
    theirs = by_features(kernel, C, IRIS, NAMES, new, fit_intercept=fit_intercept)
    assert_allclose(ours.predict_proba(new), theirs, atol=2e-4)
    assert ours.decision_function(new).shape == (30, 3)
    assert ours.dual_gap_ <= 1e-8 * max(1.0, ours.objective_)
    assert_allclose(np.exp(ours.predict_log_proba(new)), ours.predict_proba(new), atol=1e-12)
    assert_array_equal(ours.predict(new), ours.classes_[theirs.argmax(axis=1)])


def test_the_objective_is_the_smallest_there_is():
    X, y, kernel = IRIS[::10], KIND[::10], Gaussian(1.0)
    K, C = kernel(X), 3.0

    def objective(flat):
        coef, offset = flat[:45].reshape(15, 3), flat[45:]
        F = K @ coef + offset
        return 0.5 * np.sum(coef * (K @ coef)) + C * np.sum(
            logsumexp(F, axis=1) - F[np.arange(15), y]
        )

    ours = KernelLogistic(kernel=kernel, C=C).fit(X, y)
    flat = np.r_[ours.dual_coef_.ravel(), ours.intercept_]
    assert objective(flat) == pytest.approx(ours.objective_, rel=1e-8)
    best = minimize(objective, flat * 0.9, method="L-BFGS-B", options={"maxiter": 2000})
    assert ours.objective_ <= best.fun + 1e-7
    assert ours.objective_ - ours.dual_gap_ <= best.fun + 1e-9


@pytest.mark.parametrize(
    "model",
    [
        KernelLogistic(kernel=Gaussian(1.0)),
        RegularizedRiskClassifier(kernel=Gaussian(1.0), tol=1e-10),
        RegularizedRiskClassifier("squared_hinge", kernel=Gaussian(1.0), tol=1e-10),
    ],
    ids=str,
)
def test_weights_are_copies(model):
    heavy = model.fit(IRIS, NAMES, COUNTS).decision_function(IRIS)
    copied = model.fit(IRIS[COPIES], NAMES[COPIES]).decision_function(IRIS)
    assert_allclose(heavy, copied, atol=2e-4)


@pytest.mark.parametrize("loss", [Logistic(), Logistic(rate=2.0), Logistic(base_two=True)])
@pytest.mark.parametrize("y", [NAMES, NAMES == "virginica"], ids=["three", "two"])
def test_rates_and_bases_of_the_logistic_loss(loss, y):
    price = loss.rate * loss.lipschitz  # of the plain loss of rate times the function
    ours = RegularizedRiskClassifier(loss, kernel=Gaussian(1.5), tol=1e-10).fit(IRIS, y)
    plain = KernelLogistic(kernel=Gaussian(1.5), C=price, tol=1e-10).fit(IRIS, y)
    assert_allclose(ours.predict_proba(IRIS), plain.predict_proba(IRIS), atol=1e-5)


@pytest.mark.parametrize("loss", [Hinge(), "exponential"], ids=str)
def test_other_losses_learn_each_class_against_the_rest(loss):
    inner = RegularizedRiskClassifier(loss, kernel=Gaussian(1.0))
    ours = inner.fit(IRIS, NAMES)
    values = ours.decision_function(IRIS)
    theirs = OneVsRestClassifier(RegularizedRiskClassifier(loss, kernel=Gaussian(1.0)))
    assert_allclose(values, theirs.fit(IRIS, NAMES).decision_function(IRIS), atol=1e-8)
    assert not hasattr(ours, "predict_proba")
    evidence = ours.evidence_
    assert len(evidence.machines) == 3
    assert evidence.errors == np.count_nonzero(ours.predict(IRIS) != NAMES)


def test_rows_of_all_kinds_and_files(tmp_path):
    kernel = Gaussian(1.0)
    plain = KernelLogistic(kernel=kernel).fit(IRIS, NAMES)
    expected = plain.decision_function(IRIS)
    given = KernelLogistic(kernel="precomputed").fit(kernel(IRIS), NAMES, COUNTS)
    weighed = KernelLogistic(kernel=kernel).fit(IRIS, NAMES, COUNTS)
    assert_allclose(
        given.decision_function(kernel(IRIS)), weighed.decision_function(IRIS), atol=1e-6
    )
    thin = KernelLogistic(kernel=kernel).fit(sparse.csr_array(IRIS), NAMES)
    assert_allclose(thin.decision_function(sparse.csr_array(IRIS)), expected, atol=1e-6)
    single = KernelLogistic(kernel=kernel).fit(IRIS.astype(np.float32), NAMES)
    assert_allclose(
        single.predict_proba(IRIS.astype(np.float32)), plain.predict_proba(IRIS), atol=1e-3
    )
    words = ["aab", "aba", "bbc", "bcb", "cca", "cac"]
    texts = KernelLogistic(kernel=Spectrum(1), C=100.0).fit(words, list("xxyyzz"))
    assert texts.predict(["aaab", "ccca"]).tolist() == ["x", "z"]
    again = mercer.load(mercer.save(plain, tmp_path / "model.mercer"))
    assert_array_equal(again.decision_function(IRIS), expected)
    assert plain.evidence_.n_classes == 3
    assert plain.evidence_.margins is None
    assert plain.evidence_.errors == np.count_nonzero(plain.predict(IRIS) != NAMES)
    with pytest.warns(ConvergenceWarning, match="duality gap"):
        KernelLogistic(kernel=kernel, max_iter=1).fit(IRIS, NAMES)
    with pytest.raises(ValueError, match="not positive semi-definite"):
        KernelLogistic(kernel="precomputed").fit(-kernel(IRIS), NAMES)


def test_duplicates_constant_columns_and_few_rows():
    X = np.array([[0.0, 1.0], [0.0, 1.0], [1.0, 1.0], [3.0, 1.0]])
    model = KernelLogistic(kernel=Gaussian(1.0)).fit(X, list("abac"))
    assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    assert_allclose(model.predict_proba(X)[0], model.predict_proba(X)[1])


@pytest.mark.parametrize("loss", ["square", Huber(0.5), "quantile"], ids=str)
def test_several_targets_are_learned_each_by_itself(loss, tmp_path):
    X, Y = IRIS[:60, :2], IRIS[:60, 2:]
    model = RegularizedRiskRegressor(loss, kernel=Gaussian(0.7)).fit(X, Y, COUNTS[:60])
    for t in range(2):
        one = RegularizedRiskRegressor(loss, kernel=Gaussian(0.7)).fit(X, Y[:, t], COUNTS[:60])
        assert_allclose(model.predict(X)[:, t], one.predict(X), atol=1e-10)
        assert_allclose(model.dual_coef_[:, t], one.dual_coef_, atol=1e-10)
    column = RegularizedRiskRegressor(loss, kernel=Gaussian(0.7)).fit(X, Y[:, :1])
    assert column.predict(X).shape == (60, 1)
    again = mercer.load(mercer.save(model, tmp_path / "model.mercer"))
    assert_array_equal(again.predict(X), model.predict(X))
    assert model.evidence_.norm is None


@pytest.mark.parametrize(
    "model",
    [
        LogisticClassifier(tol=1e-10),
        LogisticClassifier(tol=1e-10, solver="lbfgs"),
        KernelLogistic(kernel=Gaussian(1.0)),
        RegularizedRiskClassifier("squared_hinge", kernel=Gaussian(1.0)),
        RegularizedRiskClassifier("hinge", kernel=Gaussian(1.0), solver="splitting", tol=1e-4),
        RegularizedRiskClassifier("hinge", kernel=Gaussian(1.0)),
    ],
    ids=str,
)
@pytest.mark.parametrize("y", [NAMES, KIND == 2], ids=["three", "two"])
def test_warm_starts_time_limits_and_progress(model, y, capsys):
    model = clone(model).set_params(warm_start=True, verbose=True)
    first = model.fit(IRIS, y).n_iter_
    before = model.decision_function(IRIS)
    assert type(model).__name__ in capsys.readouterr().err
    again = model.fit(IRIS, y)
    assert_allclose(again.decision_function(IRIS), before, atol=1e-3)
    if getattr(model, "loss", "") != "hinge":
        assert again.n_iter_ < first
    late = clone(model).set_params(warm_start=False, verbose=False, time_limit=1e-9, tol=1e-12)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        assert late.fit(IRIS, y).predict(IRIS).shape == (150,)
