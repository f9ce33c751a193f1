"""Least squares, ridge in both forms, polynomials, lasso and rates."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso, LinearRegression, Ridge

from mercer import KernelRidge, certified_fit
from mercer.learners.regression import (
    LassoRegression,
    LeastSquares,
    PolynomialRegression,
    RidgeRegression,
    ridge_penalty,
    ridge_rate,
    source_condition_experiment,
)


def draw(n=40, d=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + 1.0
    return X, X @ np.arange(1.0, d + 1) + rng.normal(size=n)


@given(st.integers(0, 10**6), st.integers(3, 12), st.integers(1, 12), st.floats(1e-3, 1e3))
@settings(max_examples=25)
def test_all_forms_of_ridge_agree(seed, n, d, alpha):
    """d × d, n × n, (Ĉ + λI)⁻¹û with λ = α/n, the dual sum, and kernel ridge."""
    X, y = draw(n, d, seed)
    primal = RidgeRegression(alpha, solver="primal", fit_intercept=False).fit(X, y)
    dual = RidgeRegression(alpha, solver="dual", fit_intercept=False).fit(X, y)
    moment = np.linalg.solve(X.T @ X / n + alpha / n * np.eye(d), X.T @ y / n)
    assert_allclose(primal.coef_, moment, rtol=1e-6, atol=1e-8)
    assert_allclose(dual.coef_, moment, rtol=1e-6, atol=1e-8)
    assert_allclose(dual.dual_coef_[:, 0] @ X, moment, rtol=1e-6, atol=1e-8)
    kernel = KernelRidge(alpha).fit(X, y)
    assert_allclose(kernel.predict(X), X @ moment, rtol=1e-6, atol=1e-6)


def test_the_smaller_form_is_chosen():
    assert RidgeRegression().fit(*draw(40, 4)).solver_ == "primal"
    assert RidgeRegression().fit(*draw(4, 40)).solver_ == "dual"


@pytest.mark.parametrize("weighted", [False, True])
def test_as_in_scikit_learn(weighted):
    X, y = draw()
    weight = np.random.default_rng(1).uniform(0.1, 3, len(y)) if weighted else None
    pairs = [
        (RidgeRegression(2.0), Ridge(2.0)),
        (RidgeRegression(2.0, solver="dual"), Ridge(2.0)),
        (LeastSquares(), LinearRegression()),
        (LassoRegression(0.3), Lasso(0.3, tol=1e-8)),
    ]
    for ours, theirs in pairs:
        assert_allclose(ours.fit(X, y, weight).coef_, theirs.fit(X, y, weight).coef_, atol=1e-4)
        assert ours.intercept_ == pytest.approx(theirs.intercept_, abs=1e-3)


@pytest.mark.parametrize(
    "model", [RidgeRegression(0.7), RidgeRegression(0.7, fit_intercept=False), LeastSquares()]
)
def test_leaving_one_out_is_refitting(model):
    X, y = draw(15)
    weight = np.linspace(0.5, 2, 15)
    truth = []
    for i in range(15):
        rest = np.arange(15) != i
        part = clone(model).fit(X[rest], y[rest], weight[rest])
        truth.append(y[i] - part.predict(X[i : i + 1])[0])
    model.fit(X, y, weight)
    assert_allclose(model.loo_residuals_, truth, atol=1e-9)
    assert model.evidence_.loo["exact"] == pytest.approx(
        np.average(np.square(truth), weights=weight)
    )


def test_the_limit_of_vanishing_penalties_has_the_least_norm():
    X, y = draw(5, 12)
    limit = RidgeRegression(0.0, fit_intercept=False).fit(X, y).coef_
    assert_allclose(limit, np.linalg.pinv(X) @ y)
    assert_allclose(RidgeRegression(1e-9, fit_intercept=False).fit(X, y).coef_, limit, atol=1e-6)


def test_polynomials_recover_polynomials():
    x = np.linspace(-30, 50, 40)
    y = 3 - x + 0.5 * x**2 - 0.01 * x**5
    model = PolynomialRegression(5).fit(x[:, None], y)
    assert_allclose(model.predict(x[:, None]), y, rtol=1e-6, atol=1e-3)
    assert_allclose(model.coef_ / model.scale_, [-1, 0.5, 0, 0, -0.01], atol=1e-6)
    assert len(PolynomialRegression(2).fit(*draw()).powers_) == 14


def test_several_targets_and_the_lasso_has_zeros():
    X, y = draw()
    Y = np.column_stack([y, -2 * y])
    for model in (RidgeRegression(), LeastSquares(), PolynomialRegression(), LassoRegression(1.0)):
        assert model.fit(X, Y).predict(X).shape == Y.shape
        assert_allclose(model.predict(X)[:, 1], -2 * model.predict(X)[:, 0], atol=2.0)
    sparse = LassoRegression(2.5).fit(X, y)
    assert 0 < np.count_nonzero(sparse.coef_) < 4
    assert sparse.dual_gap_ < 1e-3
    with pytest.raises(AttributeError, match="no closed form"):
        _ = sparse.loo_residuals_
    assert sparse.evidence_.loo == {}


def test_rates():
    assert ridge_rate(1.0) == ridge_rate(5.0) == 0.5
    assert ridge_rate(0.5) == pytest.approx(1 / 3)
    assert ridge_penalty(10_000, 1.0) == pytest.approx(0.1)
    assert ridge_penalty(10_000, 1.0, rho=4.0) == pytest.approx(0.05)
    with pytest.raises(ValueError, match="gamma"):
        ridge_rate(0.0)
    small = source_condition_experiment((100, 400, 1600), columns=50, repeats=4)
    assert np.all(np.diff(small.errors) < 0)
    # the bound may be beaten, not missed; 0.1 is for the noise of four draws
    assert small.fitted >= small.predicted - 0.1


def test_certificates_and_mistakes():
    X, y = draw(300)
    model = certified_fit(RidgeRegression(), X, y, mode="holdout", tolerance=3.0)
    assert model.certificate_.value < 0.1
    with pytest.raises(ValueError, match="'alpha' parameter of RidgeRegression"):
        RidgeRegression(-1.0).fit(X, y)
    with pytest.raises(ValueError, match="'solver' parameter"):
        RidgeRegression(solver="svd").fit(X, y)
    interpolating = LeastSquares().fit(X[:5], y[:5])
    assert np.isinf(interpolating.loo_residuals_).all()
    assert interpolating.evidence_.loo == {}


@pytest.mark.parametrize("targets", [1, 2])
def test_lasso_in_stretches_is_lasso_at_once_and_stops_when_told(targets):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 40)) + 3.0 * rng.normal(size=(200, 1))  # columns that are alike
    Y = X[:, :targets] + rng.normal(size=(200, targets))
    y = Y[:, 0] if targets == 1 else Y
    at_once = LassoRegression(1e-3).fit(X, y)
    assert at_once.n_iter_ > 200
    watched = LassoRegression(1e-3, time_limit=60.0).fit(X, y)
    assert abs(watched.n_iter_ - at_once.n_iter_) <= 100  # looks are taken at other moments
    assert_allclose(watched.coef_, at_once.coef_, atol=1e-4)
    with pytest.warns(ConvergenceWarning, match="100 sweeps.*Raise time_limit"):
        stopped = LassoRegression(1e-3, time_limit=1e-9).fit(X, y)
    assert stopped.n_iter_ == 100
    assert stopped.dual_gap_ > watched.dual_gap_
    with pytest.warns(ConvergenceWarning, match="150 sweeps.*Raise max_iter"):
        LassoRegression(1e-3, time_limit=60.0, max_iter=150).fit(X, y)
