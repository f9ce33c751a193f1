"""Newton's steps of all prior variances, columns that products cannot tell, thousands of rows."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from mercer.kernels import Gaussian, Linear
from mercer.learners.bayes import RelevanceVectorRegressor
from mercer.learners.bayes.rvm import _fast as fast
from mercer.learners.bayes.rvm import _laplace as laplace
from mercer.learners.bayes.rvm._posterior import (
    factorised_posterior,
    regression_posterior,
    seen_lengths,
)
from mercer.learners.bayes.rvm._together import climb, slopes

RNG = np.random.default_rng(4)
N, K = 40, 5
X = RNG.normal(size=(N, K))
T = X @ [1.0, -2.0, 0.0, 0.5, 0.0] + 0.3 * RNG.normal(size=N)
THETA = np.array([0.7, 3.0, 0.02, 0.4, 0.3])
NOISE = 0.2


def posterior(theta, noise):
    return regression_posterior(X.T @ X, X.T @ T, float(T @ T), N, theta, noise)


def at(logs):
    """The log evidence in ln β and ln b."""
    return posterior(np.exp(-logs[:K]), float(np.exp(-logs[K]))).log_evidence


def test_slopes_are_those_of_finite_differences():
    logs, unit, h = -np.log(np.append(THETA, NOISE)), np.eye(K + 1), 1e-4
    gradient, bend = slopes(posterior(THETA, NOISE), THETA, NOISE, N)
    slow = [(at(logs + h * e) - at(logs - h * e)) / (2 * h) for e in unit]
    assert_allclose(gradient, slow, rtol=1e-6, atol=1e-7)
    for i in range(K + 1):
        for j in range(K + 1):
            corners = [
                one * two * at(logs + h * (one * unit[i] + two * unit[j]))
                for one in (1, -1)
                for two in (1, -1)
            ]
            assert bend[i, j] == pytest.approx(sum(corners) / (4 * h * h), abs=2e-5)


@pytest.mark.parametrize("learn", [True, False])
def test_the_climb_rises_to_where_nothing_slopes(learn):
    gains = []

    def over(gain):
        gains.append(gain)
        return False

    before = posterior(THETA, NOISE)
    found, theta, noise = climb(
        posterior, before, THETA, NOISE, N, learn=learn, floor=1e-9, tol=1e-10, over=over
    )
    assert np.all(np.array(gains) > 0)
    assert found.log_evidence == pytest.approx(before.log_evidence + sum(gains))
    assert learn or noise == NOISE
    gradient = slopes(found, theta, noise, N)[0]
    assert_allclose(gradient[: K + int(learn)], 0.0, atol=1e-4)


def test_the_noise_stays_above_its_floor():
    _, _, noise = climb(
        posterior, posterior(THETA, 1.0), THETA, 1.0, N,
        learn=True, floor=0.5, tol=1e-8, over=lambda gain: False,
    )  # fmt: skip
    assert noise == 0.5


def test_both_ways_to_the_posterior_agree():
    one, two = posterior(THETA, NOISE), factorised_posterior(X, T, N, THETA, NOISE)
    assert_allclose(two.mean, one.mean)
    assert_allclose(two.covariance, one.covariance)
    assert two.log_evidence == pytest.approx(one.log_evidence)
    active = [0, 3]
    part = X[:, active]
    inside = part @ np.linalg.inv(part.T @ part / NOISE + np.diag(1 / THETA[:2])) @ part.T / NOISE
    expected = np.einsum("ij,ik,kj->j", X, inside, X)
    assert_allclose(seen_lengths(X, active, THETA[:2], NOISE), expected)


def test_the_factor_knows_what_products_have_lost():
    """Two columns 1e-6 apart, whose difference is the target: long numbers have the answer."""
    column = np.linspace(1.0, 2.0, N)
    wave = np.cos(7.0 * column)
    twins, theta, noise = np.column_stack([column, column + 1e-6 * wave]), np.full(2, 1e13), 1e-4
    gram = np.array(twins, dtype=np.longdouble)
    A = gram.T @ gram / np.longdouble(noise) + np.diag(1.0 / theta)
    det = A[0, 0] * A[1, 1] - A[0, 1] ** 2
    inverse = np.array([[A[1, 1], -A[0, 1]], [-A[0, 1], A[0, 0]]]) / det
    mean = np.asarray(inverse @ (gram.T @ wave) / noise, dtype=float)
    found = factorised_posterior(twins, wave, N, theta, noise)
    assert_allclose(found.mean, mean, rtol=1e-4)


def test_a_smooth_function_under_little_noise():
    """Products of the columns lose it to rounding: a fit went on for ever, one column at a time."""
    rng = np.random.default_rng(0)
    rows = rng.uniform(-3, 3, (300, 2))
    y = np.sin(rows[:, 0]) * np.cos(rows[:, 1]) + 0.001 * rng.normal(size=300)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # it ends by convergence
        model = RelevanceVectorRegressor(Gaussian(2.0)).fit(rows, y)
    assert len(model.relevance_) < 80
    assert 0.5e-6 < model.noise_ < 5e-6
    assert np.all(np.diff(model.log_marginal_likelihood_path_[0]) >= -1e-6)


def test_columns_that_gain_nothing_are_left_out():
    rng = np.random.default_rng(1)
    rows = rng.uniform(-10, 10, (300, 1))
    y = np.sinc(rows[:, 0] / np.pi) + 0.1 * rng.normal(size=300)
    columns = Gaussian(2.0)(rows)
    found = fast.fit_regression(columns, y, np.ones(300), noise=0.01)
    part = columns[:, found.active]
    for i in range(len(found.active)):
        kept = np.delete(np.arange(len(found.active)), i)
        without = regression_posterior(
            part[:, kept].T @ part[:, kept], part[:, kept].T @ y, y @ y, 300,
            found.theta[kept], found.noise,
        )  # fmt: skip
        assert without.log_evidence < found.log_evidence + 1e-9


@pytest.mark.parametrize("kernel", [Linear(), Gaussian(3.0)])
def test_sparse_rows_give_what_dense_ones_give(kernel):
    rng = np.random.default_rng(2)
    thin = sparse.random(150, 60, 0.1, random_state=2, format="csr")
    y = np.asarray(thin @ rng.normal(size=60)) + 0.1 * rng.normal(size=150)
    one = RelevanceVectorRegressor(kernel).fit(thin, y)
    two = RelevanceVectorRegressor(kernel).fit(thin.toarray(), y)
    assert one.log_marginal_likelihood_value_ == pytest.approx(
        two.log_marginal_likelihood_value_, abs=0.5
    )
    assert_allclose(one.predict(thin), two.predict(thin.toarray()), atol=0.05)


@pytest.mark.parametrize("law", ["sinc", "ten columns"])
def test_two_thousand_rows_end_by_convergence(law):
    rng = np.random.default_rng(0)
    if law == "sinc":
        rows = rng.uniform(-10, 10, (2000, 1))
        truth, noise = np.sinc(rows[:, 0] / np.pi), 0.1
    else:
        rows = rng.uniform(size=(2000, 10))
        truth = 10 * np.sin(np.pi * rows[:, 0] * rows[:, 1]) + 20 * (rows[:, 2] - 0.5) ** 2
        noise = 1.0
    y = truth + noise * rng.normal(size=2000)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = RelevanceVectorRegressor().fit(rows, y)
    assert np.sqrt(model.noise_) == pytest.approx(noise, rel=0.1)
    assert len(model.relevance_) < 400
    assert np.sqrt(np.mean((model.predict(rows) - truth) ** 2)) < 0.8 * noise


def test_what_will_not_get_as_far_as_another_machine_is_given_up(monkeypatch):
    rng = np.random.default_rng(3)
    rows = rng.uniform(-10, 10, (200, 1))
    columns = Gaussian(0.5)(rows)
    label = (np.sin(rows[:, 0]) + 0.5 * rng.normal(size=200) > 0) * 2.0 - 1.0
    whole = laplace.fit_classification(columns, label, np.ones(200))
    assert whole.converged
    same = laplace.fit_classification(columns, label, np.ones(200), worth=whole.log_evidence)
    assert same.log_evidence == whole.log_evidence
    monkeypatch.setattr(laplace, "_leap", lambda *given: None)  # only single changes are left
    less = laplace.fit_classification(columns, label, np.ones(200), worth=1e6)
    assert not less.converged
    assert len(less.history) == 2
