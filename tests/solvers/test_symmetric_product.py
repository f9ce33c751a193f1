"""K(X, X)·V from tiles that are used twice, against the matrix itself."""

import numpy as np
import pytest

from mercer import _config, _native
from mercer.gram import DenseGram, KernelGram
from mercer.kernels import Gaussian, Linear, Matern, Polynomial

FAMILIES = {
    "linear": (0.0, 0.0, 0.0),
    "polynomial": (0.5, 1.0, 3.0),
    "gaussian": (0.3, 0.0, 0.0),
    "matern52": (1.1, 0.0, 0.0),
    "laplacian": (0.7, 0.0, 0.0),
    "jaccard": (0.0, 0.0, 0.0),
}


def product(X, V, family="gaussian", threads=2):
    result = np.full(V.shape, np.nan)
    _native.symmetric_matmul(X, V, family, FAMILIES[family], result, threads)
    return result


@pytest.fixture(params=_native.levels())
def level(request):
    before = _native.level()
    _native.set_level(request.param)
    yield
    _native.set_level(before)


@pytest.mark.parametrize("n", [1, 7, 255, 256, 257, 600])  # tiles have 256 columns
@pytest.mark.parametrize("family", FAMILIES)
def test_it_is_the_product_with_the_matrix(level, n, family):
    rng = np.random.default_rng(n)
    X = np.abs(rng.normal(size=(n, 3)))
    for k in (1, 8, 21):
        V = rng.normal(size=(n, k))
        for dtype, digits in ((np.float64, 1e-13), (np.float32, 2e-6)):
            rows = X.astype(dtype)
            K = _native.kernel_tile(rows, rows, family, FAMILIES[family], 1).astype(float)
            scale = np.abs(K) @ np.abs(V)
            assert np.all(np.abs(product(rows, V, family) - K @ V) <= digits * scale)


def test_no_digit_depends_on_the_threads():
    rng = np.random.default_rng(0)
    X, V = rng.normal(size=(1300, 4)), rng.normal(size=(1300, 5))
    for rows in (X, X.astype(np.float32)):
        alone = product(rows, V, threads=1)
        for threads in (2, 3, 7):
            assert np.array_equal(product(rows, V, threads=threads), alone)


def test_shapes_are_checked():
    X, V = np.zeros((4, 2)), np.zeros((4, 3))
    arguments = ("gaussian", (1.0, 0.0, 0.0))
    with pytest.raises(ValueError, match="one row per row"):
        _native.symmetric_matmul(X, V[:3], *arguments, np.empty((3, 3)), 1)
    with pytest.raises(ValueError, match="shape of V"):
        _native.symmetric_matmul(X, V, *arguments, np.empty((4, 2)), 1)
    with pytest.raises(TypeError):
        _native.symmetric_matmul(X, V, *arguments, np.empty((4, 3), dtype=np.float32), 1)


def test_grams_offer_single_precision_where_it_helps():
    rng = np.random.default_rng(1)
    X, V = rng.normal(size=(400, 3)) + 1e5, rng.normal(size=(400, 6))
    gram = KernelGram(Gaussian(1.0), X)
    exact = Gaussian(1.0)(X) @ V
    assert gram.matmul(V) == pytest.approx(exact, abs=1e-9)
    found = gram.single()(V)  # the distance from the origin costs no digits
    assert np.abs(found - exact).max() < 1e-4
    assert np.abs(found - exact).max() > 1e-12  # single it is
    for none in (KernelGram(Linear(), X), KernelGram(Matern(1.0, nu=0.5), X), DenseGram(np.eye(3))):
        assert none.single() is None
    assert KernelGram(Polynomial(2), np.full((3, 1), 1e60)).single() is None  # beyond float32
    with _config.config(compiled=False):
        assert gram.single() is None
