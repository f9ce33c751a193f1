"""Sums and products of kernels in the compiled core, beside their NumPy twins."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

import mercer
from mercer import SVC, SVR, _native
from mercer.gram import KernelGram
from mercer.kernels import (
    Constant,
    Gaussian,
    Laplacian,
    Linear,
    Matern,
    Polynomial,
    Power,
    Shifted,
    White,
)
from mercer.kernels.rough import rough_product

G, H = Gaussian(1.3), Laplacian(2.0)
EXPRESSIONS = {
    "sum": G + H,
    "sum of three": G + H + 0.3 * Linear(),
    "sum on the right": G + (H + 0.3 * Linear()),
    "product": G * H,
    "scaled columns": Gaussian(np.array([0.5, 1.0, 2.0, 1.5])) * Shifted(Linear(), 0.4),
    "columns": G.on([2, 0]) * H.on(slice(1, None)) + Matern(1.5).on([False, True, True, False]),
    "columns of columns": (G.on([0]) + H.on([1])).on([3, 1]),
    "power": Power(G + 0.2 * H, 3, 0.5),
    "constant": G + Constant(0.7),
    "constant factor": Polynomial(2, 1.0) * Constant(0.7) * G,
    "nested": ((G + 1.0) * (H + 2.0) + Linear()) * 0.5 + Matern(0.8, nu=0.5),
}


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    return rng.normal(size=(301, 4)) + 3.0, rng.normal(size=(83, 4)) + 3.0


def in_numpy(kernel, X, Y):
    with mercer.config(compiled=False):
        return kernel(X, Y)


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_tiles_are_those_of_numpy(name, rows):
    X, Y = rows
    kernel = EXPRESSIONS[name]
    assert kernel.fused_for(X).family == "composed"
    wanted = in_numpy(kernel, X, Y)
    np.testing.assert_allclose(kernel(X, Y), wanted, rtol=1e-11)
    np.testing.assert_allclose(kernel.matmul(X, Y, np.ones(len(Y))), wanted.sum(axis=1), rtol=1e-11)
    np.testing.assert_allclose(np.diag(kernel(X)), kernel.diag(X), rtol=1e-11)
    single = kernel(X.astype(np.float32), Y.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, wanted, rtol=2e-4)


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_grams_are_those_of_numpy(name, rows):
    X, _ = rows
    kernel = EXPRESSIONS[name]
    gram, wanted = KernelGram(kernel, X), in_numpy(kernel, X, None)
    V = np.random.default_rng(1).normal(size=(len(X), 6))
    some = np.array([200, 3, 3, 17])
    np.testing.assert_allclose(gram.matmul(V), wanted @ V, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(gram.tile(some, slice(5, 90)), wanted[some, 5:90], rtol=1e-11)
    np.testing.assert_allclose(gram.subset(some).dense(), wanted[np.ix_(some, some)], rtol=1e-11)


@pytest.mark.parametrize(  # one problem in memory; blocks over cached rows
    ("name", "n"), [("sum of three", 150), ("power", 150), ("constant", 150), ("columns", 2600)]
)
def test_machines_have_the_optimum_of_the_matrix(name, n):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(n, 4))
    y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=n)
    kernel = EXPRESSIONS[name]
    K = in_numpy(kernel, X, None)
    for machine, target in ((SVC(C=3.0), y > 0), (SVR(C=1.0, epsilon=0.3), y)):
        found = clone(machine).set_params(kernel=kernel).fit(X, target)
        wanted = clone(machine).set_params(kernel="precomputed").fit(K, target)
        ours, theirs = found.solution_.objective, wanted.solution_.objective
        assert ours == pytest.approx(theirs, rel=2e-6)
        decide = "decision_function" if hasattr(found, "classes_") else "predict"
        gap = np.abs(getattr(found, decide)(X) - getattr(wanted, decide)(K))
        assert np.median(gap) < 5e-3


def test_the_solver_asks_python_for_nothing(monkeypatch):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(1500, 4))

    def refuse(*_):
        raise AssertionError("a row was asked of Python")

    monkeypatch.setattr(_native, "callback_source", refuse)
    SVC(kernel=EXPRESSIONS["nested"], C=1.0).fit(X, X[:, 0] * X[:, 1] > 0)
    with pytest.raises(AssertionError, match="asked of Python"):
        SVC(kernel=G + White(0.1), C=1.0).fit(X, X[:, 0] * X[:, 1] > 0)


def test_bits_do_not_depend_on_threads_nor_on_who_is_the_row(rows):
    X, _ = rows
    for kernel in EXPRESSIONS.values():
        found = []
        for threads in (1, 2, 5):
            with mercer.config(n_threads=threads):
                found.append(kernel(X))
        assert all(np.array_equal(found[0], other) for other in found[1:])
        assert np.array_equal(found[0], found[0].T)


def test_a_first_look_in_single_precision():
    rng = np.random.default_rng(4)
    X, Y, V = rng.normal(size=(2500, 4)), rng.normal(size=(900, 4)), rng.normal(size=(900, 1))
    product, limit = rough_product(EXPRESSIONS["sum of three"], X, Y, V)
    exact = in_numpy(EXPRESSIONS["sum of three"], X, Y) @ V
    assert 0 < np.max(np.abs(product - exact)) < limit < 1e-2
    assert rough_product(EXPRESSIONS["nested"], X, Y, V) is None  # exp(-r) has a kink


def test_single_precision_is_refused_where_values_are_large():
    rng = np.random.default_rng(5)
    near, far = rng.normal(size=(1200, 2)), 40.0 * rng.normal(size=(1200, 2))
    kernel = Gaussian(1.0) + 0.1 * Linear()
    sizes = []
    for X in (near, far):
        fused = kernel.fused_for(X)
        sizes.append(fused.single_size_of(fused.prepare(X, fused.shift(X), np.float32)))
    assert sizes[0][1] < 100
    assert np.isinf(sizes[1][1])
    fused = Power(kernel, 9, 1.0).fused_for(near)
    assert np.isinf(fused.single_size_of(fused.prepare(near, fused.shift(near), np.float32))[1])


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ([("linear", (0.0, 0.0, 0.0), 0, 3)], "columns that are not there"),
        ([("linear", (0.0, 0.0, 0.0), 2, 1)], "columns that are not there"),
        ([("linear", (0.0, 0.0, 0.0), -1, 1)], "columns that are not there"),
        ([("sum", (0.0, 0.0, 0.0), 1, 0)], "more than there is"),
        ([("linear", (0.0, 0.0, 0.0), 0, 1), ("sum", (0.0, 0.0, 0.0), 0, 0)], "more than there is"),
        ([("linear", (0.0, 0.0, 0.0), 0, 1)] * 2, "must leave one kernel"),
        ([], "must leave one kernel"),
        ([("nonsense", (0.0, 0.0, 0.0), 0, 1)], "unknown kernel family"),
        ([("linear", (0.0, 0.0, 0.0), 0, 1), ("affine", (1.0, 0.0, 0.5), 1, 0)], "natural number"),
    ],
)
def test_steps_that_make_no_kernel(steps, message):
    X = np.ones((3, 2))
    with pytest.raises(ValueError, match=message):
        _native.kernel_tile(X, X, "composed", steps, 1)
    with pytest.raises(ValueError, match=message):
        _native.vector_source(X, "composed", steps, 1)


def test_a_family_and_steps_are_not_confused():
    X = np.ones((3, 2))
    with pytest.raises(ValueError, match="three numbers"):
        _native.kernel_tile(X, X, "linear", [("linear", (0.0, 0.0, 0.0), 0, 2)], 1)
    with pytest.raises(ValueError, match="takes steps"):
        _native.kernel_tile(X, X, "composed", (0.0, 0.0, 0.0), 1)
