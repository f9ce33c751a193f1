"""Random Fourier and Nyström features."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

from mercer import kernels as mk
from mercer.kernels.features import NystroemFeatures, RandomFourierFeatures

X = np.random.default_rng(4).normal(size=(60, 3))
SPECTRAL = [
    mk.Gaussian(1.3),
    mk.Gaussian(np.array([0.7, 1.5, 4.0])),
    mk.Mahalanobis(1.4),
    mk.Laplacian(2.0),
    mk.Laplacian(np.array([1.0, 2.0, 5.0])),
    mk.Matern(1.3, 0.5),
    mk.Matern(1.3, 1.5),
    mk.Matern(np.array([0.7, 1.5, 4.0]), 2.5),
    mk.RationalQuadratic(1.3, 0.8),
]


def error(kernel, rank, seeds=5):
    """Root mean squared error of an inner product, over seeds."""
    total = 0.0
    for seed in range(seeds):
        Phi = kernel.features(rank, random_state=seed).fit(X).transform(X)
        total += np.mean((Phi @ Phi.T - kernel(X)) ** 2)
    return np.sqrt(total / seeds)


@pytest.mark.parametrize("kernel", SPECTRAL, ids=str)
def test_fourier_error_shrinks_like_one_over_root_rank(kernel):
    assert isinstance(kernel.features(), RandomFourierFeatures)
    small, large = error(kernel, 100), error(kernel, 6400)
    assert large < 0.02
    assert 4 < small / large < 16  # 8 on average


def test_fourier_rows_have_length_one_and_even_rank():
    Phi = mk.Gaussian().features(7, random_state=0).fit_transform(X)
    assert Phi.shape == (60, 8)
    np.testing.assert_allclose(np.sum(Phi**2, axis=1), 1.0)


@pytest.mark.parametrize(
    "kernel", [mk.Polynomial(2, coef0=1.0), mk.Linear() + mk.Gaussian(), mk.Periodic(1.0, 3.0)]
)
def test_nystroem_error_shrinks_and_is_exact_with_all_rows(kernel):
    assert isinstance(kernel.features(), NystroemFeatures)
    K = kernel(X)
    errors = [
        np.abs(Phi @ Phi.T - K).max() / np.abs(K).max()
        for Phi in (kernel.features(r, 0).fit_transform(X) for r in (3, 9, 60))
    ]
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 1e-8


def test_a_linear_kernel_is_exact_at_its_dimension():
    Phi = mk.Linear().features(3, random_state=1).fit_transform(X)
    assert Phi.shape == (60, 3)
    np.testing.assert_allclose(Phi @ Phi.T, X @ X.T, atol=1e-12)


def test_random_states():
    kernel = mk.Gaussian()
    one, two, other = (kernel.features(10, s).fit_transform(X) for s in (0, 0, 1))
    np.testing.assert_array_equal(one, two)
    assert not np.allclose(one, other)
    for generator in (np.random.default_rng(0), np.random.RandomState(0), None):
        assert kernel.features(10, generator).fit_transform(X).shape == (60, 10)


@pytest.mark.parametrize(
    "kernel", [mk.Gaussian("median"), mk.Polynomial(3, coef0=1.0, gamma="scale")]
)
def test_as_a_transformer(kernel):
    y = np.sin(X[:, 0])
    model = make_pipeline(kernel.features(40, random_state=0), Ridge(1e-3)).fit(X, y)
    assert clone(model).fit(X, y).score(X, y) == model.score(X, y) > 0.5
    features = kernel.features(10, random_state=0).fit(X)
    assert features.kernel_.data_dependent
    assert features.transform(X.astype(np.float32)[:5]).shape == (5, 10)
    np.testing.assert_allclose(features.transform(sparse.csr_array(X)), features.transform(X))
    with pytest.raises(NotFittedError):
        clone(features).transform(X)
    with pytest.raises(ValueError, match="columns"):
        features.transform(X[:, :2])
    with pytest.raises(ValueError, match="rank must be a whole number"):
        kernel.features(0).fit(X)


def test_float32_stays_float32():
    small = X.astype(np.float32)
    for kernel in (mk.Gaussian(), mk.Polynomial(2)):
        assert kernel.features(10, 0).fit(small).transform(small).dtype == np.float32


def test_fourier_of_a_kernel_without_a_known_law():
    with pytest.raises(ValueError, match="spectral law"):
        RandomFourierFeatures(mk.Linear()).fit(X)


def test_nystroem_on_strings():
    words = mk.FromCallable(lambda a, b: len(set(a) & set(b)), True, pairwise=True, objects=True)
    data = ["cat", "car", "dog", "god", "taco"]
    Phi = words.features(5, random_state=0).fit_transform(data)
    np.testing.assert_allclose(Phi @ Phi.T, words(data), atol=1e-10)
