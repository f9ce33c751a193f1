"""Kernel PCA where iterative solvers go wrong: each time against all eigenvalues of the matrix."""

import numpy as np
import pytest

from mercer import _config
from mercer.kernels import Gaussian, Laplacian, Linear, Polynomial
from mercer.learners.spectral import KernelPCA
from mercer.learners.spectral._eigen import largest_eigenpairs

N = 900  # above the size up to which all eigenvectors are computed


def normal(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def tiny_clusters():
    """Eight far groups of three rows among 876: landmarks would miss most of them."""
    places = 100.0 * np.vstack([np.eye(4), -np.eye(4)])
    return np.vstack([normal(N - 24, 4), np.repeat(places, 3, axis=0) + 0.01 * normal(24, 4)])


CASES = {
    "plain": (normal(N, 5), Gaussian(1.0)),
    "tiny clusters": (tiny_clusters(), Gaussian(0.5)),
    "thirty equal eigenvalues": (np.repeat(100.0 * np.eye(30), N // 30, axis=0), Gaussian(1.0)),
    "nearly the identity": (normal(N, 5), Gaussian(0.02)),
    "rank three": (normal(N, 3), Linear()),
    "rank two after centring": (normal(N, 1), Polynomial(2)),
    "all rows alike": (np.ones((N, 3)), Gaussian(1.0)),
    "far from the origin": (normal(N, 5) + 1e7, Gaussian(1.0)),
    "too large for float32": (1e9 * normal(N, 5), Polynomial(5)),
    "heavy tail": (normal(N, 5), Laplacian(0.2)),
}


@pytest.mark.parametrize("centre", [True, False])
@pytest.mark.parametrize("case", CASES)
def test_the_largest_are_found(case, centre):
    X, kernel = CASES[case]
    model = KernelPCA(10, kernel=kernel, center=centre).fit(X)
    with _config.config(compiled=False):
        K = kernel(X)
    means = K.mean(axis=0)
    C = K - means - means[:, None] + means.mean() if centre else K
    exact, size = np.linalg.eigvalsh(C)[::-1][:10], np.abs(np.diag(K)).sum()
    assert model.eigenvalues_ == pytest.approx(np.maximum(exact, 0.0), abs=1e-10 * size)
    vectors = model.eigenvectors_
    assert vectors.T @ vectors == pytest.approx(np.eye(10), abs=1e-10)
    off = np.linalg.norm(C @ vectors - vectors * model.eigenvalues_, axis=0)
    assert off.max() <= 1.01e-7 * max(exact[0], 1e-6 * size)
    assert np.all(model.explained_variance_ratio_ <= 1.0 + 1e-9)


def test_a_rough_product_that_lies_does_no_harm():
    """The start may be anything: the exact product alone decides when to stop."""
    B = normal(600, 600)
    A = B @ B.T
    lies = normal(600, 600, seed=1)
    values, vectors = largest_eigenpairs(
        lambda V: A @ V, 600, 5, rough=lambda V: (lies + lies.T) @ V
    )
    assert values == pytest.approx(np.linalg.eigvalsh(A)[::-1][:5])
    assert np.linalg.norm(A @ vectors - vectors * values, axis=0).max() <= 1.1e-7 * values[0]


def test_scaling_of_many_rows_whose_lowest_eigenvalues_are_rounding():
    """Distances of points in five dimensions: all other eigenvalues are equal."""
    from sklearn.metrics import pairwise_distances

    from mercer.learners.spectral.mds import ClassicalMDS

    X = np.random.default_rng(0).normal(size=(700, 5))
    embedded = ClassicalMDS(5).fit_transform(X)
    np.testing.assert_allclose(pairwise_distances(embedded), pairwise_distances(X), atol=1e-6)
