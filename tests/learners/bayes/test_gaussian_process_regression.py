"""Gaussian-process regression: gradients, search, error bars, data that come in parts."""

import pickle

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor as Theirs
from sklearn.gaussian_process import kernels as their_kernels

import mercer
from mercer.kernels import Gaussian, Linear, Matern, White
from mercer.learners.bayes import GaussianProcessRegressor, bayesian_linear_regression
from mercer.learners.bayes.gp._quasi_newton import minimise


def wave(n, d=2, noise=0.1, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, size=(n, d))
    return X, np.sin(2 * X[:, 0]) + noise * rng.normal(size=n)


@pytest.mark.parametrize("outputs", [1, 2])
@pytest.mark.parametrize(
    "kernel", [2.0 * Gaussian(np.array([0.7, 1.5])), Matern(0.8, 2.5) + 0.5 * Linear()], ids=str
)
def test_gradient_against_finite_differences(kernel, outputs):
    X, y = wave(40)
    y = np.column_stack([y, np.cos(X[:, 1])])[:, :outputs]
    model = GaussianProcessRegressor.automatic(kernel, noise="learn", optimizer=None).fit(
        X, y, sample_weight=np.linspace(0.5, 2, 40)
    )
    theta = model.theta_ + 0.1
    value, gradient = model.log_marginal_likelihood(theta, eval_gradient=True)
    assert value == pytest.approx(model.log_marginal_likelihood(theta), abs=1e-9)
    for i, step in enumerate(1e-5 * np.eye(len(theta))):
        rise = model.log_marginal_likelihood(theta + step)
        fall = model.log_marginal_likelihood(theta - step)
        assert gradient[i] == pytest.approx((rise - fall) / 2e-5, rel=1e-5, abs=1e-5)


def test_evidence_is_the_density_of_the_targets():
    from scipy.stats import multivariate_normal

    X, y = wave(12)
    model = GaussianProcessRegressor.automatic(
        Gaussian(1.0), noise=0.2, optimizer=None, normalize_y=False
    )
    model.fit(X, y)
    law = multivariate_normal(np.zeros(12), Gaussian(1.0)(X) + (0.2 + 1e-10) * np.eye(12))
    assert model.log_marginal_likelihood() == pytest.approx(law.logpdf(y), abs=1e-9)


