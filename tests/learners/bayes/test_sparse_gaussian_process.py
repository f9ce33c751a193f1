"""Inducing points: the bound, its gradient, and agreement with the exact process."""

import numpy as np
import pytest

from mercer.kernels import Gaussian, White
from mercer.kernels.theta import Theta
from mercer.learners._passes import RowsInMemory
from mercer.learners.bayes import GaussianProcessRegressor, SparseGaussianProcessRegressor
from mercer.learners.bayes.gp._inducing import InducingBound, greedy_points
from mercer.learners.template import Kind, TrainingSample


def wave(n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, size=(n, 2))
    return X, np.sin(2 * X[:, 0]) + 0.3 * X[:, 1] + 0.1 * rng.normal(size=n)


def held(X, y, weight=None):
    weight = np.ones(len(X)) if weight is None else weight
    return RowsInMemory(TrainingSample(X, y, weight, Kind.VECTORS))


KERNEL = 1.5 * Gaussian(np.array([1.0, 2.0]))


def test_gradient_against_finite_differences():
    X, y = wave(60)
    theta = Theta(KERNEL, X)
    bound = InducingBound(held(X, y, np.linspace(0.5, 2.0, 60)), X[:15], theta)
    p = np.append(theta.start(), np.log(0.05))
    _, gradient = bound(p)
    for i, step in enumerate(1e-5 * np.eye(len(p))):
        slope = (bound(p + step)[0] - bound(p - step)[0]) / 2e-5
        assert gradient[i] == pytest.approx(slope, rel=1e-4, abs=1e-3)


def test_the_bound_is_below_the_evidence_and_reaches_it():
    X, y = wave(80)
    exact = GaussianProcessRegressor.automatic(
        KERNEL, noise=0.05, alpha=0.0, optimizer=None, normalize_y=False
    ).fit(X, y)
    theta, values = Theta(KERNEL, X), []
    for m in (5, 20, 80):
        bound = InducingBound(held(X, y), X[:m], theta)
        values.append(bound.solve(KERNEL, 0.05).bound)
    assert values[0] < values[1] < values[2] <= exact.log_marginal_likelihood() + 1e-6
    assert values[2] == pytest.approx(exact.log_marginal_likelihood(), abs=1e-3)


def test_predictions_agree_with_the_exact_process():
    X, y = wave(500)
    exact = GaussianProcessRegressor.automatic(n_restarts_optimizer=0).fit(X, y)
    sparse = SparseGaussianProcessRegressor(n_inducing=80, n_restarts_optimizer=0, refine=3)
    sparse.fit(X, y)
    query, _ = wave(50, seed=1)
    mean, std = sparse.predict(query, return_std=True)
    reference, bar = exact.predict(query, return_std=True)
    np.testing.assert_allclose(mean, reference, atol=0.03)
    np.testing.assert_allclose(std, bar, rtol=0.1)
    assert sparse.elbo_ <= exact.log_marginal_likelihood() + 0.5


def test_refining_raises_the_bound():
    X, y = wave(800)
    settings = {"n_inducing": 40, "subset": 100, "n_restarts_optimizer": 0}
    rough = SparseGaussianProcessRegressor(refine=0, **settings).fit(X, y)
    fine = SparseGaussianProcessRegressor(refine=10, **settings).fit(X, y)
    assert fine.elbo_ > rough.elbo_


def test_greedy_points_explain_more_than_random_ones():
    X, _ = wave(400)
    rng = np.random.default_rng(0)

    def unexplained(rows):
        K, C = KERNEL(X), KERNEL(X, X[rows])
        A = KERNEL(X[rows]) + 1e-8 * np.eye(len(rows))
        return np.trace(K - C @ np.linalg.solve(A, C.T))

    greedy = greedy_points(KERNEL, X, 15, rng)
    assert len(set(greedy.tolist())) == 15
    assert unexplained(greedy) < unexplained(rng.choice(400, 15, replace=False))


def test_given_points_and_bad_settings():
    X, y = wave(100)
    model = SparseGaussianProcessRegressor(inducing=X[:10], refine=1, n_restarts_optimizer=0)
    np.testing.assert_array_equal(model.fit(X, y).inducing_points_, X[:10])
    for settings, message in (
        ({"kernel": "precomputed"}, "evaluated on rows"),
        ({"kernel": Gaussian(1.0) + White(0.1)}, "White"),
        ({"inducing": "kmeans"}, "'inducing' parameter"),
        ({"n_inducing": 0}, "n_inducing"),
    ):
        with pytest.raises(ValueError, match=message):
            SparseGaussianProcessRegressor(**settings).fit(X, y)


def test_several_targets_share_the_process():
    X, y = wave(80)
    both = np.column_stack([y, np.cos(X[:, 1])])
    settings = {"inducing": X, "refine": 0, "random_state": 0, "n_restarts_optimizer": 0}
    model = SparseGaussianProcessRegressor(**settings).fit(X, both)
    exact = GaussianProcessRegressor.automatic(noise="learn", n_restarts_optimizer=0).fit(X, both)
    query, _ = wave(20, seed=1)
    for mine, other in zip(
        model.predict(query, return_std=True), exact.predict(query, return_std=True), strict=True
    ):
        assert mine.shape == (20, 2)
        np.testing.assert_allclose(mine, other, atol=5e-3)
    assert model.elbo_ == pytest.approx(exact.log_marginal_likelihood(), abs=0.5)


def test_gradient_of_several_targets_against_finite_differences():
    X, y = wave(60)
    theta = Theta(KERNEL, X)
    both = np.column_stack([y, np.cos(X[:, 1]), X[:, 0]])
    bound = InducingBound(held(X, both, np.linspace(0.5, 2.0, 60)), X[:15], theta)
    p = np.append(theta.start(), np.log(0.05))
    _, gradient = bound(p)
    for i, step in enumerate(1e-5 * np.eye(len(p))):
        slope = (bound(p + step)[0] - bound(p - step)[0]) / 2e-5
        assert gradient[i] == pytest.approx(slope, rel=1e-4, abs=1e-3)
    each = [InducingBound(held(X, t), X[:15], theta).solve(KERNEL, 0.1) for t in both.T]
    together = InducingBound(held(X, both), X[:15], theta).solve(KERNEL, 0.1)
    assert together.bound == pytest.approx(sum(one.bound for one in each))


def test_smooth_targets_without_noise_are_learned_in_single_precision():
    rng = np.random.default_rng(4)
    rows = rng.normal(size=(600, 3)).astype(np.float32)
    target = np.sin(rows[:, 0]) + 0.5 * rows[:, 1]
    model = SparseGaussianProcessRegressor(kernel=Gaussian(20.0), n_inducing=120, refine=0,
                                           n_restarts_optimizer=0, random_state=0)  # fmt: skip
    assert model.fit(rows, target).score(rows, target) > 0.999
