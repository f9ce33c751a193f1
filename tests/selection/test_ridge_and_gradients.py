"""Closed forms of kernel ridge against refitting, and gradients against differences."""

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, KFold

from mercer import SVC, KernelSearch
from mercer.kernels import Gaussian, Matern
from mercer.learners.bayes import GaussianProcessRegressor
from mercer.learners.regression import KernelRidge
from mercer.selection import _gradient as gradient
from mercer.selection import criteria
from mercer.selection._case import Case, GramView
from mercer.selection._ridge_spectrum import RidgeSpectrum


def sample(n=50, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.sin(2 * X[:, 0]) + 0.1 * rng.normal(size=n), rng.uniform(0.3, 2.0, n)


@pytest.mark.parametrize("intercept", [True, False])
def test_leaving_rows_out_is_exact(intercept):
    X, y, weight = sample()
    kernel = Gaussian(1.0)
    fit = RidgeSpectrum(kernel(X), y, weight, intercept).at(0.2)

    def refit(rows):
        model = KernelRidge(0.2, kernel=kernel, fit_intercept=intercept)
        return model.fit(X[rows], y[rows], weight[rows])

    everyone = np.arange(50)
    whole = refit(everyone)
    assert np.allclose(fit.residuals / np.sqrt(weight), y - whole.predict(X), atol=1e-9)
    for i in (0, 17):
        rest = np.delete(everyone, i)
        assert fit.left_out[i] == pytest.approx(y[i] - refit(rest).predict(X[i : i + 1])[0])
    test = np.arange(5, 20)
    rest = np.setdiff1d(everyone, test)
    assert np.allclose(fit.held_out(test), refit(rest).predict(X[test]), atol=1e-8)


def test_evidence_is_that_of_a_gaussian_process():
    """With the variance of the process at its best, by brute force over a grid of variances."""
    X, y, _ = sample()
    K = Gaussian(1.0)(X)
    fit = RidgeSpectrum(K, y, np.ones(50), False).at(0.1)
    best = -np.inf
    for variance in np.exp(np.linspace(-4, 4, 4001)):
        S = variance * (K + 0.1 * np.eye(50))
        sign, log = np.linalg.slogdet(2 * np.pi * S)
        assert sign > 0
        best = max(best, -0.5 * (log + y @ np.linalg.solve(S, y)) / 50)
    assert fit.log_evidence == pytest.approx(best, abs=1e-5)


def test_freedom_and_information_criteria():
    X, y, _ = sample()
    K = Gaussian(1.0)(X)
    spectrum = RidgeSpectrum(K, y, np.ones(50), True)
    fit = spectrum.at(5.0)
    assert fit.freedom == pytest.approx(np.trace(fit.hat(np.arange(50))))
    case = Case(GramView(K), y, y, y, learner="ridge", task="regression", extra={"ridge": fit})
    log_rss = np.log(fit.mean_square)
    assert criteria.get("aic").score(case).value == pytest.approx(log_rss + 2 * fit.freedom / 50)
    assert criteria.get("bic").score(case).value == pytest.approx(
        log_rss + np.log(50) * fit.freedom / 50
    )
    left = 1 - fit.freedom / 50
    assert criteria.get("gcv").score(case).value == pytest.approx(fit.mean_square / left**2)
    rough = Case(
        GramView(K), y, y, y, learner="ridge", task="regression", extra={"ridge": spectrum.at(1e-9)}
    )
    with pytest.raises(criteria.NotForThis, match="degrees of freedom"):
        criteria.get("aic").score(rough)


def test_cross_validation_agrees_with_a_grid_search():
    X, y, _ = sample(60)
    params = {"alpha": [0.01, 0.1, 1.0], "gamma": [0.1, 1.0]}
    fast = KernelSearch(
        KernelRidge(fit_intercept=True),
        kernels="rbf",
        param_grid=params,
        criterion="cv",
        cv=KFold(4),
    ).fit(X, y)
    slow = GridSearchCV(KernelRidge(kernel="rbf", fit_intercept=True), params, cv=KFold(4)).fit(
        X, y
    )
    assert fast.best_score_ == pytest.approx(slow.best_score_, abs=1e-8)
    assert fast.best_params_["alpha"] == slow.best_params_["alpha"]


OBJECTIVES = {
    "radius-margin": (gradient.radius_margin, True),
    "leave-one-out": (gradient.ridge_leave_one_out, False),
    "marginal-likelihood": (gradient.ridge_marginal_likelihood, False),
}


@pytest.mark.parametrize("name", OBJECTIVES)
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("kernel", [Gaussian(1.0), Matern(1.0)], ids=str)
def test_gradients_against_differences(name, intercept, kernel):
    X, y, _ = sample(35)
    maker, labels = OBJECTIVES[name]
    if labels:
        objective = maker(np.where(y > 0, 1.0, -1.0), intercept, tol=1e-10)
    else:
        objective = maker(y, intercept)
    for theta in (np.array([0.2, 0.4]), np.array([0.1, 0.5, 0.9, -0.5])):
        _, found = gradient.value_and_gradient(objective, X, kernel, theta)
        numeric = []
        for unit in 1e-4 * np.eye(len(theta)):
            above, _ = gradient.value_and_gradient(objective, X, kernel, theta + unit)
            below, _ = gradient.value_and_gradient(objective, X, kernel, theta - unit)
            numeric.append((above - below) / 2e-4)
        assert np.allclose(found, numeric, rtol=1e-5, atol=1e-6 * np.max(np.abs(numeric)))


@pytest.mark.parametrize("criterion", ["loo", "marginal-likelihood"])
def test_one_scale_per_column_switches_columns_off(criterion):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 4))
    y = np.sin(2 * X[:, 0]) + 0.1 * rng.normal(size=120)
    search = KernelSearch(KernelRidge(fit_intercept=True), kernels="ard", criterion=criterion)
    search.fit(X, y)
    scales = search.best_kernel_.length_scale
    assert scales.shape == (4,)
    assert scales[0] < 0.2 * scales[1:].min()
    plain = KernelSearch(KernelRidge(fit_intercept=True), criterion=criterion).fit(X, y)
    assert search.best_value_ < plain.best_value_


def test_the_gradient_ends_below_the_grid():
    X, y, _ = sample(60)
    labels = np.where(y > 0, 1, -1)
    search = KernelSearch(SVC(loss="squared_hinge", certify=None), criterion="radius-margin")
    search.fit(X, labels)
    coarse = search.results_["value"][:-1]
    assert search.best_value_ < coarse.min()
    assert search.best_index_ == len(coarse)


def test_gaussian_processes_compare_kernels_by_the_evidence():
    X, y, _ = sample(40, 1)
    search = KernelSearch(
        GaussianProcessRegressor.automatic(n_restarts_optimizer=0), kernels=["gaussian", "matern"]
    ).fit(X, y)
    assert search.criterion_ == "marginal-likelihood"
    best = search.best_estimator_.log_marginal_likelihood_value_
    assert search.best_value_ == pytest.approx(-best / 40, rel=1e-3)
    assert search.score(X, y) > 0.9
