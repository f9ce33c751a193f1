"""Linear regressions without negative weights, against scikit-learn's and the conditions."""

import time

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.optimize import nnls
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LinearRegression, Ridge

from mercer.learners.regression import LeastSquares, RidgeRegression

X, Y = load_diabetes(return_X_y=True)
TWO = np.column_stack([Y, -Y])
WEIGHT = np.random.default_rng(0).uniform(0.5, 2.0, len(Y))


@pytest.mark.parametrize("target", [Y, TWO])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_as_scikit_learn(target, fit_intercept):
    ours = LeastSquares(positive=True, fit_intercept=fit_intercept).fit(X, target, WEIGHT)
    theirs = LinearRegression(positive=True, fit_intercept=fit_intercept).fit(X, target, WEIGHT)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-8)
    assert_allclose(ours.intercept_, theirs.intercept_)
    assert ours.coef_.min() == 0.0
    ours = RidgeRegression(0.1, positive=True, fit_intercept=fit_intercept).fit(X, target)
    theirs = Ridge(0.1, positive=True, fit_intercept=fit_intercept, tol=1e-12).fit(X, target)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-3, atol=1e-2)


def test_conditions_of_the_optimum():
    model = RidgeRegression(0.3, positive=True).fit(X, Y)
    gradient = X.T @ (Y - model.predict(X)) - 0.3 * model.coef_
    free = model.coef_ > 0
    assert_allclose(gradient[free], 0.0, atol=1e-9)
    assert np.all(gradient[~free] <= 1e-9)


def test_what_has_no_closed_form_is_not_claimed():
    model = LeastSquares(positive=True).fit(X, Y)
    with pytest.raises(AttributeError, match="leaving one out"):
        _ = model.loo_residuals_
    same = LeastSquares(positive=True).fit(sparse.csr_matrix(X), Y)
    assert_allclose(same.coef_, model.coef_)


@pytest.mark.parametrize("seed", range(12))
def test_more_columns_than_rows_are_solved_through_the_rows(seed):
    """Against the active sets of SciPy on the rows with the penalty below them."""
    draw = np.random.default_rng(seed)
    A, b = draw.normal(size=(8, 60)), draw.normal(size=8)
    if seed % 3 == 0:  # equal columns, and some that are far from the others' size
        A[:, 1], A[:, 2] = A[:, 0], 1e3 * A[:, 2]
    alpha = 10.0 ** (seed % 4 - 2)
    ours = RidgeRegression(alpha, positive=True, fit_intercept=False).fit(A, b).coef_
    rows = np.vstack([A, np.sqrt(alpha) * np.eye(60)])
    slow = nnls(rows, np.append(b, np.zeros(60)))[0]
    assert_allclose(ours, slow, atol=1e-9)
    assert (ours == 0).any()


def test_many_columns_take_the_time_of_few_rows():
    draw = np.random.default_rng(0)
    A, b = draw.normal(size=(6, 5000)), draw.normal(size=6)
    begun = time.process_time()
    model = RidgeRegression(positive=True).fit(A, b)
    assert time.process_time() - begun < 5  # half a minute and more by active sets
    off = A - A.mean(axis=0)
    slope = off.T @ (off @ model.coef_ - (b - b.mean())) + model.coef_
    assert np.all(slope > -1e-8)
    assert_allclose(slope[model.coef_ > 0], 0.0, atol=1e-8)
