"""Gaussian processes without an n x n array, beside those with a factor."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mercer
from mercer._config import MemoryLimitError
from mercer.gram import NotPositiveDefiniteError
from mercer.kernels import Gaussian, Matern, White
from mercer.learners.bayes import GaussianProcessRegressor
from mercer.learners.bayes.gp import _by_products


def _surface(n, seed=0, noise=0.1):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, size=(n, 3))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + noise * rng.normal(size=n)


X, Y = _surface(350)
NEW, NEW_Y = _surface(40, seed=1)
WEIGHT = np.linspace(0.5, 2.0, len(X))


def _pair(kernel, y=Y, weight=None, **options):
    made = [
        GaussianProcessRegressor(kernel, optimizer=None, solver=solver, **options)
        for solver in ("cholesky", "cg")
    ]
    return [model.fit(X, y, sample_weight=weight) for model in made]


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["even", "weighted"])
@pytest.mark.parametrize("targets", [1, 2])
@pytest.mark.parametrize("kernel", [3.0 * Gaussian(1.2), Matern([1.0, 2.0, 2.0], 1.5)], ids=str)
def test_the_same_process(kernel, targets, weight):
    y = np.column_stack([Y, Y**2])[:, :targets]
    y = y[:, 0] if targets == 1 else y
    dense, free = _pair(kernel, y, weight, noise=0.02, normalize_y=True)
    assert (dense.solver_, free.solver_) == ("cholesky", "cg")
    assert_allclose(free.alpha_, dense.alpha_, rtol=1e-6, atol=1e-8)
    mean, std = dense.predict(NEW, return_std=True)
    found, bars = free.predict(NEW, return_std=True)
    assert_allclose(found, mean, atol=1e-8)
    assert_allclose(bars, std, rtol=1e-3)
    assert np.all(bars >= std * (1 - 1e-9))
    covariance = free.predict(NEW, return_cov=True)[1]
    assert_allclose(covariance, dense.predict(NEW, return_cov=True)[1], atol=1e-8)
    assert_allclose(covariance, np.swapaxes(covariance, 0, 1), atol=1e-14)
    error = free.log_marginal_likelihood_error_
    assert 0 < error < 0.05 * len(X) * targets  # nats per row
    assert dense.log_marginal_likelihood_error_ == 0.0
    miss = free.log_marginal_likelihood_value_ - dense.log_marginal_likelihood_value_
    assert abs(miss) <= 1.5 * error  # the error is that of a 95 % interval
    assert free.log_marginal_likelihood(free.theta_) == free.log_marginal_likelihood_value_


def test_hyper_parameters_come_from_a_part(monkeypatch):
    monkeypatch.setattr(_by_products, "SEARCHED", 200)
    model = GaussianProcessRegressor.automatic(solver="cg").fit(X, Y)
    assert model.n_searched_ == 200
    whole = GaussianProcessRegressor.automatic().fit(X, Y)
    assert_allclose(model.predict(NEW), whole.predict(NEW), atol=0.1)
    assert np.sqrt(np.mean((model.predict(NEW) - NEW_Y) ** 2)) < 0.2
    assert "largest evidence" in str(model.evidence_.choices)
    assert model.evidence_.loo == {}


def test_auto_is_by_products_where_matrices_do_not_fit():
    wide, wide_y = _surface(700)
    with mercer.config(memory_limit="9MB"):  # 4.2 matrices take 16 MB
        model = GaussianProcessRegressor.automatic().fit(wide, wide_y)
        assert model.solver_ == "cg"
        assert model.n_searched_ < 300
        model.predict(NEW, return_std=True)
        with pytest.raises(MemoryLimitError):
            GaussianProcessRegressor("auto").fit(wide, wide_y)  # without noise nothing else helps
        with pytest.raises(MemoryLimitError):
            GaussianProcessRegressor.automatic(solver="cholesky").fit(wide, wide_y)
        with pytest.raises(MemoryLimitError):
            GaussianProcessRegressor.automatic(Gaussian(1.0) + White(0.1)).fit(wide, wide_y)
    assert GaussianProcessRegressor.automatic().fit(wide[:50], wide_y[:50]).solver_ == "cholesky"


def test_more_rows_are_solved_again():
    first, later = slice(0, 200), slice(200, None)
    model = GaussianProcessRegressor(Gaussian(1.2), noise=0.02, optimizer=None, solver="cg")
    model.fit(X[first], Y[first]).partial_fit(X[later], Y[later])
    whole = _pair(Gaussian(1.2), noise=0.02)[0]
    assert_allclose(model.predict(NEW), whole.predict(NEW), atol=1e-8)


def test_saved_and_loaded(tmp_path):
    model = _pair(Gaussian(1.2), noise=0.02)[1]
    mercer.save(model, tmp_path / "process.mercer")
    again = mercer.load(tmp_path / "process.mercer")
    for one, other in zip(
        model.predict(NEW, return_std=True), again.predict(NEW, return_std=True), strict=True
    ):
        assert_allclose(one, other, rtol=1e-10)
    assert again.log_marginal_likelihood_error_ == model.log_marginal_likelihood_error_


def test_what_products_cannot_answer():
    model = _pair(Gaussian(1.2), noise=0.02)[1]
    with pytest.raises(AttributeError, match="inverse"):
        model.leave_one_out()
    with pytest.raises(AttributeError, match="Cholesky"):
        model.L_  # noqa: B018
    with pytest.raises(AttributeError, match="gradient"):
        model.log_marginal_likelihood(model.theta_, eval_gradient=True)
    with pytest.raises(ValueError, match="White"):
        GaussianProcessRegressor(Gaussian() + White(0.1), solver="cg").fit(X, Y)
    with pytest.raises(NotPositiveDefiniteError, match="noise"):
        GaussianProcessRegressor(Gaussian(), optimizer=None, alpha=0.0, solver="cg").fit(X, Y)
    with pytest.raises(ValueError, match="solver"):
        GaussianProcessRegressor(solver="lu").fit(X, Y)
