"""What every kernel says about itself is true of its values; new files are found here too."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from helpers_kernels import CLASSES, is_vectors
from mercer.kernels import (
    Gaussian,
    Kernel,
    Linear,
    Normalized,
    Polynomial,
    Power,
    Sigmoid,
)


def far_and_near(kernel, X):
    """The sample itself and, for vectors, the same points far from each other and close."""
    wide = is_vectors(X) and kernel.bounded
    return [X, *((100.0 * X, 0.01 * X) if wide else ())]


def test_no_value_outside_the_known_limits(case):
    kernel, X, Y = case
    for sample in far_and_near(kernel, X):
        own = kernel.diag(sample)
        if kernel.sup_norm is not None:
            assert own.max() <= kernel.sup_norm**2 * (1 + 1e-12)
        if kernel.value_range is not None:
            low, high = kernel.value_range
            values = np.concatenate([kernel(sample, Y).ravel(), own])
            assert low - 1e-12 <= values.min() <= values.max() <= high + 1e-12
            assert kernel.spread == high - low
        radius = kernel.known_radius(own[:1])
        assert radius is None or own.max() <= radius**2 * (1 + 1e-12)
    assert kernel.bounded or kernel.sup_norm is None


def test_the_feature_space_has_no_more_dimensions_than_promised(case):
    kernel, X, _ = case
    size = kernel.dimension(X.shape[1] if is_vectors(X) else None)
    if size is None:
        assert not kernel.universal
    elif np.isinf(size):
        assert np.linalg.matrix_rank(kernel(X)) == len(X)
    else:
        many = type(kernel).example_data(int(size) + 6, np.random.default_rng(3))
        assert np.linalg.matrix_rank(kernel(many), tol=1e-9 * kernel.diag(many).sum()) <= size


def test_radial_kernels_fall_with_their_distance(case):
    kernel, X, Y = case
    if kernel.radial is None:
        return
    scale = np.asarray(kernel.length_scale)
    distance = cdist(X / scale, Y / scale, kernel.radial).ravel()
    assert np.all(np.diff(kernel(X, Y).ravel()[np.argsort(distance)]) <= 1e-15)


def test_facts_are_stated_where_texts_state_them():
    examples = {name: kind.examples()[0] for name, kind in CLASSES.items()}
    radial = {"gaussian", "laplacian", "mahalanobis", "matern", "rational_quadratic"}
    assert {name for name, kernel in examples.items() if kernel.radial} == radial
    one = radial | {"chi_squared", "feature_gaussian", "jaccard", "normalized", "periodic"}
    assert {name for name, kernel in examples.items() if kernel.sup_norm == 1.0} >= one
    assert {name for name, kernel in examples.items() if kernel.value_range} >= one
    widths = {name: kernel.dimension(3) for name, kernel in examples.items()}
    assert widths["linear"] == 3
    assert widths["polynomial"] == 10  # monomials of degree three in three variables
    assert widths["shifted"] == 4
    assert widths["gaussian"] == np.inf


def test_a_kernel_without_facts_promises_nothing():
    class Silent(Kernel):
        def _tile(self, X, Y):
            return X @ Y.T

    kernel = Silent()
    assert kernel.sup_norm is kernel.value_range is kernel.radial is kernel.spread is None
    assert kernel.dimension(3) is kernel.known_radius(np.ones(3)) is None


def test_facts_of_composites():
    unit, wide = Normalized(Linear()), Gaussian(2.0)
    assert (unit + wide).sup_norm == pytest.approx(np.sqrt(2.0))
    assert (4.0 * unit * wide + 5.0).sup_norm == pytest.approx(3.0)
    assert Power(unit, 3, 1.0).sup_norm == pytest.approx(np.sqrt(8.0))
    assert (unit + Linear()).sup_norm is None
    assert wide.centered().sup_norm is None
    assert (Linear() + 1.0).dimension(4) == 5
    assert (Linear() * (Linear() + 1.0)).dimension(4) == 20
    assert Power(Linear(), 2, 1.0).dimension(4) == 15
    assert (Linear() + wide).dimension(4) == np.inf
    assert Linear().dimension(None) is None
    assert Polynomial(2.5).dimension(4) is None  # indefinite: no feature space
    assert Sigmoid().known_radius(np.ones(2)) is None
