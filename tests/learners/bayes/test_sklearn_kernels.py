"""Gaussian processes in place of scikit-learn's: its kernels, defaults and numbers."""

import numpy as np
import pytest
import sklearn.gaussian_process as theirs
from sklearn.gaussian_process.kernels import (
    RBF,
    CompoundKernel,
    DotProduct,
    ExpSineSquared,
    Matern,
    PairwiseKernel,
    RationalQuadratic,
    WhiteKernel,
)
from sklearn.gaussian_process.kernels import ConstantKernel as C
from sklearn.gaussian_process.tests._mini_sequence_kernel import MiniSeqKernel

import mercer
from mercer.kernels.contraction import contract, contract_diagonal
from mercer.kernels.sklearn_theta import SklearnTheta
from mercer.kernels.structured.from_sklearn import FromSklearn

rng = np.random.default_rng(0)
X = rng.normal(size=(40, 2))
F = np.sin(2 * X[:, 0]) + 0.1 * rng.normal(size=40)
LABELS = np.digitize(X[:, 0] + 0.3 * X[:, 1], [-0.5, 0.5])
QUERY = rng.normal(size=(9, 2))

KERNELS = [
    C(2.0) * RBF([1.0, 2.0]) + WhiteKernel(0.1),
    RBF(1.5) * C(3.0) + C(0.5),
    (C(2.0, "fixed") * Matern([0.7, 1.3], nu=2.5) + DotProduct(1.3)) ** 2,
    RationalQuadratic(1.2, 0.7) * C(1.5) + C(2.0) * RBF(1.0, "fixed"),
    C(2.0) * C(3.0) + RBF(),
    Matern(1.0, nu=np.inf) + WhiteKernel(0.5, "fixed"),
    Matern(1.0, nu=0.5) + Matern(2.0, nu=1.5) * C(2.0),
]
WRAPPED = [
    ExpSineSquared(1.0, 2.0)
    * RBF(2.0),  # the distance of two columns is wound: not even positive definite
    PairwiseKernel(gamma=0.5, metric="rbf") + WhiteKernel(0.1),
    RBF(1.0) ** 1.5,
]


@pytest.mark.parametrize("kernel", KERNELS + WRAPPED, ids=str)
def test_values_and_derivatives_are_those_of_scikit_learn(kernel):
    theta = SklearnTheta(kernel, 2)
    assert isinstance(theta.kernel, FromSklearn) is (kernel in WRAPPED)
    values, slopes = kernel(X, eval_gradient=True)
    np.testing.assert_allclose(theta.kernel(X), values, atol=1e-12 * np.abs(values).max())
    weight = rng.normal(size=(40, 40))
    expected = np.einsum("ij,ijp->p", weight, slopes)
    own = weight.diagonal().copy()
    np.fill_diagonal(weight, 0.0)
    found = contract(theta.kernel, X, X, weight)
    diagonal = contract_diagonal(theta.kernel, X, own)
    gradient = theta.pull_back(theta.kernel, {k: v + diagonal[k] for k, v in found.items()})
    np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-7 * np.abs(slopes).sum())
    assert len(theta.names) == len(kernel.theta)
    np.testing.assert_allclose(theta.public_at(kernel.theta + 1.0).theta, kernel.theta + 1.0)


