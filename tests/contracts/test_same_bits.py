"""What is predicted for a row depends on its numbers, not on which array holds them.

A fitted model often keeps the caller's own array, so that the training rows arrive at predict as
the very object it stored. No shortcut may be taken from that: a copy of the rows, another process
or a model read from a file would get other digits.
"""

import inspect
import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import is_regressor

import mercer
from mercer import kernels, learners, metrics

METHODS = ("predict", "decision_function", "predict_proba", "transform", "score_samples")
N = 200  # more than the compiled core works on at a time
RNG = np.random.default_rng(3)
X = RNG.normal(size=(N, 3))
Y = X[:, 0] + 0.3 * RNG.normal(size=N)
LABELS = (Y > 0).astype(int)
# Compiled, and in NumPy, whose products of an array with itself round in another way.
KERNELS = [kernels.Gaussian(1.0), kernels.RationalQuadratic(1.0)]
LEARNERS = learners.available()
QUICKER = {"linear_erm": {"method": "hinge"}}  # the exact one takes a minute for so many rows
WITH_KERNEL = [
    name for name, cls in LEARNERS.items() if "kernel" in inspect.signature(cls).parameters
]


def example(name, **parameters):
    """An instance, around an SVC where another estimator is asked for."""
    cls, parameters = LEARNERS[name], QUICKER.get(name, {}) | parameters
    for key, parameter in inspect.signature(cls).parameters.items():
        if parameter.default is inspect.Parameter.empty:
            parameters.setdefault(key, mercer.SVC())
    return cls(**parameters)


def assert_same_bits(model, rows, target):
    """Fit, and ask everything there is to ask about the rows and about a copy of them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(rows, target)
        asked = [name for name in METHODS if hasattr(model, name)]
        assert asked
        for name in asked:
            ask = getattr(model, name)
            assert_array_equal(ask(rows), ask(rows.copy()), name)


def target_of(model):
    return Y if is_regressor(model) else LABELS


@pytest.mark.parametrize("name", LEARNERS)
def test_a_copy_of_the_training_rows_gets_the_same_answers(name):
    model = example(name)
    assert_same_bits(model, X, target_of(model))


@pytest.mark.parametrize("kernel", KERNELS, ids=["compiled", "numpy"])
@pytest.mark.parametrize("name", WITH_KERNEL)
def test_so_it_does_with_a_kernel_that_is_compiled_and_one_that_is_not(name, kernel):
    model = example(name, kernel=kernel)
    assert_same_bits(model, X, target_of(model))


@pytest.mark.parametrize("columns", [2, 6])  # the compiled core has a way of its own for several
def test_so_it_does_with_several_outputs(columns):
    target = RNG.normal(size=(N, columns))
    assert_same_bits(mercer.KernelRidge(kernel="rbf"), X, target)


def cases(classes):
    """Every example of every kind that computes its values itself."""
    return [
        pytest.param(one, id=f"{name}-{i}")
        for name, cls in classes.items()
        for i, one in enumerate(cls.examples())
        if "precomputed" not in one.accepts
    ]


@pytest.mark.parametrize("kernel", cases(kernels.available()))
def test_a_kernel_sees_values_and_not_objects(kernel):
    rng = np.random.default_rng(5)
    data = kernel.example_data(40, rng)
    kernel = kernel.resolve(data)
    copied = data.copy()
    assert_array_equal(kernel(data, data), kernel(data, copied))
    one, other = kernel.validate(data)[0], kernel.validate(copied)[0]
    assert_array_equal(kernel.tile(one, one), kernel.tile(one, other))
    for columns in (1, 6):
        V = rng.normal(size=(40, columns))
        assert_array_equal(kernel.matmul(data, data, V), kernel.matmul(data, copied, V))
        assert_array_equal(
            kernel._matmul(one, one, V, same=False), kernel._matmul(one, other, V, same=False)
        )


@pytest.mark.parametrize("metric", cases(metrics.available()))
def test_a_distance_sees_values_and_not_objects(metric):
    data = metric.example_data(40, np.random.default_rng(5))
    assert_array_equal(metric(data, data), metric(data, data.copy()))
