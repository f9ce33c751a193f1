"""Reference values of section 7.4 of the catalogue, computed there by independent code."""

import numpy as np
import pytest

import mercer
from mercer.kernels import Gaussian
from mercer.kernels.theta import Theta
from mercer.learners.bayes.gp._laplace import LaplaceEvidence
from mercer.learners.bayes.gp.links import Link, slope
from mercer.learners.bayes.rvm import _text as _rvm_text
from mercer.learners.bayes.rvm._posterior import (
    classification_posterior,
    next_theta,
    regression_posterior,
)

R_X = np.array([-2.0, -1, 0, 1, 2, 3])[:, None]
R_T = np.array([-0.9, -0.8, 0, 0.8, 0.9, 0.1])
B_X = np.array([[2, 0], [4, -4], [-3, -3], [-2, -1], [2, -1], [4, 2], [-1, 1], [1, 1]], float)
B_Y = np.array([1, -1, -1, -1, 1, 1, 1, -1.0])
FEATURES = np.hstack([R_X**0, R_X, R_X**2])


def regressor(length, noise, **more):
    return mercer.GaussianProcessRegressor.automatic(
        Gaussian(length), alpha=0.0, noise=noise, optimizer=None, normalize_y=False, **more
    ).fit(R_X, R_T)


@pytest.mark.parametrize(
    ("length", "noise", "evidence"),
    [(1.0, 0.01, -5.11678875), (3.0, 0.5, -6.77939881), (1.0, 0.25, -6.30629087)],
)
def test_evidence_of_a_regression(length, noise, evidence):
    assert regressor(length, noise).log_marginal_likelihood() == pytest.approx(evidence, abs=1e-8)


def test_gradient_of_the_evidence():
    model = regressor(1.0, "learn", bounds={"noise": (1e-3, 1.0)})
    value, gradient = model.log_marginal_likelihood(np.log([1.0, 0.01]), eval_gradient=True)
    assert value == pytest.approx(-5.11678875, abs=1e-8)
    np.testing.assert_allclose(gradient / [1.0, 0.01], [4.117932, -8.205996], atol=1e-6)


@pytest.mark.parametrize(
    ("noise", "x", "mean", "variance"),
    [
        (0.01, 0.5, 0.436107, 0.024788),
        (0.01, 5.0, -0.070280, 0.980194),
        (0.25, 0.5, 0.394430, 0.409185),
    ],
)
def test_predictive_distribution_of_a_regression(noise, x, mean, variance):
    found, std = regressor(1.0, noise).predict([[x]], return_std=True)
    assert found[0] == pytest.approx(mean, abs=1e-6)
    assert std[0] ** 2 == pytest.approx(variance, abs=1e-6)


def test_classification_on_B():
    model = mercer.GaussianProcessClassifier.automatic(
        Gaussian(2.0), optimizer=None, latent_noise=0.1
    )
    model.fit(B_X, B_Y)
    process = model.processes_[0]
    np.testing.assert_allclose(
        process.a,
        [0.375241, -0.412717, -0.361335, -0.401975, 0.382315, 0.380619, 0.466840, -0.548394],
        atol=1e-6,
    )
    mean, variance = model.latent_mean_and_variance([[0, 0], [3, 0]])
    np.testing.assert_allclose(mean, [0.139156, 0.528667], atol=1e-6)
    np.testing.assert_allclose(variance, [0.686918, 0.713601], atol=1e-6)
    probability = model.predict_proba([[0, 0], [3, 0]])[:, 1]
    np.testing.assert_allclose(probability, [0.530201, 0.612571], atol=1e-6)


