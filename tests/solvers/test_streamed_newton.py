"""Newton's method in passes where single precision is not enough for the Hessian."""

import numpy as np
import pytest

from mercer.solvers.streamed_newton import LossSums, _solve, newton


def test_a_hessian_that_rounding_made_indefinite_still_gives_a_descent():
    rng = np.random.default_rng(0)
    half = rng.normal(size=(6, 3))
    hessian = half @ half.T - 1e-6 * np.eye(6)  # rank 3, the rest below zero
    gradient = rng.normal(size=6)
    with pytest.raises(np.linalg.LinAlgError):
        np.linalg.cholesky(hessian)
    assert gradient @ _solve(hessian, gradient) > 0
    whole = half @ half.T + np.eye(6)
    np.testing.assert_allclose(_solve(whole, gradient), np.linalg.solve(whole, gradient))


@pytest.mark.parametrize("bad", [np.diag([1.0, -3.0]), np.diag([1.0, np.nan]), -np.eye(2)])
def test_what_is_no_rounding_is_refused(bad):
    with pytest.raises((np.linalg.LinAlgError, ValueError)):
        _solve(bad, np.ones(2))


def test_a_high_price_of_equal_rows_ends_at_the_minimum():
    """Rows of few distinct kinds: all but a few directions of the Hessian are rounding."""
    rng = np.random.default_rng(1)
    kinds = rng.normal(size=(8, 120)).astype(np.float32)
    phi = kinds[rng.integers(0, 8, 600)]
    signs = np.where(rng.random((600, 1)) < 0.4, 1.0, -1.0)

    class Squares:
        """Half the square of the distance from the label."""

        value = staticmethod(lambda out, sign: 0.5 * (out - sign) ** 2)
        gradient = staticmethod(lambda out, sign: out - sign)
        curvature = staticmethod(lambda out, sign: np.ones_like(out))

    C = 1e8
    found = newton(lambda state: LossSums.of(phi, signs, None, Squares, state),
                   np.zeros((1, 121)), C, max_iter=200)  # fmt: skip
    wide = np.column_stack([phi.astype(float), np.ones(600)])
    best = np.linalg.lstsq(wide, signs[:, 0], rcond=None)[0]
    least = 0.5 * np.sum((wide @ best - signs[:, 0]) ** 2)
    assert found.objective[0] / C == pytest.approx(least, rel=1e-3)
