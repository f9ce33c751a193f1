"""Gaussian-process classification of several classes at once: brute force, gradients, a chain."""

import numpy as np
import pytest
from scipy.special import log_softmax, softmax
from sklearn.datasets import load_iris

from learners.bayes.slice_sampler import elliptical_slice
from mercer.kernels import Gaussian
from mercer.kernels.theta import Theta
from mercer.learners.bayes import GaussianProcessClassifier
from mercer.learners.bayes.gp._softmax import average_softmax
from mercer.learners.bayes.gp._softmax_laplace import SoftmaxEvidence


def three_classes(n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, np.digitize(X[:, 0] + 0.3 * rng.normal(size=n), [-0.5, 0.5])


def evidence_of(X, codes, slope=1.0, weight=None, dtype=np.float64):
    theta = Theta(2.0 * Gaussian(np.array([1.0, 2.0])), X)
    weight = np.ones(len(X)) if weight is None else weight
    return SoftmaxEvidence(X, codes, 3, weight, theta, slope, dtype=dtype)


@pytest.mark.parametrize("slope", [1.0, 1.4])
def test_gradient_against_finite_differences(slope):
    X, codes = three_classes(30)
    evidence = evidence_of(X, codes, slope, np.linspace(0.5, 2.0, 30))
    p = evidence.theta.start() + 0.2
    _, gradient = evidence(p)
    for i, step in enumerate(1e-3 * np.eye(len(p))):
        rise = (evidence(p + step)[0] - evidence(p - step)[0]) / 2e-3
        assert gradient[i] == pytest.approx(rise, rel=1e-5, abs=2e-5)


def test_evidence_and_covariance_against_the_matrices_of_all_classes():
    n, slope, weight = 25, 1.3, np.linspace(0.5, 2.0, 25)
    X, codes = three_classes(n)
    evidence = evidence_of(X, codes, slope, weight)
    kernel = evidence.theta.kernel
    evidence.fill(kernel)
    a, t = evidence.mode()
    p = softmax(slope * t, axis=1)
    np.testing.assert_allclose(a, slope * weight[:, None] * (np.eye(3)[codes] - p), atol=1e-6)
    K = np.kron(np.eye(3), kernel(X))
    W = np.zeros((3 * n, 3 * n))
    for i in range(n):
        here = i + n * np.arange(3)
        W[np.ix_(here, here)] = slope**2 * weight[i] * (np.diag(p[i]) - np.outer(p[i], p[i]))
    flat = t.T.ravel()
    likelihood = weight @ log_softmax(slope * t, axis=1)[np.arange(n), codes]
    fit = likelihood - 0.5 * flat @ np.linalg.solve(K + 1e-12 * np.eye(3 * n), flat)
    exact = fit - 0.5 * np.linalg.slogdet(np.eye(3 * n) + K @ W)[1]
    assert evidence.value(a, t) == pytest.approx(exact, abs=1e-5)
    posterior = K - K @ np.linalg.solve(np.eye(3 * n) + W @ K, W @ K)
    found = evidence.latent_covariance(kernel(X), np.diagonal(kernel(X)))
    for i in (0, 7, 24):
        here = i + n * np.arange(3)
        np.testing.assert_allclose(found[i], posterior[np.ix_(here, here)], atol=1e-10)


def test_average_against_many_draws():
    rng = np.random.default_rng(0)
    mean, root = rng.normal(size=(4, 3)), rng.normal(size=(4, 3, 3))
    covariance = root @ root.transpose(0, 2, 1)
    found = average_softmax(mean, covariance, 1.2)
    for i in range(4):
        draws = mean[i] + rng.normal(size=(200_000, 3)) @ root[i].T
        np.testing.assert_allclose(found[i], softmax(1.2 * draws, axis=1).mean(axis=0), atol=4e-3)


def test_probabilities_against_a_long_chain():
    X, codes = three_classes(25)
    kernel = 2.0 * Gaussian(1.5)
    model = GaussianProcessClassifier.automatic(kernel, multi_class="softmax", optimizer=None).fit(
        X, codes
    )
    rng = np.random.default_rng(0)
    lower = np.linalg.cholesky(kernel(X) + 1e-9 * np.eye(25))

    def log_likelihood(t):
        return float(log_softmax(t.reshape(25, 3), axis=1)[np.arange(25), codes].sum())

    def prior():
        return (lower @ rng.normal(size=(25, 3))).ravel()

    draws = elliptical_slice(np.zeros(75), log_likelihood, prior, rng, 4000, 300)
    exact = softmax(draws.reshape(-1, 25, 3), axis=2).mean(axis=0)
    assert np.abs(model.predict_proba(X) - exact).max() < 0.04  # Laplace's own error


def test_three_kinds_of_iris():
    X, y = load_iris(return_X_y=True)
    model = GaussianProcessClassifier.automatic(multi_class="softmax").fit(X[::2], y[::2])
    assert model.score(X[1::2], y[1::2]) > 0.93
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    mean, variance = model.latent_mean_and_variance(X[:5])
    assert mean.shape == variance.shape == (5, 3)
    value, gradient = model.log_marginal_likelihood(model.theta_, eval_gradient=True)
    assert value == pytest.approx(model.log_marginal_likelihood_value_, abs=1e-4)
    assert np.abs(gradient).max() < 0.05
    before = model.predict_proba(X[:3])
    model.log_marginal_likelihood(model.theta_ + 1.0)
    np.testing.assert_array_equal(model.predict_proba(X[:3]), before)
    assert model.evidence_.errors == np.count_nonzero(model.predict(X[::2]) != y[::2])
    assert model.evidence_.choices


def test_single_precision_and_precomputed_values():
    X, codes = three_classes(60)
    settings = {"multi_class": "softmax", "optimizer": None}
    model = GaussianProcessClassifier.automatic(Gaussian(1.0), **settings).fit(X, codes)
    single = GaussianProcessClassifier.automatic(Gaussian(1.0), dtype="float32", **settings).fit(
        X, codes
    )
    np.testing.assert_allclose(single.predict_proba(X), model.predict_proba(X), atol=1e-4)
    given = GaussianProcessClassifier.automatic("precomputed", **settings).fit(
        Gaussian(1.0)(X), codes
    )
    agree = given.predict(Gaussian(1.0)(X)) == model.predict(X)
    assert agree.mean() > 0.95  # means instead of averages


def test_what_does_not_go_together_is_said():
    X, codes = three_classes(30)
    with pytest.raises(ValueError, match="one_vs_rest"):
        GaussianProcessClassifier.automatic(multi_class="softmax", link="probit").fit(X, codes)


def test_two_classes_are_the_two_class_machine():
    X, codes = three_classes(30)
    plain = GaussianProcessClassifier.automatic(Gaussian(1.0)).fit(X, codes > 0)
    same = GaussianProcessClassifier.automatic(Gaussian(1.0), multi_class="softmax").fit(
        X, codes > 0
    )
    np.testing.assert_array_equal(plain.predict_proba(X), same.predict_proba(X))


def test_weights_are_repetitions():
    X, codes = three_classes(30)
    weight = np.random.default_rng(1).integers(0, 4, 30)
    settings = {"multi_class": "softmax", "optimizer": None}
    once = GaussianProcessClassifier.automatic(Gaussian(1.0), **settings).fit(X, codes, weight)
    rows = np.repeat(np.arange(30), weight)
    again = GaussianProcessClassifier.automatic(Gaussian(1.0), **settings).fit(X[rows], codes[rows])
    assert once.log_marginal_likelihood() == pytest.approx(again.log_marginal_likelihood())
    np.testing.assert_allclose(once.predict_proba(X), again.predict_proba(X), atol=1e-6)
