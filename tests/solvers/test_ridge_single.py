"""Ridge systems with a matrix held in single precision: as accurate as double precision."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mercer
from mercer.gram import DenseGram, KernelGram
from mercer.kernels import Gaussian
from mercer.solvers import ridge, single
from mercer.solvers.pivoted import thin_factor
from mercer.solvers.scaled import ScaledGram

N = 400


def problem(kind, weighted):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 6))
    K = Gaussian(2.0)(X)
    factor = np.sqrt(rng.uniform(0.5, 2.0, N)) if weighted else None
    gram = KernelGram(Gaussian(2.0), X) if kind == "kernel" else DenseGram(K)
    A = K if factor is None else factor[:, None] * K * factor
    return ScaledGram(gram, factor), A, rng.normal(size=(N, 2))


def backward_error(A, shift, x, b):
    residual = b - A @ x - shift * x
    scale = np.linalg.norm(A, 2) * np.linalg.norm(x, axis=0) + np.linalg.norm(b, axis=0)
    return float(np.max(np.linalg.norm(residual, axis=0) / scale))


@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", ["kernel", "dense"])
@pytest.mark.parametrize("shift", [1.0, 1e-2, 1e-4])
def test_the_answer_is_as_good_as_a_direct_solve(shift, kind, weighted, columns):
    gram, A, b = problem(kind, weighted)
    b = b[:, :columns]
    method, answer = single.solve(gram, shift, b, 1e-17, remainder=np.inf)
    assert method == "cholesky, single precision, refined"
    assert backward_error(A, shift, answer.x, b) < 5e-16
    exact = np.linalg.solve(A + shift * np.eye(N), b)
    assert_allclose(answer.x, exact, rtol=0, atol=1e-11 * np.abs(exact).max() / shift)


def test_steps_with_the_held_matrix_where_they_are_few():
    gram, A, b = problem("kernel", False)
    method, answer = single.solve(gram, 3.0, b, 1e-17, remainder=0.0)
    assert method == "cg"
    assert backward_error(A, 3.0, answer.x, b) < 5e-16


def test_a_remainder_too_large_for_steps_takes_the_factor():
    gram, _, b = problem("kernel", False)
    method, _ = single.solve(gram, 1e-4, b, 1e-17, remainder=0.0)  # seen after all columns
    assert method != "cg"


def test_what_single_precision_cannot_do_is_left_to_double():
    gram, A, b = problem("dense", False)
    indefinite = ScaledGram(DenseGram(A - 0.5 * np.eye(N), validate=False))
    assert single.solve(indefinite, 1e-3, b, 1e-17, np.inf) is None
    with mercer.config(memory_limit=1000):
        assert single.solve(gram, 1.0, b, 1e-17, np.inf) is None


def test_a_thin_factor_in_single_precision_is_that_of_double_to_rounding():
    gram, A, _ = problem("kernel", False)
    thin = thin_factor(single.Held(gram.dense_single()), 60, tol=1e-6)
    assert thin.transposed.dtype == np.float32
    rest = A - thin.transposed.T @ thin.transposed
    assert_allclose(np.diagonal(rest), thin.residual, atol=1e-5)
    assert np.linalg.eigvalsh(rest).min() > -1e-4


@pytest.mark.parametrize("alpha", [10.0, 1e-3])
def test_auto_agrees_with_cholesky_above_the_direct_size(monkeypatch, alpha):
    """Easy shifts stream, hard ones hold the matrix; both end where Cholesky does."""
    monkeypatch.setattr(ridge, "DIRECT", 100)
    gram, _, b = problem("kernel", False)
    found = ridge.solve(gram, alpha, b)
    assert found.method == ("cg" if alpha == 10.0 else "cholesky, single precision, refined")
    exact = ridge.solve(gram, alpha, b, method="cholesky").coef
    assert_allclose(found.coef, exact, rtol=0, atol=1e-11 * np.abs(exact).max() / min(alpha, 1))
    assert ridge.solve(gram, alpha, b, mixed=False).method in ("cg", "cholesky")
