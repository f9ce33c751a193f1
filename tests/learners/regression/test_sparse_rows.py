"""Linear regressions on sparse rows, with weights and several targets, against dense rows."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.linear_model import Lasso, LinearRegression, MultiTaskLasso, Ridge

from mercer.learners.regression import (
    LassoRegression,
    LeastSquares,
    PolynomialRegression,
    RidgeRegression,
    _centred,
)

RNG = np.random.default_rng(0)
TALL = RNG.normal(size=(60, 8)) * (RNG.random((60, 8)) < 0.4) + 0.0
WIDE = RNG.normal(size=(25, 40)) * (RNG.random((25, 40)) < 0.3)
WEIGHT = RNG.integers(0, 4, size=60).astype(float)


def targets(X, several):
    one = X @ RNG.normal(size=X.shape[1]) + 3.0 + 0.1 * RNG.normal(size=len(X))
    return np.column_stack([one, one[::-1]]) if several else one


@pytest.fixture(params=[(_centred.DENSE, 4000), (0, 4000), (0, 0)], ids=["few", "direct", "steps"])
def way(request, monkeypatch):
    monkeypatch.setattr(_centred, "DENSE", request.param[0])
    monkeypatch.setattr(_centred, "DIRECT", request.param[1])
    return request.param


@pytest.mark.parametrize(
    "model",
    [
        RidgeRegression(0.3),
        RidgeRegression(0.3, solver="dual"),
        RidgeRegression(2.0, fit_intercept=False),
        LeastSquares(),
        LeastSquares(fit_intercept=False),
        PolynomialRegression(2, alpha=0.1),
        PolynomialRegression(3, alpha=1.0),
        LassoRegression(0.05),
    ],
    ids=str,
)
@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("X", [TALL, WIDE], ids=["tall", "wide"])
def test_sparse_rows_give_what_dense_ones_give(model, several, X, way):
    if isinstance(model, PolynomialRegression) and X is WIDE:
        X = X[:, :6]
    y, weight = targets(X, several), WEIGHT[: len(X)]
    dense = model.fit(X, y, weight)
    expected, coef = dense.predict(X), dense.coef_
    evidence = dense.evidence_
    for rows in (sparse.csr_array(X), sparse.csc_matrix(X)):
        thin = model.fit(rows, y, weight)
        size = float(np.ptp(expected))
        limit = 1e-4 if isinstance(model, LassoRegression) else 1e-7
        assert_allclose(thin.predict(X), expected, atol=limit * size)
        assert_allclose(thin.predict(rows), expected, atol=limit * size)
        assert_allclose(thin.coef_, coef, atol=limit * 10 * np.abs(coef).max())
        assert thin.evidence_.risks["squared"] == pytest.approx(
            evidence.risks["squared"], abs=1e-3 * size**2 * limit**0.5
        )
        if evidence.loo and way[1]:
            assert thin.evidence_.loo["exact"] == pytest.approx(evidence.loo["exact"], rel=1e-5)


def test_scikit_learn_on_sparse_rows():
    thin, y = sparse.csr_array(TALL), targets(TALL, False)
    theirs = Ridge(0.7).fit(thin, y, WEIGHT)
    assert_allclose(RidgeRegression(0.7).fit(thin, y, WEIGHT).coef_, theirs.coef_, rtol=1e-4)
    theirs = LinearRegression().fit(TALL, y, WEIGHT)
    assert_allclose(LeastSquares().fit(thin, y, WEIGHT).coef_, theirs.coef_, rtol=1e-8)
    theirs = Lasso(0.05, tol=1e-9).fit(thin, y)
    assert_allclose(LassoRegression(0.05, tol=1e-9).fit(thin, y).coef_, theirs.coef_, atol=1e-7)


def test_weights_of_several_targets_are_copies():
    Y, rows = targets(TALL, True), np.repeat(np.arange(60), WEIGHT.astype(int))
    heavy = LassoRegression(0.05, tol=1e-10).fit(TALL, Y, WEIGHT)
    copied = LassoRegression(0.05, tol=1e-10).fit(TALL[rows], Y[rows])
    assert_allclose(heavy.coef_, copied.coef_, atol=1e-6)
    assert_allclose(heavy.intercept_, copied.intercept_, atol=1e-6)
    theirs = MultiTaskLasso(0.05, tol=1e-10).fit(TALL[rows], Y[rows])
    assert_allclose(heavy.coef_, theirs.coef_, atol=1e-6)


def test_many_sparse_columns_and_rows():
    rng = np.random.default_rng(1)
    X = sparse.random_array((300, 50_000), density=0.001, rng=rng, format="csr")
    w = np.zeros(50_000)
    w[:2000] = 1.0
    y = X @ w
    model = RidgeRegression(1e-3).fit(X, y)
    assert model.coef_.shape == (50_000,)
    assert_allclose(model.predict(X), y, atol=0.05)
    assert model.solver_ == "dual"


def test_warm_starts_go_on_from_the_weights_there_are():
    y = targets(TALL, False)
    model = LassoRegression(0.01, tol=1e-9, warm_start=True).fit(TALL, y)
    first, coef = model.n_iter_, model.coef_
    again = model.fit(TALL, y)
    assert again.n_iter_ < first
    assert_allclose(again.coef_, coef, atol=1e-6)
    both = np.column_stack([y, -y])
    fresh = LassoRegression(0.01, tol=1e-9).fit(TALL, both)
    assert_allclose(model.fit(TALL, both).coef_, fresh.coef_, atol=1e-6)


def test_positive_weights_are_scikit_learns():
    y = targets(TALL, False)
    theirs = Lasso(0.01, positive=True, tol=1e-9).fit(TALL, y)
    ours = LassoRegression(0.01, positive=True, tol=1e-9).fit(sparse.csr_array(TALL), y)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-7)
    assert ours.coef_.min() >= 0
    with pytest.raises(ValueError, match="one target only"):
        LassoRegression(positive=True).fit(TALL, targets(TALL, True))
