"""Draws of latent values: against integration, another sampler, and between seeds."""

import numpy as np
import pytest
from scipy.special import expit, log_expit, ndtr, softmax
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning

from learners.bayes.slice_sampler import elliptical_slice
from mercer.kernels import Gaussian
from mercer.learners.bayes import GaussianProcessClassifier
from mercer.learners.bayes.gp._chain_quality import effective_sample_size, r_hat
from mercer.learners.bayes.gp.links import Link

DRAWN = {"optimizer": None, "inference": "mcmc"}


@pytest.mark.parametrize(("link", "sigmoid"), [("logistic", expit), ("probit", ndtr)])
@pytest.mark.parametrize("variance", [1.0, 400.0])
def test_two_points_against_quadrature(link, sigmoid, variance):
    X, y = np.array([[0.0], [0.8]]), np.array([0, 1])
    kernel = variance * Gaussian(1.0)
    model = GaussianProcessClassifier(kernel, link=link, random_state=0, **DRAWN).fit(X, y)
    end = 6 * np.sqrt(variance)
    a, b = np.meshgrid(*[np.linspace(-end, end, 1501)] * 2, indexing="ij")
    t = np.stack([a, b])
    square = np.einsum("iab,ij,jab->ab", t, np.linalg.inv(kernel(X)), t)
    density = sigmoid(-a) * sigmoid(b) * np.exp(-0.5 * square)  # a rule of equal weights is exact

    def integral(values):
        return np.sum(values * density)

    total = integral(1.0)
    mean = integral(a) / total
    variance = integral(a**2) / total - mean**2
    latent = model.latent_mean_and_variance(X)
    assert latent[0][0] == pytest.approx(mean, abs=0.08 * np.sqrt(variance))
    assert latent[1][0] == pytest.approx(variance, rel=0.12)
    probability = integral(sigmoid(b)) / total
    assert model.predict_proba(X)[1, 1] == pytest.approx(probability, abs=0.01)


def test_softmax_against_weighted_draws_of_the_prior():
    X, y = np.array([[0.0], [0.6], [1.5]]), np.array([0, 1, 2])
    kernel = 9.0 * Gaussian(1.0)
    model = GaussianProcessClassifier(
        kernel, multi_class="softmax", n_samples=12_000, random_state=0, **DRAWN
    )
    model.fit(X, y, sample_weight=[1.0, 2.0, 1.0])
    rng = np.random.default_rng(0)
    prior = np.linalg.cholesky(kernel(X)) @ rng.standard_normal((400_000, 3, 3))
    p = softmax(prior, axis=2)
    weight = p[:, 0, 0] * p[:, 1, 1] ** 2 * p[:, 2, 2]
    weight /= weight.sum()
    np.testing.assert_allclose(model.predict_proba(X), np.tensordot(weight, p, 1), atol=0.012)
    mean = np.tensordot(weight, prior, 1)
    np.testing.assert_allclose(model.latent_mean_and_variance(X)[0], mean, atol=0.2)
    draws = model.sample_latents(2000, random_state=1)
    assert draws.shape == (2000, 3, 3)
    np.testing.assert_allclose(draws.mean(axis=0), mean, atol=0.2)
    assert model.r_hat_.shape == model.effective_sample_size_.shape == (3, 3)


def rows(n=40, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, size=(n, 2))
    y = np.where(np.sin(2 * X[:, 0]) + 0.5 * rng.normal(size=n) > 0, 1.0, -1.0)
    return X, y, rng


def test_against_a_long_chain_of_another_sampler():
    X, y, rng = rows()
    kernel = 2.0 * Gaussian(1.5)
    model = GaussianProcessClassifier(kernel, random_state=0, **DRAWN).fit(X, y)
    root = np.linalg.cholesky(kernel(X) + 1e-9 * np.eye(40))
    reference = elliptical_slice(
        np.zeros(40),
        lambda t: float(np.sum(log_expit(y * t))),
        lambda: root @ rng.standard_normal(40),
        rng,
        6000,
        300,
        thin=4,
    )
    mean, variance = model.latent_mean_and_variance(X)
    assert np.all(model.effective_sample_size_ > 1000)
    assert np.abs(reference.mean(axis=0) - mean).max() < 0.08
    np.testing.assert_allclose(variance, reference.var(axis=0), rtol=0.12)
    chance = model.predict_proba(X)[:, 1]
    np.testing.assert_allclose(chance, expit(reference).mean(axis=0), atol=0.012)
    laplace = GaussianProcessClassifier(kernel, optimizer=None).fit(X, y)
    assert np.abs(laplace.predict_proba(X)[:, 1] - chance).max() < 0.04  # Laplace's own error


