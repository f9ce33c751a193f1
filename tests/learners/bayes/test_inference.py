"""Likelihoods, posteriors and decisions over finitely many hypotheses."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import gamma, norm

from mercer.learners.bayes import (
    HypothesisPosterior,
    choose_model,
    inverse_loss_likelihood,
    pac_likelihood,
    weight_log_prior,
)


def test_likelihoods_from_losses():
    losses = np.array([[0.0, 1.0], [1.0, 0.0]])
    p = inverse_loss_likelihood(losses, 0.5)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    assert p[0, 0] == pytest.approx(1 / (1 + np.exp(-2)))
    np.testing.assert_allclose(inverse_loss_likelihood(losses, 1e9), 0.5, atol=1e-8)
    np.testing.assert_array_equal(inverse_loss_likelihood(losses, 0.0), np.eye(2))
    np.testing.assert_array_equal(pac_likelihood([1, 2], [1, 1]), [1.0, 0.0])
    with pytest.raises(ValueError, match="beta"):
        inverse_loss_likelihood(losses, -1.0)


def test_the_pac_posterior_is_the_prior_restricted_to_version_space():
    table = np.array([[1, 1, 1], [1, -1, 1], [-1, -1, 1], [1, -1, -1]])
    posterior = HypothesisPosterior.from_predictions(table[:, :2], [1, -1], [0.1, 0.2, 0.3, 0.4])
    np.testing.assert_allclose(posterior.weights, [0, 1 / 3, 0, 2 / 3])
    assert posterior.log_marginal_likelihood == pytest.approx(
        np.log(0.6)
    )  # the mass of version space
    assert posterior.most_probable() == 3
    np.testing.assert_array_equal(posterior.bayes(table), [1, -1, -1])


def test_decisions_minimise_the_mean_loss():
    posterior = HypothesisPosterior(np.log([0.5, 0.3, 0.2]))
    table = np.array([[0], [1], [2]])
    assert posterior.bayes(table)[0] == 0
    costly = np.array([[0, 9, 9], [1, 0, 1], [9, 9, 0]])  # deciding 1 is never terrible
    assert posterior.bayes(table, classes=[0, 1, 2], loss=costly)[0] == 1
    drawn = posterior.gibbs(np.tile(table, (1, 20_000)), np.random.default_rng(0))
    np.testing.assert_allclose(np.bincount(drawn) / 20_000, [0.5, 0.3, 0.2], atol=0.02)


def test_models_are_chosen_by_evidence():
    best, weights = choose_model([-10.0, -8.0, -9.0])
    assert best == 1
    np.testing.assert_allclose(weights, np.exp([-2, 0, -1]) / np.exp([-2, 0, -1]).sum())
    assert choose_model([-10.0, -8.0], prior=[0.99, 0.01])[0] == 0


def test_impossible_observations_have_no_posterior():
    with pytest.raises(ValueError, match="probability zero"):
        HypothesisPosterior.from_predictions([[1], [1]], [-1])
    with pytest.raises(ValueError, match="summing to one"):
        HypothesisPosterior([0.0, 0.0], prior=[0.5, 0.6])


@pytest.mark.parametrize("w", [0.0, 0.7, 3.0])
def test_marginal_prior_of_a_weight_against_integration(w):
    a, b = 1.5, 2.0
    exact = quad(
        lambda p: norm.pdf(w, scale=p**-0.5) * gamma.pdf(p, a, scale=b), 0, np.inf, limit=200
    )[0]
    assert weight_log_prior(w, a, b) == pytest.approx(np.log(exact), abs=1e-6)
    with pytest.raises(ValueError, match="positive"):
        weight_log_prior(w, 0.0, 1.0)