@pytest.mark.parametrize(
    "kernel",
    [
        their_kernels.ConstantKernel(1.0) * their_kernels.RBF([1.0, 1.0])
        + their_kernels.WhiteKernel(0.1),
        their_kernels.ConstantKernel(1.0) * their_kernels.Matern(1.0, nu=1.5)
        + their_kernels.WhiteKernel(0.1),
        their_kernels.RationalQuadratic(1.0, 1.0) + their_kernels.WhiteKernel(0.1, "fixed"),
        their_kernels.DotProduct(1.0) ** 2 + their_kernels.WhiteKernel(0.1),
    ],
    ids=lambda k: type(k).__name__ + str(k)[:12],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_same_optimum_and_predictions_as_scikit_learn(kernel):
    X, y = wave(80)
    theirs = Theirs(kernel, normalize_y=True).fit(X, y)
    ours = GaussianProcessRegressor.automatic(kernel, n_restarts_optimizer=0).fit(X, y)
    assert ours.log_marginal_likelihood() >= theirs.log_marginal_likelihood() - 1e-3
    fixed = GaussianProcessRegressor.automatic(theirs.kernel_, optimizer=None).fit(X, y)
    assert fixed.log_marginal_likelihood() == pytest.approx(
        theirs.log_marginal_likelihood(), abs=1e-6
    )
    for mine, other in zip(
        fixed.predict(X[:9] + 0.1, return_std=True),
        theirs.predict(X[:9] + 0.1, return_std=True),
        strict=True,
    ):
        np.testing.assert_allclose(mine, other, atol=1e-6)
    _, cov = fixed.predict(X[:5] + 0.1, return_cov=True)
    np.testing.assert_allclose(cov, theirs.predict(X[:5] + 0.1, return_cov=True)[1], atol=1e-6)


def test_both_optimisers_agree():
    X, y = wave(150)
    staged = GaussianProcessRegressor.automatic().fit(X, y)
    scipys = GaussianProcessRegressor.automatic(optimizer="fmin_l_bfgs_b").fit(X, y)
    assert staged.log_marginal_likelihood() == pytest.approx(
        scipys.log_marginal_likelihood(), abs=2e-3
    )


def test_stages_end_where_all_rows_would():
    X, y = wave(620, d=2)
    staged = GaussianProcessRegressor.automatic(n_restarts_optimizer=0).fit(X, y)
    direct = GaussianProcessRegressor.automatic(
        n_restarts_optimizer=0, optimizer="fmin_l_bfgs_b"
    ).fit(X, y)
    assert staged.log_marginal_likelihood() >= direct.log_marginal_likelihood() - 2e-2
    _, gradient = staged.log_marginal_likelihood(staged.theta_, eval_gradient=True)
    assert np.abs(gradient).max() < 2.0  # of several hundred nats


def test_irrelevant_inputs_are_found_irrelevant():
    X, y = wave(100, d=3)
    model = GaussianProcessRegressor.automatic().fit(X, y)
    assert model.relevance_[0] > 10 * max(model.relevance_[1:])
    pushed = GaussianProcessRegressor.automatic(relevance_rate=5.0).fit(X, y)
    assert pushed.relevance_[0] < model.relevance_[0]
    with pytest.raises(AttributeError, match="length scale per column"):
        _ = GaussianProcessRegressor.automatic(Gaussian(1.0)).fit(X, y).relevance_


def test_error_bars_cover_what_they_should():
    inside = []
    for seed in range(8):
        X, y = wave(150, d=1, noise=0.2, seed=seed)
        fresh, target = wave(200, d=1, noise=0.2, seed=1000 + seed)
        mean, std = (
            GaussianProcessRegressor.automatic(n_restarts_optimizer=0)
            .fit(X, y)
            .predict(fresh, return_std=True)
        )
        inside.append(np.mean(np.abs(target - mean) < 1.96 * std))
    assert 0.93 < np.mean(inside) < 0.97


def test_leave_one_out_is_what_refitting_gives():
    X, y = wave(25)
    settings = {"noise": 0.1, "optimizer": None, "normalize_y": False}
    model = GaussianProcessRegressor.automatic(Gaussian(1.0), **settings).fit(X, y)
    left = model.leave_one_out()
    for i in (0, 7, 24):
        keep = np.arange(25) != i
        other = GaussianProcessRegressor.automatic(Gaussian(1.0), **settings).fit(X[keep], y[keep])
        mean, std = other.predict(X[[i]], return_std=True)
        assert left.mean[i] == pytest.approx(mean[0], abs=1e-8)
        assert left.std[i] == pytest.approx(std[0], abs=1e-6)
        log = -0.5 * (np.log(2 * np.pi * std[0] ** 2) + (y[i] - mean[0]) ** 2 / std[0] ** 2)
        assert left.log_density[i] == pytest.approx(log, abs=1e-6)


def test_new_rows_are_taken_in():
    X, y = wave(60)
    settings = {"noise": 0.1, "optimizer": None, "normalize_y": False}
    grown = GaussianProcessRegressor.automatic(Gaussian(1.0), **settings).fit(X[:40], y[:40])
    before = grown.evidence_
    grown.partial_fit(X[40:55], y[40:55]).partial_fit(X[55:], y[55:])
    whole = GaussianProcessRegressor.automatic(Gaussian(1.0), **settings).fit(X, y)
    np.testing.assert_allclose(grown.predict(X), whole.predict(X), atol=1e-9)
    assert grown.log_marginal_likelihood() == pytest.approx(whole.log_marginal_likelihood())
    assert grown.evidence_.n == 60 != before.n


def test_known_noise_of_every_row():
    X, y = wave(60)
    variance = np.where(np.arange(60) % 2, 1e-4, 4.0)
    y = y + np.sqrt(variance) * np.random.default_rng(1).normal(size=60)
    model = GaussianProcessRegressor.automatic(
        Gaussian(1.0), alpha=variance, optimizer=None, normalize_y=False
    ).fit(X, y)
    a = np.linalg.solve(Gaussian(1.0)(X) + np.diag(variance), y)
    np.testing.assert_allclose(model.alpha_, a, atol=1e-8)
    assert model.noise_ == 0.0


def test_weights_and_functions_are_two_views():
    rng = np.random.default_rng(0)
    X, t, query = rng.normal(size=(20, 3)), rng.normal(size=20), rng.normal(size=(5, 3))
    weights = bayesian_linear_regression(X, t, noise=0.3, prior_variance=2.0)
    function = GaussianProcessRegressor.automatic(
        2.0 * Linear(), noise=0.3, alpha=0.0, optimizer=None, normalize_y=False
    ).fit(X, t)
    mean, std = function.predict(query, return_std=True)
    np.testing.assert_allclose(weights.predict(query)[0], mean, atol=1e-10)
    np.testing.assert_allclose(weights.predict(query)[1], std**2, atol=1e-8)
    assert weights.log_marginal_likelihood == pytest.approx(
        function.log_marginal_likelihood(), abs=1e-8
    )


def test_samples_have_the_moments_of_the_process():
    X, y = wave(15, d=1)
    model = GaussianProcessRegressor.automatic(Gaussian(0.7), noise=0.05, optimizer=None).fit(X, y)
    query = np.linspace(-2, 2, 7)[:, None]
    draws = model.sample_y(query, 20000, random_state=0)
    mean, cov = model.predict(query, return_cov=True, latent=True)
    np.testing.assert_allclose(draws.mean(axis=1), mean, atol=0.02)
    np.testing.assert_allclose(np.cov(draws), cov, atol=0.02)
    prior = GaussianProcessRegressor.automatic(Gaussian(0.7)).sample_y(query, 20000, random_state=0)
    np.testing.assert_allclose(np.cov(prior), Gaussian(0.7)(query), atol=0.04)


def test_latent_and_observed_error_bars_differ_by_the_noise():
    X, y = wave(30)
    for model in (
        GaussianProcessRegressor.automatic(
            Gaussian(1.0), noise=0.2, optimizer=None, normalize_y=False
        ),
        GaussianProcessRegressor.automatic(
            Gaussian(1.0) + White(0.2), optimizer=None, normalize_y=False
        ),
    ):
        model.fit(X, y)
        _, observed = model.predict(X, return_std=True)
        _, latent = model.predict(X, return_std=True, latent=True)
        np.testing.assert_allclose(observed**2 - latent**2, 0.2, atol=1e-9)


def test_single_precision_is_close():
    X, y = wave(200)
    double = GaussianProcessRegressor.automatic(n_restarts_optimizer=0).fit(X, y)
    single = GaussianProcessRegressor.automatic(n_restarts_optimizer=0, dtype="float32").fit(X, y)
    np.testing.assert_allclose(single.predict(X), double.predict(X), atol=5e-3)
    assert single.fitted_.factor.array.dtype == np.float32


def test_duplicates_without_noise_are_refused_as_scikit_learn_does():
    X = np.repeat(np.linspace(0, 1, 5), 2)[:, None]
    y = np.sin(X[:, 0])
    model = GaussianProcessRegressor(Gaussian(1.0), alpha=0.0, optimizer=None)
    with pytest.raises(np.linalg.LinAlgError, match="increasing the 'alpha'"):
        model.fit(X, y)


def test_rounding_of_single_precision_is_made_up_for_and_said():
    X = np.repeat(np.linspace(0, 1, 5), 2)[:, None]
    y = np.sin(X[:, 0])
    model = GaussianProcessRegressor(Gaussian(1.0), alpha=0.0, optimizer=None, dtype="float32")
    with pytest.warns(ConvergenceWarning, match="singular to rounding"):
        model.fit(X, y)
    assert model.jitter_ > 0
    np.testing.assert_allclose(model.predict(X), y, atol=1e-2)


def test_a_constant_target_and_a_constant_column():
    X, _ = wave(30)
    X[:, 1] = 3.0
    mean, std = (
        GaussianProcessRegressor.automatic().fit(X, np.full(30, 7.0)).predict(X, return_std=True)
    )
    np.testing.assert_allclose(mean, 7.0)
    assert np.all(std < 2.0)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"alpha": -1.0}, "not negative"),
        ({"alpha": np.ones(3)}, "same number of entries as y"),
        ({"noise": "much"}, "noise must be"),
        ({"optimizer": "newton"}, "'optimizer' parameter"),
        ({"dtype": "float16"}, "'dtype' parameter"),
        ({"n_restarts_optimizer": -1}, "n_restarts_optimizer"),
        ({"kernel": 3}, "not a kernel"),
        ({"bounds": {"width": (1, 2)}}, "no parameter"),
        ({"time_limit": 0}, "time_limit"),
    ],
)
def test_bad_settings_are_named(settings, message):
    X, y = wave(20)
    with pytest.raises((ValueError, TypeError), match=message):
        GaussianProcessRegressor.automatic(**settings).fit(X, y)


