"""Sums over derivatives agree with the derivatives themselves, and Theta is a faithful vector."""

import numpy as np
import pytest

from mercer.kernels import (
    Constant,
    Gaussian,
    Laplacian,
    Linear,
    Mahalanobis,
    Matern,
    Periodic,
    Polynomial,
    RationalQuadratic,
    White,
)
from mercer.kernels.contraction import contract, contract_diagonal
from mercer.kernels.theta import Theta

SCALES = np.array([0.5, 1.0, 3.0])
KERNELS = [
    Gaussian(0.8),
    Gaussian(SCALES),
    Mahalanobis(SCALES),
    Matern(SCALES, 0.5),
    Matern(1.2, 1.5),
    Matern(SCALES, 2.5),
    RationalQuadratic(SCALES, 0.7),
    Laplacian(SCALES),
    Periodic(0.9, 2.5),
    Polynomial(2, coef0=0.5),
    2.0 * Gaussian(SCALES) + 0.5,
    Gaussian(SCALES) * Matern(1.3) + 0.3 * Linear() + White(0.2),
    Gaussian(0.9).on([0, 2]) + Constant(1.5),
    (Linear() + 1.0).normalized(),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_contraction_is_the_sum_over_the_gradient(kernel):
    rng = np.random.default_rng(0)
    X, Y, W = rng.normal(size=(7, 3)), rng.normal(size=(5, 3)), rng.normal(size=(7, 5))
    expected = kernel.gradient(X, Y)
    found = contract(kernel, X, Y, W)
    assert set(found) == set(expected)
    for name, slope in expected.items():
        total = np.tensordot(W, slope, axes=((0, 1), (0, 1)))
        np.testing.assert_allclose(found[name], total, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_contraction_of_the_diagonal(kernel):
    rng = np.random.default_rng(1)
    X, w = rng.normal(size=(6, 3)), rng.normal(size=6)
    expected = kernel.gradient(X)
    found = contract_diagonal(kernel, X, w)
    assert set(found) == set(expected)
    for name, slope in expected.items():
        own = np.moveaxis(slope.diagonal(), -1, 0)
        np.testing.assert_allclose(found[name], w @ own, rtol=1e-7, atol=1e-9)


def test_theta_there_and_back():
    X = np.random.default_rng(0).normal(size=(5, 3))
    kernel = 2.0 * Gaussian(SCALES) + White(0.1)
    theta = Theta(kernel, X)
    assert theta.names[-1] == "right__noise"
    assert theta.size == 5
    same = theta.kernel_at(theta.start())
    np.testing.assert_allclose(same(X), kernel(X))
    moved = theta.kernel_at(theta.start() + 0.1)
    assert moved.left.factor == pytest.approx(2.0 * np.exp(0.1))


def test_parameters_that_are_off_or_fixed_stay():
    X = np.random.default_rng(0).normal(size=(5, 3))
    kernel = Gaussian(np.array([1.0, np.inf, 2.0])) + 0.0
    theta = Theta(kernel, X)
    assert theta.names == ["kernel__length_scale[0]", "kernel__length_scale[2]"]
    assert np.isinf(theta.kernel_at(theta.start() + 1.0).kernel.length_scale[1])
    assert Theta(kernel, X, {"kernel__length_scale": "fixed"}).size == 0


def test_bounds_are_checked():
    X = np.zeros((2, 1))
    with pytest.raises(ValueError, match="no parameter 'width'"):
        Theta(Gaussian(1.0), X, {"width": (1, 2)})
    with pytest.raises(ValueError, match="low <= high"):
        Theta(Gaussian(1.0), X, {"length_scale": (2.0, 1.0)})
    low, high = np.exp(Theta(Gaussian(1.0), X, {"length_scale": (0.1, 5.0)}).bounds()[0])
    assert (low, high) == (pytest.approx(0.1), pytest.approx(5.0))