@pytest.mark.parametrize("kernel", [None, *KERNELS[:2], *WRAPPED[1:]], ids=str)
@pytest.mark.parametrize("settings", [{"alpha": 0.05}, {"alpha": 0.05, "normalize_y": True}])
@pytest.mark.parametrize("optimizer", [None, "fmin_l_bfgs_b"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_regression_has_the_same_numbers(kernel, settings, optimizer):
    ours = mercer.GaussianProcessRegressor(kernel, optimizer=optimizer, **settings).fit(X, F)
    reference = theirs.GaussianProcessRegressor(kernel, optimizer=optimizer, **settings).fit(X, F)
    # the optimum is flat: digits of theta are half of those of the value
    digits = 1e-9 if optimizer is None else 1e-3
    np.testing.assert_allclose(ours.kernel_.theta, reference.kernel_.theta, atol=10 * digits)
    assert ours.kernel_.bounds.tolist() == reference.kernel_.bounds.tolist()
    assert ours.log_marginal_likelihood() == pytest.approx(
        reference.log_marginal_likelihood(), abs=max(1e-8, digits**2 * 10)
    )
    for method in ({"return_std": True}, {"return_cov": True}):
        found, wanted = ours.predict(QUERY, **method), reference.predict(QUERY, **method)
        for mine, other in zip(found, wanted, strict=True):
            np.testing.assert_allclose(mine, other, atol=5 * digits)
    theta = reference.kernel_.theta
    for mine, other in zip(
        ours.log_marginal_likelihood(theta, True),
        reference.log_marginal_likelihood(theta, True),
        strict=True,
    ):
        np.testing.assert_allclose(mine, other, atol=1e-4)


@pytest.mark.parametrize("kernel", [None, 4.0 * RBF([1.0, 1.0]), WRAPPED[2]], ids=str)
@pytest.mark.parametrize("labels", [LABELS > 0, LABELS], ids=["two", "three"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_classification_has_the_same_numbers(kernel, labels):
    ours = mercer.GaussianProcessClassifier(kernel).fit(X, labels)
    reference = theirs.GaussianProcessClassifier(kernel).fit(X, labels)
    np.testing.assert_allclose(ours.kernel_.theta, reference.kernel_.theta, atol=0.05)
    assert isinstance(ours.kernel_, CompoundKernel) is (len(ours.classes_) > 2)
    # scikit-learn replaces the logistic by five error functions when it averages
    np.testing.assert_allclose(ours.predict_proba(X), reference.predict_proba(X), atol=5e-3)
    for theta in (reference.kernel_.theta, None):
        assert ours.log_marginal_likelihood(theta) == pytest.approx(
            reference.log_marginal_likelihood(theta), abs=1e-4
        )
    if kernel is not None:
        shared = ours.log_marginal_likelihood(kernel.theta)
        assert shared == pytest.approx(reference.log_marginal_likelihood(kernel.theta), abs=1e-5)


@pytest.mark.parametrize("n_targets", [1, 3])
def test_shapes_of_several_targets_before_and_after_fit(n_targets):
    model = mercer.GaussianProcessRegressor(alpha=0.1, optimizer=None, n_targets=n_targets)
    last = () if n_targets == 1 else (n_targets,)
    for _ in range(2):
        mean, covariance = model.predict(QUERY, return_cov=True)
        assert mean.shape == (9, *last)
        assert covariance.shape == (9, 9, *last)
        assert model.predict(QUERY, return_std=True)[1].shape == (9, *last)
        assert model.sample_y(QUERY, 4).shape == (9, *last, 4)
        model.fit(X, np.column_stack([F] * n_targets))


def test_rows_that_are_not_vectors():
    words, values = ["A", "AB", "B", "BAB"], np.array([1.0, 2.0, 0.0, 3.0])
    kernel = MiniSeqKernel() + WhiteKernel(0.1)
    ours = mercer.GaussianProcessRegressor(kernel, optimizer=None).fit(words, values)
    reference = theirs.GaussianProcessRegressor(kernel, optimizer=None).fit(words, values)
    new = ["BA", "AAB"]
    np.testing.assert_allclose(ours.predict(new), reference.predict(new))
    assert ours.sample_y(new, 3).shape == (2, 3)
    prior = mercer.GaussianProcessRegressor(kernel).predict(new, return_std=True)[1]
    np.testing.assert_allclose(prior, np.sqrt(kernel.diag(new)))


def test_a_learned_noise_is_on_top_of_theta():
    model = mercer.GaussianProcessRegressor(RBF(1.0), noise="learn").fit(X, F)
    assert model.theta_names_ == ["length_scale", "noise"]
    np.testing.assert_allclose(np.exp(model.theta_), [model.kernel_.length_scale, model.noise_])
    value, gradient = model.log_marginal_likelihood(model.kernel_.theta, eval_gradient=True)
    assert value == pytest.approx(model.log_marginal_likelihood(), abs=1e-6)
    assert gradient.shape == (1,)


def test_what_automatic_means():
    model = mercer.GaussianProcessRegressor.automatic().fit(X, F)
    assert model.noise_ == pytest.approx(0.01 / F.var(), rel=0.6)
    assert model.score(QUERY, np.sin(2 * QUERY[:, 0])) > 0.9
    assert mercer.GaussianProcessClassifier.automatic().fit(X, LABELS).score(X, LABELS) > 0.9


def test_bounds_come_with_the_kernel():
    model = mercer.GaussianProcessRegressor(RBF(1.0), bounds={"length_scale": (1, 2)})
    with pytest.raises(ValueError, match="bounds of its own"):
        model.fit(X, F)
    held = mercer.GaussianProcessRegressor(RBF(1.0, (0.5, 2.0)), alpha=0.1).fit(X, F)
    assert 0.5 <= held.kernel_.length_scale <= 2.0


@pytest.mark.parametrize("kernel", [KERNELS[0], WRAPPED[2]], ids=str)
def test_a_file_holds_them(kernel, tmp_path):
    model = mercer.GaussianProcessRegressor(kernel, alpha=0.1, optimizer=None).fit(X, F)
    mercer.save(model, tmp_path / "model.mercer")
    again = mercer.load(tmp_path / "model.mercer")
    assert again.kernel_ == model.kernel_
    np.testing.assert_array_equal(again.predict(QUERY), model.predict(QUERY))