def test_a_time_limit_keeps_the_best_so_far():
    X, y = wave(100)
    model = GaussianProcessRegressor.automatic(time_limit=1e-9).fit(X, y)
    assert model.timed_out_
    assert np.all(np.isfinite(model.predict(X)))


def test_pickle_and_precomputed():
    X, y = wave(40)
    model = GaussianProcessRegressor.automatic(Gaussian(1.0), noise=0.1, optimizer=None).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    given = GaussianProcessRegressor.automatic("precomputed", noise=0.1, optimizer=None)
    given.fit(Gaussian(1.0)(X), y)
    np.testing.assert_allclose(given.predict(Gaussian(1.0)(X)), model.predict(X), atol=1e-9)
    with pytest.raises(ValueError, match="precomputed matrix"):
        given.predict(Gaussian(1.0)(X), return_std=True)


def test_objects_can_be_regressed():
    words = np.array(["a", "aa", "aaa", "b", "bb", "bbb"], dtype=object)
    kernel = mercer.kernels.FromCallable(
        lambda U, V: np.exp(-np.abs(np.subtract.outer([len(u) for u in U], [len(v) for v in V]))),
        objects=True,
    )
    lengths = np.array([len(w) for w in words], dtype=float)
    model = GaussianProcessRegressor.automatic(kernel, noise=0.01).fit(words, lengths)
    np.testing.assert_allclose(model.predict(words), lengths, atol=0.1)


