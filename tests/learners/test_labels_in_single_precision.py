"""Labels come from single precision where that is enough, and are those of double precision."""

import numpy as np
import pytest

from mercer import SVC, OneClassSVM
from mercer.kernels import rough


def clusters(n, kinds, d=4, seed=0):
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, kinds, n)
    return rng.normal(size=(kinds, d))[kind] * 1.5 + rng.normal(size=(n, d)), kind


def on_the_boundary(model, inside, outside):
    """Points between two rows at which the output is as small as bisection makes it."""
    for _ in range(60):
        middle = 0.5 * (inside + outside)
        up = (model.decision_function(middle) > 0)[:, None]
        inside, outside = np.where(up, middle, inside), np.where(up, outside, middle)
    return np.r_[inside, outside]


@pytest.fixture
def counted(monkeypatch):
    """Small products go through single precision, too; how many did."""
    calls = []
    product = rough._product

    def counting(*given):
        calls.append(given)
        return product(*given)

    monkeypatch.setattr(rough, "_WORTH", 1)
    monkeypatch.setattr(rough, "_product", counting)
    return calls


@pytest.mark.parametrize("kernel", ["rbf", "poly"])
def test_rows_on_the_boundary_get_the_label_of_double_precision(kernel, counted):
    X, kind = clusters(600, 2)
    model = SVC(kernel=kernel, C=10.0).fit(X, kind)
    values = model.decision_function(X)
    up, down = X[values > 0][:40], X[values < 0][:40]
    rows = np.r_[X, on_the_boundary(model, up, down)]
    exact = model.decision_function(rows)
    assert np.sum(np.abs(exact) < 1e-12) >= 40  # far below what single precision sees
    assert np.array_equal(model.predict(rows), model.classes_[(exact >= 0).astype(int)])
    assert counted


@pytest.mark.parametrize("multi_class", ["ovo", "ovr", "dag"])
@pytest.mark.parametrize("break_ties", [False, True])
def test_several_classes(multi_class, break_ties, counted, monkeypatch):
    X, kind = clusters(900, 5)
    model = SVC(multi_class=multi_class, break_ties=break_ties).fit(X[:600], kind[:600])
    found = model.predict(X)
    assert bool(counted) != (break_ties and multi_class == "ovo")
    monkeypatch.setattr(rough, "_WORTH", np.inf)
    assert np.array_equal(found, model.predict(X))


def test_outliers(counted):
    X, _ = clusters(600, 2)
    model = OneClassSVM(nu=0.2).fit(X)
    found = model.predict(X)
    assert counted
    assert np.array_equal(found, np.where(model.decision_function(X) > 0, 1, -1))


def test_what_is_doubtful_is_computed_again(monkeypatch):
    """With errors larger than the limit says labels would be wrong; with an honest limit not."""
    X, kind = clusters(600, 2)
    model = SVC(C=10.0).fit(X, kind)
    exact = model.decision_function(X)
    noise = np.random.default_rng(1).uniform(-0.1, 0.1, size=(600, 1))
    clean = rough.rough_product

    def noisy(limit):
        def product(*given):
            found = clean(*given)
            assert found is not None
            return found[0] + noise, limit

        return product

    monkeypatch.setattr(rough, "_WORTH", 1)
    monkeypatch.setattr("mercer.learners.margin._support.rough_product", noisy(1e-3))
    assert not np.array_equal(model.predict(X), (exact >= 0).astype(int))
    monkeypatch.setattr("mercer.learners.margin._support.rough_product", noisy(0.11))
    assert np.array_equal(model.predict(X), (exact >= 0).astype(int))


def test_the_limit_of_the_error_holds(counted):
    X, kind = clusters(3000, 2, d=30)
    model = SVC(gamma=1 / 30).fit(X, kind)
    columns = model._columns()
    found = rough.rough_product(model.kernel_, X, model.support_vectors_, columns)
    assert found is not None
    exact = model.kernel_._matmul(X, model.support_vectors_, columns, same=False)
    error = np.max(np.abs(found[0] - exact))
    assert 0 < error < found[1] < 1e-3


@pytest.mark.parametrize("X", [np.zeros((5, 4)), np.zeros((5, 4), dtype=np.float32)])
def test_small_products_and_single_precision_data_are_not_rough(X):
    Y, kind = clusters(100, 2)
    model = SVC().fit(Y, kind)
    vectors = model.support_vectors_
    assert rough.rough_product(model.kernel_, X, vectors, model._columns()) is None