@pytest.mark.parametrize(
    ("convention", "beta", "latents"),
    [
        ("scale", 1.0, [0.479136, -0.318006, -0.543011]),
        ("square", 0.5, [0.705660, -0.554788, -0.885433]),
        ("scale", 0.5, [0.940403, -0.885990, -1.328009]),
        ("twice", 1.0, [0.940403, -0.885990, -1.328009]),
        ("twice", 0.5, [1.382155, -1.749174, -2.439942]),
    ],
)
def test_the_three_noise_conventions(convention, beta, latents):
    factor = slope(beta, convention)
    theta = Theta(Gaussian(2.0), B_X)
    evidence = LaplaceEvidence(B_X, B_Y, np.ones(8), theta, Link("logistic", factor))
    evidence.fill(Gaussian(2.0))
    _, t = evidence.mode()
    np.testing.assert_allclose(factor * t[:3], latents, atol=1e-6)


def test_objective_of_the_mode_on_B():
    theta = Theta(Gaussian(2.0), B_X)
    evidence = LaplaceEvidence(B_X, B_Y, np.ones(8), theta, Link(), 0.1)
    evidence.fill(Gaussian(2.0))
    assert evidence.objective(*evidence.mode()) == pytest.approx(-4.86314231, abs=1e-8)


def test_first_step_of_relevance_vector_regression():
    theta = np.ones(3)
    found = regression_posterior(FEATURES.T @ FEATURES, FEATURES.T @ R_T, R_T @ R_T, 6, theta, 0.1)
    assert found.log_evidence == pytest.approx(-9.22911766, abs=1e-8)
    np.testing.assert_allclose(found.mean, [0.19841884, 0.43692696, -0.12742820], atol=1e-8)
    np.testing.assert_allclose(
        np.diagonal(found.covariance), [0.03574858, 0.00829870, 0.00261556], atol=1e-8
    )
    fast, em = next_theta(found, theta, "fast"), next_theta(found, theta, "em")
    np.testing.assert_allclose(fast, [0.04082964, 0.19250269, 0.01628053], atol=1e-8)
    np.testing.assert_allclose(em, [0.07511862, 0.19920387, 0.01885351], atol=1e-8)
    noise = found.residual / (6 - found.determined(theta).sum())
    assert noise == pytest.approx(0.18941837, abs=1e-8)


@pytest.mark.parametrize("solver", ["text", "sequential"])
def test_limit_of_relevance_vector_regression(solver):
    model = mercer.RelevanceVectorRegressor(
        basis=lambda X: np.hstack([X**0, X, X**2]), fit_intercept=False, solver=solver
    ).fit(R_X, R_T)
    assert model.weights_[0, 0] == 0.0
    near = 1e-6 if solver == "text" else 2e-3
    np.testing.assert_allclose(model.prior_variances_[0], [0, 0.12386297, 0.00404483], atol=near)
    np.testing.assert_allclose(model.weights_[0], [0, 0.33503004, -0.05063997], atol=near)
    assert model.noise_ == pytest.approx(0.18548512, abs=near)
    assert model.log_marginal_likelihood_value_ == pytest.approx(
        -5.27009748, abs=max(1e-7, near / 10)
    )


def test_both_updates_of_the_text_reach_the_same_limit():
    slow = _rvm_text.fit_regression(FEATURES, R_T, np.ones(6), update="em", max_iter=3000)
    assert slow.log_evidence == pytest.approx(-5.27009748, abs=1e-3)
    assert np.all(np.diff(slow.history) > -1e-9)  # the guarantee of (B.22)


def test_first_step_of_relevance_vector_classification():
    X = np.hstack([np.ones((8, 1)), B_X])
    found = classification_posterior(X, B_Y, np.ones(8), np.ones(3), tol=1e-14)
    np.testing.assert_allclose(found.mean, [0.04135607, 0.34315034, 0.64473478], atol=1e-8)
    np.testing.assert_allclose(
        np.diagonal(found.covariance), [0.47400782, 0.14554894, 0.20939333], atol=1e-8
    )
    np.testing.assert_allclose(
        next_theta(found, np.ones(3), "fast"), [0.00325162, 0.13781030, 0.52577717], atol=1e-8
    )
