"""Bandwidths that share products and distances give the matrices that each would give alone."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

import mercer
from mercer import _paths, kernels
from mercer.gram import SharedGrams

RNG = np.random.default_rng(0)
X = RNG.normal(size=(83, 7)) * RNG.uniform(0.5, 2.0, 7) + 5.0
POSITIVE = np.abs(X)
SCALES = np.linspace(0.5, 2.0, 7)
FAMILIES = [
    kernels.Gaussian(0.7),
    kernels.Gaussian(3.0),
    kernels.Gaussian(SCALES),
    kernels.Matern(1.5, nu=0.5),
    kernels.Matern(1.5, nu=1.5),
    kernels.Matern(SCALES, nu=2.5),
    kernels.Laplacian(4.0),
    kernels.Linear(),
    kernels.Polynomial(3),
    kernels.RationalQuadratic(2.0),  # not of the compiled core: computed directly
]


@pytest.mark.parametrize("kernel", FAMILIES, ids=str)
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_equal_to_the_direct_matrix(kernel, kind):
    grams = SharedGrams(X)
    found = grams.matrix(kernel, kind)
    assert found.dtype == kind
    direct = kernel(X.astype(kind))
    eps = np.finfo(kind).eps
    assert_allclose(found, direct, rtol=20 * eps, atol=20 * eps * np.abs(direct).max())
    with mercer.config(compiled=False):  # NumPy's own formula, in double precision
        slow = kernel(X)
    loose = 2e-4 if kind == np.float32 else 1e-12
    assert_allclose(found, slow, rtol=loose, atol=loose * np.abs(slow).max())


@pytest.mark.parametrize("n", [1, 2, 3, 15, 16, 17, 33])
def test_odd_sizes(n):
    grams = SharedGrams(X[:n])
    kernel = kernels.Gaussian(1.3)
    assert_allclose(grams.matrix(kernel), kernel(X[:n]), atol=1e-14)


def test_pairs_are_computed_once_for_all_bandwidths_and_radial_families():
    grams = SharedGrams(X)
    for scale in (0.5, 1.0, 2.0, 4.0):
        grams.matrix(kernels.Gaussian(scale))
        grams.matrix(kernels.Matern(scale, nu=1.5))
    assert grams.computed == 1
    grams.matrix(kernels.Gaussian(SCALES))  # another set of columns
    assert grams.computed == 2
    grams.matrix(kernels.Laplacian(2.0))  # another distance
    grams.matrix(kernels.Laplacian(3.0))
    assert grams.computed == 3


def test_memory_is_used_again():
    grams = SharedGrams(X)
    first = grams.matrix(kernels.Gaussian(1.0))
    second = grams.matrix(kernels.Gaussian(2.0), out=first)
    assert second is first
    assert_allclose(second, kernels.Gaussian(2.0)(X), atol=1e-14)


def test_nothing_is_kept_beyond_the_memory_limit():
    grams = SharedGrams(X, memory_limit=8 * 83 * 83 * 8)
    kernel = kernels.Gaussian(1.0)
    assert_allclose(grams.matrix(kernel), kernel(X), atol=1e-14)
    assert grams.computed == 0


@pytest.mark.parametrize("kernel", FAMILIES[:6], ids=str)
def test_sparse_rows(kernel):
    rows = sparse.random_array((40, 7), density=0.4, rng=np.random.default_rng(1), format="csr")
    grams = SharedGrams(rows)
    assert_allclose(grams.matrix(kernel), kernel(rows), atol=2e-7)  # the root of a difference
    grams.matrix(kernel)
    assert grams.computed == 1


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_the_compiled_sweep_checks_its_arguments(kind):
    pairs, norms = np.ones((4, 4), kind), np.ones(4, kind)
    good = (pairs, norms, norms, "gaussian", (1.0, 0.0, 0.0), np.empty((4, 4), kind), 2)
    _paths.finish(*good)
    for place, wrong, message in [
        (1, norms[:3], "one norm"),
        (2, norms[:3], "one norm"),
        (3, "chi2", "chi2"),
        (3, "nonsense", "unknown kernel family"),
        (5, np.empty((4, 3), kind), "shape of the pairs"),
    ]:
        with pytest.raises(ValueError, match=message):
            _paths.finish(*good[:place], wrong, *good[place + 1 :])
    with pytest.raises(TypeError):
        _paths.finish(*good[:5], np.empty((4, 4), np.float16), 2)
