"""Weights: repetitions where rows multiply the likelihood, precisions under Gaussian noise."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.datasets import load_diabetes

import mercer
from mercer.kernels import Gaussian


@pytest.mark.parametrize(
    "estimator",
    [
        mercer.GaussianProcessClassifier.automatic(Gaussian(1.0), optimizer=None),
        mercer.RelevanceVectorClassifier(
            basis=lambda X: Gaussian(1.0)(X, np.linspace(-2, 2, 8)[:, None] * np.ones(2))
        ),
    ],
    ids=lambda e: type(e).__name__,
)
def test_weights_are_repetitions(estimator):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    y = np.sin(2 * X[:, 0]) + 0.1 * rng.normal(size=30)
    if "Classifier" in type(estimator).__name__:
        y = (y > 0).astype(int)
    weight = rng.integers(0, 4, 30)
    once = estimator.fit(X, y, sample_weight=weight)
    query = rng.normal(size=(20, 2))

    def answers(model):
        method = getattr(model, "predict_proba", None)
        return model.predict(query, return_std=True) if method is None else method(query)

    weighted = np.asarray(answers(once))
    likelihood = once.log_marginal_likelihood_value_
    again = estimator.fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(weighted, np.asarray(answers(again)), rtol=1e-3, atol=1e-4)
    repeated = again.log_marginal_likelihood_value_
    assert likelihood == pytest.approx(repeated, rel=1e-5)


def noisy(n=40, seed=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    weight = rng.uniform(0.2, 4.0, n)
    y = np.sin(2 * X[:, 0]) + 0.3 * rng.normal(size=n) / np.sqrt(weight)
    return X, y, weight, rng.normal(size=(7, 2))


def dense_twin(X, y, variances, query, kernel):
    """Mean, latent variance and log density of a process with a noise variance per row."""
    C = kernel(X) + np.diag(variances)
    K = kernel(query, X)
    mean = K @ np.linalg.solve(C, y)
    variance = np.diag(kernel(query) - K @ np.linalg.solve(C, K.T))
    return mean, variance, multivariate_normal(np.zeros(len(y)), C).logpdf(y)


@pytest.mark.parametrize("alpha", [0.0, 0.05])
def test_a_weight_is_the_precision_of_a_target(alpha):
    X, y, weight, query = noisy()
    model = mercer.GaussianProcessRegressor.automatic(
        Gaussian(1.0), alpha=alpha, noise=0.2, optimizer=None, normalize_y=False
    ).fit(X, y, sample_weight=weight)
    mean, std = model.predict(query, return_std=True, latent=True)
    twin = dense_twin(X, y, (alpha + 0.2) / weight, query, Gaussian(1.0))
    np.testing.assert_allclose(mean, twin[0], atol=1e-9)
    np.testing.assert_allclose(std**2, twin[1], atol=1e-9)
    assert model.log_marginal_likelihood_value_ == pytest.approx(twin[2], abs=1e-8)


def test_the_sparse_process_means_the_same_by_a_weight():
    X, y, weight, query = noisy()
    model = mercer.SparseGaussianProcessRegressor(
        Gaussian(1.0), inducing=X, refine=0, normalize_y=False, n_restarts_optimizer=0
    ).fit(X, y, sample_weight=weight)
    twin = dense_twin(X, y, model.noise_ / weight, query, model.kernel_)
    mean, std = model.predict(query, return_std=True, latent=True)
    np.testing.assert_allclose(mean, twin[0], atol=1e-4)
    np.testing.assert_allclose(std**2, twin[1], atol=1e-4)
    assert model.elbo_ == pytest.approx(twin[2], abs=1e-2)
    assert model.elbo_ <= twin[2]


@pytest.mark.parametrize("factor", [2.0, 0.5])
@pytest.mark.parametrize(
    "estimator",
    [
        mercer.GaussianProcessRegressor.automatic(noise="learn", n_restarts_optimizer=0),
        mercer.SparseGaussianProcessRegressor(n_restarts_optimizer=0, n_inducing=60, refine=3),
    ],
    ids=lambda e: type(e).__name__,
)
def test_the_unit_of_weights_does_not_matter(estimator, factor):
    X, y = load_diabetes(return_X_y=True)
    train, test = slice(0, 120), slice(120, None)
    plain = estimator.fit(X[train], y[train])
    score, noise = plain.score(X[test], y[test]), plain.noise_
    scaled = estimator.fit(X[train], y[train], sample_weight=np.full(120, factor))
    assert scaled.score(X[test], y[test]) == pytest.approx(score, abs=0.01)
    assert scaled.noise_ == pytest.approx(factor * noise, rel=0.05)
    mixed = estimator.fit(X[train], y[train], sample_weight=np.arange(120) % 3 + 1)
    assert mixed.score(X[test], y[test]) > 0.35


def test_a_weight_is_a_precision_for_relevance_vectors_too():
    X, y, weight, query = noisy()
    places = np.linspace(-2, 2, 8)[:, None] * np.ones(2)

    def features(X):
        return Gaussian(1.0)(X, places)

    for solver in ("auto", "sequential", "text"):
        model = mercer.RelevanceVectorRegressor(basis=features, solver=solver)
        model.fit(X, y, sample_weight=weight)
        theta = model.prior_variances_[0]

        def kernel(A, B=None, theta=theta):
            left, right = features(A), features(A if B is None else B)
            return (left * theta[:-1]) @ right.T + theta[-1]

        mean, variance, log = dense_twin(X, y, model.noise_ / weight, query, kernel)
        found, std = model.predict(query, return_std=True)
        np.testing.assert_allclose(found, mean, atol=1e-6)
        np.testing.assert_allclose(std**2, variance + model.noise_, atol=1e-6)
        assert model.log_marginal_likelihood_value_ == pytest.approx(log, abs=1e-5)
        noise = model.noise_
        doubled = model.fit(X, y, sample_weight=2.0 * weight)
        np.testing.assert_allclose(doubled.predict(query), found, atol=2e-3)
        assert doubled.noise_ == pytest.approx(2.0 * noise, rel=0.02)
