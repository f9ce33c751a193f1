"""Covariances through products alone, against dense factors."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning

from mercer.gram import DenseGram, build_gram
from mercer.kernels import Gaussian, Matern
from mercer.solvers import covariance as module
from mercer.solvers import lanczos
from mercer.solvers.covariance import Covariance, UnsolvedError
from mercer.solvers.pivoted import ThinFactor, thin_factor

X = np.random.default_rng(0).normal(size=(400, 4))
QUERIES = np.random.default_rng(1).normal(size=(70, 4))
KERNEL = 2.0 * Gaussian(1.5)


def _variances(kind, noise=0.05):
    even = np.full(len(X), noise)
    return even if kind == "even" else even * np.linspace(1.0, 3.0, len(X))


@pytest.mark.parametrize("kind", ["even", "uneven"])
@pytest.mark.parametrize("kernel", [KERNEL, Matern(1.0, 0.5)], ids=str)
def test_solutions_and_explained_variances(kind, kernel):
    variances = _variances(kind)
    C = kernel(X) + np.diag(variances)
    ours = Covariance(build_gram(kernel, X), variances)
    b = np.random.default_rng(2).normal(size=(len(X), 3))
    digits = 1e-9 if kernel is KERNEL else 2e-6  # exp(-r): products know r to the root of rounding
    assert_allclose(ours.solve(b), np.linalg.solve(C, b), rtol=digits, atol=digits)
    B, prior = kernel(X, QUERIES), kernel.diag(QUERIES)
    true = np.sum(B * np.linalg.solve(C, B), axis=0)
    found = ours.explained(B, prior)
    assert np.all(found <= true + digits)  # error bars are never too narrow
    assert np.all(true - found <= module.SHARE * prior + digits)


@pytest.mark.parametrize("noise", [1.0, 0.05, 1e-3])
def test_the_stated_error_of_the_log_determinant(noise):
    """Thin factors of two ranks and draws of the probes: 95 % within the error."""
    few = X[:150]
    gram = DenseGram(KERNEL(few), validate=False)
    true = np.linalg.slogdet(KERNEL(few) + noise * np.eye(len(few)))[1]
    for rank in (10, 60):
        thin = thin_factor(gram, rank)
        draws = [lanczos.log_determinant(gram, noise, thin, seed=seed) for seed in range(20)]
        missed = sum(abs(draw.value - true) > draw.error for draw in draws)
        assert missed <= 5  # P(more | 5 % each) is 3e-4
        assert np.median([draw.error for draw in draws]) < 0.1 * abs(true) + 1.0


@pytest.mark.parametrize("kind", ["even", "uneven"])
def test_uneven_variances_are_in_the_log_determinant(kind):
    variances = _variances(kind)
    true = np.linalg.slogdet(KERNEL(X) + np.diag(variances))[1]
    value, error = Covariance(build_gram(KERNEL, X), variances).log_determinant()
    assert abs(value - true) <= 1.5 * error
    assert error < 0.02 * abs(true)


def test_the_quadrature_is_bracketed_at_every_step():
    """Gauss' rule from above, Radau's from below, closing in on z' ln(C) z."""
    noise, rank = 0.01, 30
    K = KERNEL(X)
    gram = DenseGram(K, validate=False)
    thin = thin_factor(gram, rank)
    whitener = lanczos.Whitener(thin, noise)
    eye = np.eye(len(X))
    W = whitener.half(eye)
    assert_allclose(
        W @ (thin.transposed.T @ thin.transposed + whitener.mu * eye) @ W, eye, atol=1e-6
    )
    values, vectors = np.linalg.eigh(W @ (K + noise * eye) @ W)
    assert values[0] >= whitener.lowest * (1 - 1e-6)
    start = np.random.default_rng(0).normal(size=(len(X), 4))
    true = (vectors.T @ start).T ** 2 @ np.log(values)
    steps = lanczos._Steps(gram, noise, whitener, start)
    widths = []
    for wanted in (1, 2, 4, 8, 16, 32):
        assert steps.more(wanted)
        low, high = steps.bracket()
        slack = 1e-6 * np.abs(true)
        assert np.all(low <= true + slack)
        assert np.all(high >= true - slack)
        widths.append(float(np.mean(high - low)))
    assert all(after <= before + 1e-9 for before, after in pairwise(widths))
    assert widths[-1] < 0.05 * widths[0]


def test_an_invariant_space_ends_the_steps():
    gram = DenseGram(np.eye(50), validate=False)
    found = lanczos.log_determinant(gram, 1.0, ThinFactor(np.zeros((0, 50)), np.ones(50)))
    assert found.value == pytest.approx(50 * np.log(2.0), rel=1e-12)
    assert found.error == pytest.approx(0.0, abs=1e-9)
    assert found.products == 1


def test_what_cannot_be_solved_is_told(monkeypatch):
    with pytest.raises(UnsolvedError, match="noise"):
        Covariance(build_gram(KERNEL, X), np.zeros(len(X)))
    monkeypatch.setattr(module, "MOST", 3)
    hard = Covariance(build_gram(KERNEL, X), np.full(len(X), 1e-4))
    with pytest.raises(UnsolvedError, match="noise is too small"):
        hard.solve(np.random.default_rng(0).normal(size=(len(X), 1)))
    with pytest.warns(ConvergenceWarning, match="too wide"):
        found = hard.explained(KERNEL(X, QUERIES), KERNEL.diag(QUERIES))
    B = KERNEL(X, QUERIES)
    true = np.sum(B * np.linalg.solve(KERNEL(X) + 1e-4 * np.eye(len(X)), B), axis=0)
    assert np.all(found <= true + 1e-9)
