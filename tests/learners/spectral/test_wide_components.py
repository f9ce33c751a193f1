"""More columns than rows: memory and time go with the rows."""

import tracemalloc

import numpy as np
from numpy.testing import assert_allclose
from scipy import sparse

from mercer.learners.spectral.pca import PCA


def test_few_rows_of_many_columns_take_little_memory():
    X = sparse.random(30, 20_000, density=0.01, random_state=0, format="csr")
    tracemalloc.start()
    try:
        model = PCA().fit(X)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 100e6  # a square of the columns takes 3.2 GB
    assert_allclose(model.components_ @ model.components_.T, np.eye(30), atol=1e-10)
    assert model.explained_variance_[-1] < 1e-12 * model.explained_variance_[0]


def test_several_directions_without_variance():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 3)) @ rng.normal(size=(3, 40))
    model = PCA().fit(X)
    assert_allclose(model.components_ @ model.components_.T, np.eye(12), atol=1e-10)
    assert_allclose(model.inverse_transform(model.transform(X)), X, atol=1e-10)
