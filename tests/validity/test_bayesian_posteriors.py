"""Certificates of Bayesian machines hold at their rate, and break when their KL is not paid."""

import math

import numpy as np
import pytest

from helpers_learner_laws import Tally
from mercer import BayesPointMachine, GaussianProcessClassifier
from mercer.kernels import Gaussian, Linear

W = np.array([0.6, 0.8])
DELTA = 0.1


def halfspace(n, rng):
    X = rng.normal(size=(n, 2))
    return X, np.where(X @ W > 0, 1, -1)


def check(table):
    """Columns: risk, certificate, broken certificate."""
    tally = Tally(draws=len(table))
    for risk, value, broken in table:
        tally.add("certificate", value, risk)
        tally.add("broken", broken, risk)
    tally.check_valid("certificate", DELTA)
    if len(table) >= 100:
        tally.check_caught("broken", DELTA)
    assert tally.wrong["broken"] > DELTA * len(table)


def version_space_run(rng, n=15):
    """True Gibbs risk of version space, its certificate, and one that pays neither KL nor δ."""
    while True:
        X, y = halfspace(n, rng)
        if abs(y.sum()) < n:
            break
    model = BayesPointMachine(
        Linear(), reg_param=0.0, solver="gibbs", n_samples=100, delta=DELTA, init="perceptron"
    ).fit(X, y)
    draws = model.machines_[0].draws @ X
    cosine = draws @ W / np.linalg.norm(draws, axis=1)
    risk = float(np.mean(np.arccos(np.clip(cosine, -1, 1)))) / math.pi
    return risk, model.certificates_["consistent-gibbs"].value, -math.expm1(math.log(0.9) / n)


@pytest.mark.parametrize("runs", [12, pytest.param(200, marks=pytest.mark.slow)])
def test_the_version_space_certificate_holds(runs):
    rng = np.random.default_rng(0)
    table = np.array([version_space_run(rng) for _ in range(runs)])
    check(table)


def process_run(rng, n=60):
    """True Gibbs risk of a Gaussian-process classifier, and its certificate."""
    X = rng.normal(size=(n, 2))
    noise = 0.3
    y = np.where(X @ W + noise * rng.normal(size=n) > 0, 1, -1)
    model = GaussianProcessClassifier.automatic(
        4.0 * Gaussian(2.0), optimizer=None, delta=DELTA
    ).fit(X, y)
    fresh = rng.normal(size=(2000, 2))
    labels = np.where(fresh @ W + noise * rng.normal(size=2000) > 0, 1, -1)
    from scipy.special import ndtr

    mean, variance = model.latent_mean_and_variance(fresh)
    risk = float(np.mean(ndtr(-labels * mean / np.sqrt(variance))))
    q = model.evidence_.posterior
    return risk, model.certificates_["pac-bayes-prior"].value, 0.7 * q.gibbs


@pytest.mark.parametrize("runs", [20, pytest.param(300, marks=pytest.mark.slow)])
def test_the_process_certificate_holds(runs):
    rng = np.random.default_rng(1)
    table = np.array([process_run(rng) for _ in range(runs)])
    check(table)
