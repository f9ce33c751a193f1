"""The band form of a matrix against its inverse and its eigenvectors."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mercer
from mercer.solvers import _blas_in_place as blas
from mercer.solvers import band, spectral

W = band.WIDTH
SHIFTS = np.array([1e-3, 0.1, 5.0])


def matrix(n, kind):
    rng = np.random.default_rng(n)
    if kind == "identity":  # nothing to reflect
        return np.eye(n)
    if kind == "low rank":
        return mercer.kernels.Gaussian(3.0)(rng.normal(size=(n, 1)))
    return mercer.kernels.Gaussian(1.5)(rng.normal(size=(n, 5)))


@pytest.mark.parametrize("kind", ["full", "low rank", "identity"])
@pytest.mark.parametrize("n", [1, 2, W - 1, W, W + 1, 2 * W, 2 * W + 1, 7 * W + 5])
def test_inverse_and_solutions(n, kind):
    A = matrix(n, kind)
    form = band.reduce(np.array(A, order="F"))
    assert_allclose(form.Q.T @ form.Q, np.eye(n), atol=1e-13)
    B = form.Q.T @ A @ form.Q
    far = np.abs(np.subtract.outer(np.arange(n), np.arange(n))) > W
    assert np.abs(B[far]).max(initial=0.0) < 1e-12 * n
    inverses = [np.linalg.inv(A + shift * np.eye(n)) for shift in SHIFTS]
    exact = np.stack([np.diagonal(inverse) for inverse in inverses], axis=1)
    assert_allclose(form.inverse_diagonals(SHIFTS), exact, rtol=1e-8)
    b = np.random.default_rng(0).normal(size=(n, 2))
    for shift, inverse in zip(SHIFTS, inverses, strict=True):
        found = form.apply(float(shift), form.coordinates(b), b)
        assert_allclose(found, inverse @ b, atol=1e-9 / shift)


def test_a_path_through_the_band_is_that_of_eigenvectors(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(180, 4))
    y = np.column_stack([np.sin(X[:, 0]), X[:, 1] ** 2]) + 0.1 * rng.normal(size=(180, 2))
    weight = rng.uniform(0.5, 2.0, 180)
    options = {"kernel": "rbf", "gamma": 0.3, "fit_intercept": True}
    slow = mercer.KernelRidge("loo", **options).fit(X, y, weight)
    monkeypatch.setattr(spectral, "BAND", 100)
    fast = mercer.KernelRidge("loo", **options).fit(X, y, weight)
    assert (slow.solver_, fast.solver_) == ("eigen", "band")
    assert fast.alpha_ == slow.alpha_
    assert_allclose(fast.path_.errors, slow.path_.errors, rtol=1e-7)
    assert_allclose(fast.loo_residuals_, slow.loo_residuals_, atol=1e-8)
    assert_allclose(fast.dual_coef_, slow.dual_coef_, atol=1e-6)
    one = mercer.KernelRidge(slow.alpha_, solver="cholesky", **options).fit(X, y, weight)
    assert_allclose(one.loo_residuals_, fast.loo_residuals_, atol=1e-8)


def test_an_indefinite_matrix_is_left_to_eigenvectors(monkeypatch):
    monkeypatch.setattr(spectral, "BAND", 10)
    K = matrix(60, "full") - 0.4 * np.eye(60)
    y = np.random.default_rng(0).normal(size=60)
    model = mercer.KernelRidge([0.1, 1.0], kernel="precomputed").fit(K, y)
    assert model.solver_ == "eigen"


def test_blocks_that_blas_cannot_read_are_refused():
    A = np.zeros((4, 4))
    with pytest.raises(ValueError, match="column-major"):
        blas.product(A[:, :2], np.zeros((2, 2), order="F"))
