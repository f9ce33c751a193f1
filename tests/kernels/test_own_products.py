"""K(X, X) @ V: every value is computed once and used for its row and its column."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mercer import _native

FAMILIES = {
    "linear": (0.0, 0.0, 0.0),
    "polynomial": (0.5, 1.0, 3.0),
    "gaussian": (0.3, 0.0, 0.0),
    "matern32": (1.0, 0.0, 0.0),
    "laplacian": (0.5, 0.0, 0.0),
    "intersection": (0.0, 0.0, 0.0),
}
LEVELS = _native.levels()


def sample(n, dtype, columns):
    rng = np.random.default_rng(n)
    X = rng.uniform(0.1, 1.0, size=(n, 3)).astype(dtype)
    return X, rng.normal(size=(n, columns))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("columns", [1, 3, 8, 9])  # from 9 on rows alone are used
@pytest.mark.parametrize("family", FAMILIES)
def test_agrees_with_the_matrix(family, columns, dtype):
    for n in (1, 47, 97, 256, 300, 1100):  # below, at and above bands and chunks
        X, V = sample(n, dtype, columns)
        K = _native.kernel_tile(X, X, family, FAMILIES[family], 1).astype(np.float64)
        found = _native.kernel_matmul(X, X, V, family, FAMILIES[family], 2, same=True)
        # The matrix itself is symmetric to its rounding only.
        tolerance = 1e-12 if dtype is np.float64 else 1e-5
        assert_allclose(found, K @ V, atol=tolerance * np.abs(K).max() * np.abs(V).sum())


@pytest.mark.parametrize("level", LEVELS)
def test_the_number_of_threads_changes_no_bit(level):
    X, V = sample(3500, np.float64, 2)
    gaussian = ("gaussian", (0.3, 0.0, 0.0))
    before = _native.level()
    try:
        _native.set_level(level)
        one, two, five = (
            _native.kernel_matmul(X, X, V, *gaussian, t, same=True) for t in (1, 2, 5)
        )
        unsaid, other = (_native.kernel_matmul(X, Y, V, *gaussian, 2) for Y in (X, X.copy()))
    finally:
        _native.set_level(before)
    assert_array_equal(one, two)
    assert_array_equal(one, five)
    assert_array_equal(unsaid, other)
    assert not np.array_equal(one, other)  # symmetry is used when it is said, and only then
    assert_allclose(one, other, rtol=1e-12, atol=1e-10)


def test_the_rows_of_another_sample_are_not_the_same():
    X, V = sample(5, np.float64, 1)
    with pytest.raises(ValueError, match="not the rows of X"):
        _native.kernel_matmul(X[:4], X, V, "linear", (0.0, 0.0, 0.0), 1, same=True)