def far_apart(n, seeds):
    """Largest difference of a row's probability between seeds; the labels are nearly certain."""
    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    kernel = 27_809.0 * Gaussian(6.0)
    answers = []
    for seed in seeds:
        model = GaussianProcessClassifier(kernel, random_state=seed, **DRAWN).fit(X[:n], y[:n])
        answers.append(model.predict_proba(X[n:])[:, 1])
        assert model.r_hat_.max() < 1.05
    return np.ptp(answers, axis=0).max()


def test_seeds_agree_where_walls_are_steep():
    assert far_apart(30, (0, 1)) < 0.05


@pytest.mark.slow
def test_four_seeds_agree_on_a_hundred_rows():
    assert far_apart(100, range(4)) < 0.06  # the range of four


def test_several_classes_against_the_rest():
    X, y, _ = rows(60)
    codes = np.where(X[:, 1] > 1, 2, (y > 0).astype(int))
    model = GaussianProcessClassifier(3.0 * Gaussian(1.0), random_state=0, **DRAWN).fit(X, codes)
    laplace = GaussianProcessClassifier(3.0 * Gaussian(1.0), optimizer=None).fit(X, codes)
    assert np.abs(model.predict_proba(X) - laplace.predict_proba(X)).max() < 0.08
    assert model.sample_latents(50, burn_in=20, random_state=0).shape == (50, 60, 3)
    alone = GaussianProcessClassifier(3.0 * Gaussian(1.0), random_state=1, **DRAWN)
    mean = alone.fit(X, codes == 2).latent_mean_and_variance(X)[0]
    np.testing.assert_allclose(model.latent_mean_and_variance(X)[0][:, 2], mean, atol=0.25)


def test_too_few_draws_are_told():
    X, y, _ = rows()
    few = GaussianProcessClassifier(Gaussian(1.0), n_samples=40, random_state=0, **DRAWN)
    with pytest.warns(ConvergenceWarning, match="effective_sample_size_ nan"):
        few.fit(X, y)
    short = few.set_params(n_samples=80, n_chains=1, burn_in=0)
    with pytest.warns(ConvergenceWarning, match="raise n_samples"):
        short.fit(X, y)


def autoregressive(correlation, shape, rng):
    x = rng.standard_normal(shape)
    for i in range(1, shape[1]):
        x[:, i] = correlation * x[:, i - 1] + np.sqrt(1 - correlation**2) * x[:, i]
    return x


@pytest.mark.parametrize("correlation", [0.0, 0.6, 0.9])
def test_effective_sample_size_of_known_chains(correlation):
    draws = autoregressive(correlation, (8, 2000, 5), np.random.default_rng(0))
    expected = 16_000 * (1 - correlation) / (1 + correlation)
    np.testing.assert_allclose(effective_sample_size(draws), expected, rtol=0.2)
    assert np.all(r_hat(draws) < 1.03)


def test_r_hat_sees_chains_that_disagree_and_chains_that_drift():
    draws = np.random.default_rng(0).standard_normal((4, 500, 2))
    apart = draws + np.arange(4)[:, None, None]
    drift = draws + np.linspace(-2, 2, 500)[:, None]
    assert np.all(r_hat(apart) > 1.2)
    assert np.all(r_hat(drift) > 1.2)
    assert np.all(effective_sample_size(apart) < 20)


@pytest.mark.parametrize("kind", ["logistic", "probit"])
@pytest.mark.parametrize("width", [0.0, 0.3, 3.0, 11.0, 40.0])
def test_the_average_over_means_is_the_mean_of_averages(kind, width):
    link, variance = Link(kind, 0.7), np.full(3, (width / 0.7) ** 2)
    means = np.linspace(-30, 30, 183).reshape(3, 61)
    one_by_one = [link.probability(row, np.full(61, variance[0])).mean() for row in means]
    np.testing.assert_allclose(link.mean_probability(means, variance), one_by_one, atol=3e-9)
    if width < 2:  # exact to rounding, in the tails too
        np.testing.assert_allclose(link.mean_probability(means, variance), one_by_one, rtol=1e-9)
