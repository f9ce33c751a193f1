"""Kernel ridge: agreement with scikit-learn, refitted leave-one-out, limits and bad input."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.base import clone
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF
from sklearn.kernel_ridge import KernelRidge as Theirs
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer
from mercer import KernelRidge
from mercer.kernels import Gaussian, Linear

R = np.array([-2.0, -1, 0, 1, 2, 3])[:, None]
T = np.array([-0.9, -0.8, 0, 0.8, 0.9, 0.1])


def draw(n=60, d=3, targets=None, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.sin(X[:, 0]) + 0.5 * X[:, 1] + 0.1 * rng.normal(size=n)
    return X, y if targets is None else np.column_stack([y, X[:, 2] ** 2, -y][:targets])


def refitted(model, X, y, weight=None):
    """Leave-one-out residuals by training n times."""
    residuals = []
    for i in range(len(y)):
        rest = np.arange(len(y)) != i
        part = clone(model).fit(X[rest], y[rest], None if weight is None else weight[rest])
        residuals.append(y[i] - part.predict(X[i : i + 1])[0])
    return np.array(residuals)


# -- the same as scikit-learn ----------------------------------------------------------------------


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "laplacian", "cosine"])
@pytest.mark.parametrize("weighted", [False, True])
def test_same_as_scikit_learn(kernel, weighted):
    X, Y = draw(targets=3)
    weight = np.random.default_rng(1).uniform(0, 2, len(Y)) if weighted else None
    ours = KernelRidge(0.3, kernel=kernel).fit(X, Y, weight)
    theirs = Theirs(0.3, kernel=kernel).fit(X, Y, weight)
    assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-8)
    assert_allclose(ours.predict(X[:7]), theirs.predict(X[:7]), atol=1e-8)


def test_histograms_and_sparse_rows():
    X = np.abs(draw()[0])
    y = X[:, 0]
    theirs = Theirs(kernel="chi2", gamma=1.0).fit(X, y)  # theirs cannot take None here
    assert_allclose(KernelRidge(kernel="chi2").fit(X, y).dual_coef_, theirs.dual_coef_)
    model = KernelRidge(kernel="rbf").fit(sparse.csr_array(X), y)
    dense = KernelRidge(kernel="rbf").fit(X, y)
    assert_allclose(model.predict(sparse.csr_array(X)), dense.predict(X), atol=1e-10)


def test_a_penalty_for_every_target():
    X, Y = draw(targets=2)
    ours = KernelRidge([0.1, 5.0], kernel="rbf").fit(X, Y)
    assert_allclose(
        ours.dual_coef_, Theirs([0.1, 5.0], kernel="rbf").fit(X, Y).dual_coef_, atol=1e-10
    )
    assert_allclose(ours.alpha_, [0.1, 5.0])


@pytest.mark.parametrize("solver", ["cholesky", "cg", "eigen"])
def test_every_solver_gives_the_same(solver):
    X, Y = draw(300, targets=2)
    weight = np.linspace(0.5, 2, 300)
    for fit_intercept in (False, True):
        model = KernelRidge(0.01, kernel="rbf", fit_intercept=fit_intercept, solver=solver)
        twin = KernelRidge(0.01, kernel="rbf", fit_intercept=fit_intercept)
        assert_allclose(
            model.fit(X, Y, weight).predict(X), twin.fit(X, Y, weight).predict(X), atol=1e-9
        )


@pytest.mark.parametrize("mixed", [True, False])
@pytest.mark.parametrize("alpha", [1.0, 1e-5])
def test_products_alone_reach_the_accuracy_of_a_direct_solve(mixed, alpha):
    X, y = draw(2000)
    ours = KernelRidge(alpha, kernel="rbf", gamma=0.5, mixed_precision=mixed).fit(X, y)
    K = Gaussian(1.0)(X)

    def residual(c):
        return np.linalg.norm(y - K @ c - alpha * c)

    theirs = Theirs(alpha, kernel="rbf", gamma=0.5).fit(X, y)
    assert residual(ours.dual_coef_) <= 3 * residual(theirs.dual_coef_)
    assert ours.solver_ == ("cg" if alpha == 1.0 else "cholesky")


def test_an_awkward_scale_of_rows_and_targets():
    X, y = draw(2000)
    model = KernelRidge(kernel=Gaussian(1.0), solver="cg").fit(X + 1e4, 1e-12 * y)
    direct = KernelRidge(kernel=Gaussian(1.0), solver="cholesky").fit(X, y)
    assert_allclose(1e12 * model.dual_coef_, direct.dual_coef_, atol=1e-6)


# -- leave one out ---------------------------------------------------------------------------------


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_closed_form_is_what_refitting_gives(fit_intercept, weighted):
    X, y = draw(30)
    weight = np.linspace(0.2, 3, 30) if weighted else None
    model = KernelRidge(0.1, kernel="rbf", gamma=0.4, fit_intercept=fit_intercept)
    truth = refitted(model, X, y, weight)
    model.fit(X, y, weight)
    assert_allclose(model.loo_residuals_, truth, atol=1e-9)
    assert_allclose(model.loo_predictions_, y - truth, atol=1e-9)
    assert_allclose(model.loo_score_, -np.average(truth**2, weights=weight))
    assert_allclose(model.evidence_.loo["exact"], np.average(truth**2, weights=weight))


def test_the_whole_path_is_exact():
    X, Y = draw(25, targets=2)
    alphas = np.array([1e-3, 0.1, 7.0])
    model = KernelRidge(alphas, kernel="rbf", gamma=0.4).fit(X, Y)
    for place, alpha in enumerate(alphas):
        alone = KernelRidge(alpha, kernel="rbf", gamma=0.4)
        truth = refitted(alone, X, Y)
        assert_allclose(model.path_.errors[place], np.mean(truth**2, axis=0), rtol=1e-8)
        alone.fit(X, Y)
        assert_allclose(model.path_.dual_coefs[place], alone.dual_coef_, atol=1e-8)
        assert_allclose(model.predict_path(X[:4])[place], alone.predict(X[:4]), atol=1e-9)
    assert model.alpha_ == alphas[model.path_.errors.mean(axis=1).argmin()]
    each = KernelRidge("loo", alphas=alphas, kernel="rbf", gamma=0.4, alpha_per_target=True)
    best = alphas[model.path_.errors.argmin(axis=0)]
    assert_allclose(np.broadcast_to(each.fit(X, Y).alpha_, 2), best)


def test_a_low_rank_is_noticed_and_changes_nothing():
    X, y = draw(2100, d=2)
    thin = KernelRidge("loo", alphas=[0.01, 1.0], kernel="rbf", gamma=0.3).fit(X, y)
    assert thin.solver_ == "low rank"
    one = KernelRidge(thin.alpha_, kernel="rbf", gamma=0.3, solver="cholesky").fit(X, y)
    assert_allclose(thin.predict(X[:50]), one.predict(X[:50]), atol=1e-9)
    assert_allclose(thin.loo_residuals_, one.loo_residuals_, atol=1e-6)


def test_rows_of_weight_zero_are_not_there():
    X, y = draw()
    weight = np.ones(len(y))
    weight[:5] = 0
    model = KernelRidge("loo", kernel="rbf", gamma=1.0).fit(X, y, weight)
    without = KernelRidge("loo", kernel="rbf", gamma=1.0).fit(X[5:], y[5:])
    assert_allclose(model.predict(X), without.predict(X), atol=1e-8)
    assert np.isnan(model.loo_residuals_[:5]).all()
    assert_allclose(model.predict_path(X), without.predict_path(X), atol=1e-7)


def test_stability_constants():
    X, y = draw(30)
    model = KernelRidge(0.5, kernel=Gaussian(1.0)).fit(X, y)
    found = model.stability_
    change = np.abs(model.predict(X) - model.loo_predictions_)
    assert found["largest_change"] == pytest.approx(change.max())
    assert found["mean_change"] == pytest.approx(change.mean())
    # leaving out row i moves the function everywhere by at most κ²/(2α) times the slope 2|r_i|
    assert found["uniform"] == 1.0
    probe = np.random.default_rng(5).normal(size=(200, 3))
    for i in (0, 7, 19):
        rest = np.arange(30) != i
        part = KernelRidge(0.5, kernel=Gaussian(1.0)).fit(X[rest], y[rest])
        moved = np.abs(part.predict(probe) - model.predict(probe)).max()
        assert moved <= found["uniform"] * 2 * np.abs(y[i] - part.predict(X[i : i + 1])[0])
    assert "uniform" not in KernelRidge(0.5, fit_intercept=True).fit(X, y).stability_


# -- known limits and golden values ----------------------------------------------------------------


def test_mean_of_a_gaussian_process_on_R():
    model = KernelRidge(0.01, kernel=Gaussian(1.0)).fit(R, T)
    assert_allclose(model.predict([[0.5], [5.0]]), [0.436107, -0.070280], atol=1e-6)
    process = GaussianProcessRegressor(RBF(1.0), alpha=0.01, optimizer=None).fit(R, T)
    assert_allclose(model.predict(R), process.predict(R))


def test_linear_kernel_is_ridge():
    X, y = draw(2000, d=4)
    ours = KernelRidge(2.0, fit_intercept=True).fit(X, y)
    assert_allclose(ours.predict(X), Ridge(2.0).fit(X, y).predict(X), atol=1e-9)


def test_explicit_features_of_the_quadratic_kernel():
    X, y = draw(d=2)
    a, b = X.T
    mapped = np.column_stack(
        [a**2, b**2, np.sqrt(2) * a * b, np.sqrt(2) * a, np.sqrt(2) * b, 1 + 0 * a]
    )
    model = KernelRidge(0.7, kernel="poly", degree=2, gamma=1.0, coef0=1.0).fit(X, y)
    linear = Ridge(0.7, fit_intercept=False).fit(mapped, y)
    assert_allclose(model.predict(X), linear.predict(mapped), atol=1e-9)


@given(st.integers(0, 10**6), st.floats(1e-3, 1e3))
@settings(max_examples=15)
def test_the_inverse_is_bounded_by_one_over_alpha(seed, alpha):
    X, y = draw(20, seed=seed)
    model = KernelRidge(alpha, kernel="rbf").fit(X, y)
    assert np.linalg.norm(model.dual_coef_) <= np.linalg.norm(y) / alpha * (1 + 1e-12)
    assert model.evidence_.norm**2 <= (y @ y) / alpha + 1e-9


def test_no_penalty_interpolates_and_takes_the_least_norm():
    X, y = draw(20)
    model = KernelRidge(0.0, kernel="rbf", gamma=5.0).fit(X, y)
    assert_allclose(model.predict(X), y, atol=1e-9)
    doubled = KernelRidge(0.0, kernel="rbf", gamma=5.0).fit(np.vstack([X, X]), np.tile(y, 2))
    assert_allclose(doubled.predict(X), y, atol=1e-8)


# -- evidence, persistence, bad input --------------------------------------------------------------


def test_evidence_is_true():
    X, y = draw()
    model = KernelRidge(0.5, kernel=Gaussian(1.0)).fit(X, y)
    evidence, c = model.evidence_, model.dual_coef_
    K = Gaussian(1.0)(X)
    assert_allclose(evidence.norm, np.sqrt(c @ K @ c))
    assert_allclose(evidence.risks["squared"], np.mean((y - K @ c) ** 2))
    assert_allclose(evidence.lam, 0.5 / len(y))
    assert (evidence.radius, evidence.trace, evidence.n) == (1.0, len(y), len(y))
    assert model.certificates_["loo-exact"].kind == "estimate"
    assert model.certificate_ is None
    chosen = KernelRidge("loo", kernel="rbf", gamma=1.0).fit(X, y).evidence_.choices
    assert [choice.candidates for choice in chosen if choice.what == "alpha"] == [20]
    weighted = KernelRidge(kernel="rbf").fit(X, y, np.linspace(1, 2, len(y)))
    assert weighted.evidence_.C is None


def test_certified_on_unseen_rows():
    X, y = draw(400)
    model = mercer.certified_fit(
        KernelRidge("loo", kernel="rbf"), X, y, mode="holdout", tolerance=0.5
    )
    assert model.certificate_.value < 0.2


def test_pickles_in_a_pipeline():
    X, y = draw()
    pipeline = make_pipeline(StandardScaler(), KernelRidge("loo", kernel="rbf")).fit(X, y)
    copy = pickle.loads(pickle.dumps(pipeline))
    assert_allclose(copy.predict(X), pipeline.predict(X))


def test_single_precision_rows():
    X, y = draw(1800)
    light = KernelRidge(kernel="rbf").fit(X.astype(np.float32), y)
    assert_allclose(
        light.predict(X.astype(np.float32)),
        KernelRidge(kernel="rbf").fit(X, y).predict(X),
        atol=1e-4,
    )


def test_an_indefinite_matrix_is_named():
    X, y = draw(20)
    K = -Linear()(X)
    with pytest.warns(UserWarning, match="not positive definite"):
        model = KernelRidge(0.5, kernel="precomputed").fit(K, y)
    assert_allclose((K + 0.5 * np.eye(20)) @ model.dual_coef_, y, atol=1e-8)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"alpha": -1.0}, "alpha"),
        ({"alpha": "gcv"}, "alpha"),
        ({"alpha": True}, "alpha"),
        ({"alphas": [1.0, np.nan]}, "alphas"),
        ({"kernel": "additive_chi2"}, "kernel"),
        ({"gamma": -1.0}, "gamma"),
        ({"solver": "svd"}, "solver"),
        ({"delta": 0.0}, "delta"),
    ],
)
def test_impossible_parameters_are_named(parameters, message):
    X, y = draw(10)
    with pytest.raises(ValueError, match=f"'{message}' parameter of KernelRidge"):
        KernelRidge(**parameters).fit(X, y)


def test_a_path_needs_memory_and_says_so():
    X, y = draw(400)
    with (
        mercer.config(memory_limit="1MB"),
        pytest.raises(MemoryError, match="one number for alpha"),
    ):
        KernelRidge("loo", kernel="rbf").fit(X, y)
    with pytest.raises(AttributeError, match="path"):
        KernelRidge().fit(X, y).predict_path(X)


def test_one_row_has_no_leave_one_out_with_an_intercept():
    with pytest.raises(ValueError, match="does not exist"):
        KernelRidge("loo", fit_intercept=True).fit([[1.0]], [2.0])


def _of_rows(x, y, width=1.0):
    return float(np.exp(-np.sum((x - y) ** 2) / width))


def _of_samples(A, B):
    return np.exp(-((A[:, None] - B[None]) ** 2).sum(axis=2))


@pytest.mark.parametrize("rows", [np.asarray, pd.DataFrame, list], ids=["array", "frame", "list"])
def test_functions_of_two_rows_are_kernels_as_in_scikit_learn(rows):
    X = np.random.default_rng(0).normal(size=(20, 3))  # as many columns as the probe has rows
    y = X[:, 0] - X[:, 1]
    theirs = Theirs(kernel=_of_rows, kernel_params={"width": 2.0}).fit(X, y)
    ours = KernelRidge(kernel=_of_rows, kernel_params={"width": 2.0}).fit(rows(X), y)
    assert ours.predict(rows(X[:7])) == pytest.approx(theirs.predict(X[:7]))
    product = KernelRidge(kernel=np.dot).fit(rows(X), y)
    assert product.predict(rows(X[:7])) == pytest.approx(KernelRidge().fit(X, y).predict(X[:7]))


def test_functions_of_two_samples_are_kernels_too():
    X = np.random.default_rng(0).normal(size=(20, 3))
    assert KernelRidge(kernel=_of_samples).fit(X, X[:, 0]).predict(X) == pytest.approx(
        KernelRidge(kernel=_of_rows).fit(X, X[:, 0]).predict(X)
    )
