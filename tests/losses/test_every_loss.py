"""Contracts of every loss: gradients, conjugates, proximal points, facts."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import minimize_scalar

import mercer
from mercer import losses
from mercer.losses import Loss

EXAMPLES = [loss for cls in losses.available().values() for loss in cls.examples()]
CONVEX = [loss for loss in EXAMPLES if loss.convex]
SMOOTH = [loss for loss in EXAMPLES if loss.smooth]
GRID = np.linspace(-6, 6, 2401) + 1e-4  # off the kinks


def truths(loss):
    return (-1.0, 1.0) if loss.task == "classification" else (-1.3, 0.0, 0.7)


@pytest.mark.parametrize("loss", EXAMPLES, ids=str)
def test_gradient_and_curvature_are_derivatives(loss):
    for y in truths(loss):
        f, h = GRID, 1e-6
        if loss.convex:
            numeric = (loss.value(f + h, y) - loss.value(f - h, y)) / (2 * h)
            assert_allclose(loss.gradient(f, y), numeric, rtol=1e-5, atol=1e-5)
        if loss.smooth:
            numeric = (loss.gradient(f + h, y) - loss.gradient(f - h, y)) / (2 * h)
            assert_allclose(loss.curvature(f, y), numeric, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("loss", EXAMPLES, ids=str)
def test_facts(loss):
    for y in truths(loss):
        values = loss.value(GRID, y)
        slopes = np.abs(np.diff(values) / np.diff(GRID))
        assert values.max() <= loss.upper
        assert values.min() >= loss.lower
        if math.isfinite(loss.lipschitz):
            assert slopes.max() <= loss.lipschitz + 1e-9
            assert slopes.max() >= 0.9 * loss.lipschitz  # and it is not a loose constant
        second = np.diff(values, 2)
        assert (second.min() >= -1e-9 * max(1.0, values.max())) == loss.convex


@pytest.mark.parametrize("loss", [x for x in EXAMPLES if x.calibrated], ids=str)
@pytest.mark.parametrize("eta", [0.1, 0.45, 0.6, 0.95])
def test_calibrated_losses_have_the_bayes_sign(loss, eta):
    """Bartlett, Jordan and McAuliffe 2006: the best output has the sign of 2η − 1."""
    expected = eta * loss.value(GRID, 1.0) + (1 - eta) * loss.value(GRID, -1.0)
    assert np.sign(GRID[expected.argmin()]) == np.sign(2 * eta - 1)
    wrong = expected[np.sign(GRID) != np.sign(2 * eta - 1)].min()
    assert wrong > expected.min()


@pytest.mark.parametrize(
    "name", ["hinge", "squared_hinge", "exponential", "square", "clipped_hinge"]
)
def test_surrogates_lie_above_the_zero_one_loss(name):
    loss, count = losses.get_loss(name), losses.get_loss("zero_one")
    assert np.all(loss.value(GRID, 1.0) >= count.value(GRID, 1.0))
    assert np.all(losses.Logistic(base_two=True).value(GRID, 1.0) >= count.value(GRID, 1.0))
    assert losses.Logistic(base_two=True).value(0.0, 1.0) == 1.0


@pytest.mark.parametrize("loss", CONVEX, ids=str)
def test_conjugate_is_the_supremum(loss):
    """Fenchel's inequality everywhere, with equality at the gradient."""
    for y in truths(loss):
        u = loss.gradient(GRID, y)
        reached = u * GRID - loss.value(GRID, y)
        assert_allclose(loss.conjugate(u, y), reached, rtol=1e-6, atol=1e-6)
        for slope in np.linspace(-3, 3, 25):
            below = slope * GRID - loss.value(GRID, y)
            assert loss.conjugate(slope, y) >= below.max() - 1e-6


@pytest.mark.parametrize("loss", CONVEX, ids=str)
@given(v=st.floats(-5, 5), step=st.floats(0.01, 20), side=st.booleans())
@settings(max_examples=20)
def test_proximal_point_is_the_minimiser(loss, v, step, side):
    y = truths(loss)[side]

    def objective(f):
        return float(loss.value(f, y)) + (f - v) ** 2 / (2 * step)

    found = float(loss.prox(v, y, step))
    best = minimize_scalar(objective, bounds=(v - 25, v + 25), method="bounded").fun
    assert objective(found) <= best + 1e-6 * max(1.0, abs(best))


@pytest.mark.parametrize("loss", [x for x in EXAMPLES if not x.convex], ids=str)
def test_what_is_not_convex_has_no_dual(loss):
    with pytest.raises(NotImplementedError):
        loss.conjugate(0.1, 1.0)
    with pytest.raises(NotImplementedError):
        loss.prox(0.1, 1.0)


def test_no_overflow():
    far = np.array([-1e4, 1e4])
    for loss in SMOOTH:
        for y in truths(loss):
            assert np.all(np.isfinite(loss.value(far, y)))
            assert np.all(np.isfinite(loss.gradient(far, y)))
    assert_allclose(losses.Logistic().value(-1e4, 1.0), 1e4)


def test_values_of_the_texts():
    f = np.array([-0.5, 0.0, 0.4, 2.0])
    assert_allclose(losses.Hinge()(f, 1.0), [1.5, 1.0, 0.6, 0.0])
    assert_allclose(losses.SquaredHinge()(f, -1.0), [0.25, 1.0, 1.96, 9.0])
    assert_allclose(losses.ZeroOne()(f, 1.0), [1, 1, 0, 0])
    assert_allclose(losses.Logistic(rate=2 / 0.5)(f, 1.0), np.log(1 + np.exp(-4 * f)))
    assert_allclose(losses.EpsilonInsensitive(0.1)(f, 0.0), [0.4, 0, 0.3, 1.9])
    assert_allclose(losses.ClippedHinge(2.0)(f, 1.0), [1, 1, 0.8, 0])
    assert_allclose(losses.Quantile(0.9)([0.0, 2.0], 1.0), [0.9, 0.1])
    assert_allclose(losses.Margin()(f, -1.0), f)
    assert_allclose(losses.Square()(f, 1.0), (1 - f) ** 2)


def test_the_default_classifiers_of_a_rare_class_cost_the_same():
    y = np.array([1.0] + [-1.0] * 9)
    fair = losses.CostMatrix(missed=0.9, alarm=0.1)
    assert fair.risk(np.full(10, -1.0), y) == pytest.approx(fair.risk(np.full(10, 1.0), y))
    count = losses.ZeroOne()
    assert count.risk(np.full(10, -1.0), y) == pytest.approx(0.1)
    assert count.risk(np.full(10, 1.0), y) == pytest.approx(0.9)


def test_names_and_mistakes():
    assert losses.get_loss("epsilon-insensitive", epsilon=0.5).epsilon == 0.5
    assert losses.get_loss(losses.Huber(2.0)) == losses.Huber(2.0)
    assert issubclass(mercer.losses.Hinge, Loss)
    with pytest.raises(ValueError, match="the names are"):
        losses.get_loss("hing")
    with pytest.raises(AttributeError, match="has no loss"):
        _ = losses.Hing
    for wrong in ({"level": 1.0}, {"level": 0.0}):
        with pytest.raises(ValueError, match="level"):
            losses.Quantile(**wrong)
    with pytest.raises(ValueError, match="delta"):
        losses.Huber(0.0)
    with pytest.raises(ValueError, match="epsilon"):
        losses.EpsilonInsensitive(-1.0)


def test_weighted_risk():
    assert losses.Square().risk([0.0, 2.0], [0.0, 0.0], [3.0, 1.0]) == pytest.approx(1.0)
