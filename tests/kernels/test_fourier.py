"""Bochner's test against transforms known in closed form."""

import numpy as np
import pytest

from mercer.kernels import Gaussian, Laplacian, Linear, check_fourier


def tent(power):
    return lambda r: np.maximum(1.0 - r, 0.0) ** power


@pytest.mark.parametrize("dimension", [1, 2, 3, 5])
def test_the_transform_of_a_gaussian(dimension):
    found = check_fourier(lambda r: np.exp(-(r**2) / 2.0), dimension)
    exact = (2.0 * np.pi) ** (dimension / 2) * np.exp(-(found.frequencies**2) / 2.0)
    np.testing.assert_allclose(found.transform, exact, atol=1e-8 * exact[0])
    assert found
    assert "no negative value" in found.explain()


def test_the_transform_of_an_exponential():
    found = check_fourier(lambda r: np.exp(-r))
    exact = 2.0 / (1.0 + found.frequencies**2)
    np.testing.assert_allclose(found.transform, exact, atol=1e-7)


@pytest.mark.parametrize("dimension", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("power", [1, 2, 3])
def test_powers_of_a_tent_follow_askeys_rule(dimension, power):
    """(1 - r)_+^l is positive definite in d dimensions just if l >= (d + 1)/2."""
    assert bool(check_fourier(tent(power), dimension)) == (power >= (dimension + 1) / 2)


def test_a_box_is_no_kernel_and_the_report_says_where():
    found = check_fourier(lambda r: (r < 1.0).astype(float))
    assert not found
    np.testing.assert_allclose(found.at, 4.4934, atol=0.3)  # tan w = w
    np.testing.assert_allclose(found.smallest, 2 * np.sin(found.at) / found.at, atol=1e-2)
    assert "not a kernel in 1 dimension" in found.explain()


def test_kernel_objects():
    assert check_fourier(Gaussian(0.7), 3)
    assert check_fourier(Laplacian(2.0), 1)
    with pytest.raises(ValueError, match="stationary"):
        check_fourier(Linear())
    with pytest.raises(ValueError, match="all directions"):
        check_fourier(Laplacian(2.0), 2)  # of the sum of absolute differences


def test_bad_profiles():
    with pytest.raises(ValueError, match="not died out"):
        check_fourier(lambda r: np.ones_like(r))
    with pytest.raises(ValueError, match="distance zero"):
        check_fourier(lambda r: 1.0 / np.where(r == 0, np.nan, r))
    with pytest.raises(ValueError, match="dimension"):
        check_fourier(np.exp, 0)
