"""The in-place triangle agrees with dense linear algebra."""

import numpy as np
import pytest

from mercer.gram import NotPositiveDefiniteError
from mercer.gram.triangle import Triangle
from mercer.kernels import Gaussian, White


@pytest.fixture
def case():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 2))  # several groups of rows
    return X, Gaussian(1.0)(X) + 0.5 * np.eye(600), rng


@pytest.mark.parametrize(("dtype", "near"), [("float64", 1e-9), ("float32", 2e-3)])
def test_factor_solve_invert(case, dtype, near):
    X, C, rng = case
    t = Triangle(600, dtype)
    t.fill(Gaussian(1.0), X.astype(dtype))
    t.add_diagonal(0.5)
    v = rng.normal(size=600)
    np.testing.assert_allclose(t.times(v), C @ v, atol=near * 100)
    t.factor()
    assert t.log_determinant() == pytest.approx(np.linalg.slogdet(C)[1], rel=near)
    np.testing.assert_allclose(t.solve(v), np.linalg.solve(C, v), atol=near)
    L = np.linalg.cholesky(C)
    np.testing.assert_allclose(t.half_solve(v[:, None])[:, 0], np.linalg.solve(L, v), atol=near)
    np.testing.assert_allclose(t.half_times(v), L @ v, atol=near * 10)
    inverse = np.linalg.inv(C)
    np.testing.assert_allclose(t.inverse_diagonal(), np.diagonal(inverse), atol=near)
    t.invert()
    np.testing.assert_allclose(np.tril(t.array), np.tril(inverse), atol=near)


def test_growing_a_factor(case):
    _, C, _ = case
    t = Triangle(590)
    t.array[:] = C[:590, :590]
    t.factor()
    bigger = t.grown(C[:590, 590:], C[590:, 590:])
    np.testing.assert_allclose(np.tril(bigger.array), np.linalg.cholesky(C), atol=1e-9)


def test_white_noise_and_precomputed(case):
    X, C, _ = case
    from mercer.kernels import Precomputed

    t, u = Triangle(600), Triangle(600)
    t.fill(Gaussian(1.0) + White(0.5), X)
    u.fill(Precomputed(), C)
    np.testing.assert_allclose(np.tril(t.array), np.tril(u.array), atol=1e-14)


def test_a_singular_matrix_is_raised_and_says_by_how_much():
    t = Triangle(3)

    def fill():
        t.array[:] = np.ones((3, 3))

    fill()
    t.factor(fill)
    assert 0 < t.jitter <= 1e-6
    fill()
    with pytest.raises(NotPositiveDefiniteError, match="not positive definite"):
        t.factor()


def test_the_memory_limit_is_respected():
    import mercer

    with mercer.config(memory_limit="1MB"), pytest.raises(MemoryError, match="inducing points"):
        Triangle(1000)