def test_minimise_on_a_function_with_known_minimum():
    def rosenbrock(p):
        a, b = p
        value = (1 - a) ** 2 + 10 * (b - a * a) ** 2
        return value, np.array([-2 * (1 - a) - 40 * a * (b - a * a), 20 * (b - a * a)])

    box = np.array([[-3.0, 3.0], [-3.0, 3.0]])
    found = minimise(rosenbrock, np.array([-1.0, 2.0]), box, tol=1e-12)
    np.testing.assert_allclose(found.x, [1.0, 1.0], atol=1e-4)
    tight = np.array([[-3.0, 0.5], [-3.0, 3.0]])
    found = minimise(rosenbrock, np.array([-1.0, 2.0]), tight, tol=1e-12)
    np.testing.assert_allclose(found.x, [0.5, 0.25], atol=1e-4)


def test_evidence_published_is_about_the_rows():
    X, y = wave(40)
    model = GaussianProcessRegressor.automatic().fit(X, y)
    evidence = model.evidence_
    residuals = model.leave_one_out().residuals
    assert evidence.loo["exact"] == pytest.approx(np.mean(residuals**2))
    assert evidence.task == "regression"
    assert any("hyper-parameters" in choice.what for choice in evidence.choices)
    assert "loo-exact" in model.certificates_
