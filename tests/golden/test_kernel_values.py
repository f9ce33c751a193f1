"""Values of the catalogue of Herbrich's text (section 7.2) and of hand calculation."""

import math

import numpy as np
import pytest

from mercer import kernels as mk

U, V = np.array([[1.0, 2.0]]), np.array([[2.0, -1.0]])
LINEAR_A = np.array([[2, 0], [4, -4], [-3, -3], [-2, -1], [2, -1], [4, 2]], dtype=float)


@pytest.mark.parametrize(
    ("kernel", "value"),
    [
        (mk.Gaussian(2.0), 0.28650480),
        (mk.Mahalanobis(np.array([2.0, 2.0])), 0.08208500),
        (mk.Mahalanobis(np.array([1.0, 2.0])), 0.03877421),
        (mk.Polynomial(2, coef0=1.0), 1.0),
        (mk.Linear(), 0.0),
        (mk.Laplacian(2.0), math.exp(-2.0)),
        (mk.Matern(2.0, nu=0.5), math.exp(-math.sqrt(10) / 2)),
        (mk.Matern(2.0, nu=1.5), (1 + math.sqrt(7.5)) * math.exp(-math.sqrt(7.5))),
        (
            mk.Matern(2.0, nu=2.5),
            (1 + math.sqrt(12.5) + 12.5 / 3) * math.exp(-math.sqrt(12.5)),
        ),
        (mk.RationalQuadratic(2.0, alpha=0.5), 1.0 / math.sqrt(1 + 10 / 4)),
        (
            mk.Periodic(1.5, period=3.0),
            math.exp(-2 / 2.25 * (math.sin(math.pi / 3) ** 2 + math.sin(math.pi) ** 2)),
        ),
        (mk.Sigmoid(0.5, coef0=0.25), math.tanh(0.25)),
        (mk.Constant(3.0), 3.0),
        (mk.White(3.0), 0.0),
    ],
    ids=str,
)
def test_values_at_u_and_v(kernel, value):
    assert kernel(U, V)[0, 0] == pytest.approx(value, abs=5e-9)


@pytest.mark.parametrize(
    ("kernel", "value"),
    [
        (mk.ChiSquared(0.5), math.exp(-0.5 * (1 / 3 + 9 / 3 + 0))),
        (mk.AdditiveChiSquared(), 4 / 3),
        (mk.Intersection(), 1.0),
        (mk.Jaccard(), 1 / 5),
    ],
    ids=str,
)
def test_histograms_by_hand(kernel, value):
    x, y = np.array([[1.0, 3.0, 0.0]]), np.array([[2.0, 0.0, 0.0]])
    assert kernel(x, y)[0, 0] == pytest.approx(value, rel=1e-14)


def test_gaussian_equals_mahalanobis_with_root_two():
    X = LINEAR_A / 3
    np.testing.assert_allclose(mk.Gaussian(0.7)(X), mk.Mahalanobis(0.7 * math.sqrt(2))(X))


def test_linear_gram_of_data_set_a():
    expected = [
        [4, 8, -6, -4, 4, 8],
        [8, 32, 0, -4, 12, 8],
        [-6, 0, 18, 9, -3, -18],
        [-4, -4, 9, 5, -3, -10],
        [4, 12, -3, -3, 5, 6],
        [8, 8, -18, -10, 6, 20],
    ]
    np.testing.assert_array_equal(mk.Linear()(LINEAR_A), expected)


def test_sets_give_intersection_over_union():
    sets = np.array([[1, 1, 0, 1], [0, 1, 1, 1], [0, 0, 0, 0]], dtype=float)
    np.testing.assert_allclose(mk.Jaccard()(sets), [[1, 0.5, 0], [0.5, 1, 0], [0, 0, 1]])
    np.testing.assert_allclose(mk.Jaccard()(sets, sets), [[1, 0.5, 0], [0.5, 1, 0], [0, 0, 1]])


@pytest.mark.parametrize(("N", "p"), [(1, 1), (2, 3), (4, 2), (5, 4)])
@pytest.mark.parametrize("coef0", [0.0, 1.3])
def test_explicit_polynomial_features(N, p, coef0):
    kernel = mk.Polynomial(p, coef0=coef0, gamma=0.8)
    X, Y = np.random.default_rng(N).normal(size=(2, 6, N))
    left, right = kernel.features_of(X), kernel.features_of(Y)
    expected = math.comb(N + p, p) if coef0 else math.comb(N + p - 1, p)
    assert left.shape == (6, expected)
    assert kernel.n_features_out(N) == expected
    np.testing.assert_allclose(left @ right.T, kernel(X, Y), rtol=1e-12, atol=1e-12)


def test_multinomial_weights_of_a_cube():
    x = np.array([[2.0, 3.0]])
    expected = [8.0, math.sqrt(3) * 12, math.sqrt(3) * 18, 27.0]
    np.testing.assert_allclose(mk.Polynomial(3).features_of(x)[0], expected, rtol=1e-14)


def test_example_map_of_the_text():
    kernel = mk.FromFeatures.examples()[0]  # (x1, x2^2, x1 x2)
    assert kernel(U, V)[0, 0] == 1 * 2 + 4 * 1 + 2 * -2
