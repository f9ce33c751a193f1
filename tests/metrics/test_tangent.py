"""Tangent distance: the minimum by a general solver, and what it forgives."""

import numpy as np
import pytest
from scipy.ndimage import shift
from scipy.optimize import minimize
from sklearn.datasets import load_digits

from mercer.learners.metric import KNNClassifier
from mercer.metrics import Tangent

DIGITS, LABELS = load_digits(return_X_y=True)
DIGITS = DIGITS / 16


def test_the_distance_is_a_minimum_over_movements():
    metric = Tangent(reg_param=0.3)
    x, y = DIGITS[:1], DIGITS[1:2]
    a, b = metric.tangents(x)[0], metric.tangents(y)[0]

    def apart(moves):
        gap = x[0] + moves[:7] @ a - y[0] - moves[7:] @ b
        return gap @ gap + 0.3 * moves @ moves

    slow = minimize(apart, np.zeros(14), method="BFGS", options={"gtol": 1e-9})
    assert metric(x, y)[0, 0] ** 2 == pytest.approx(slow.fun, rel=1e-6)
    assert metric(x, y) == pytest.approx(metric(y, x).T)
    assert metric(x, x)[0, 0] == 0.0


def test_tangents_are_what_a_small_movement_does():
    """A shift by a tenth of a pixel, differentiated."""
    image = np.zeros((12, 12))
    image[4:8, 5:7] = 1.0
    metric = Tangent(moves=("right", "down"), smoothing=1.0)
    found = metric.tangents(image.reshape(1, -1))[0]
    from scipy.ndimage import gaussian_filter

    smooth = gaussian_filter(image, 1.0, mode="nearest")
    for move, by in zip(found, ((0, 0.05), (0.05, 0)), strict=True):
        back = [-v for v in by]
        change = (shift(smooth, back, order=3) - shift(smooth, by, order=3)).ravel()
        assert move == pytest.approx(change / np.linalg.norm(change), abs=0.02)


def test_moved_images_are_near():
    image = np.zeros((1, 10, 10))
    image[0, 3:7, 4:6] = 1.0
    moved, far = (np.roll(image, by, axis=2).reshape(1, -1) for by in (1, 4))
    image = image.reshape(1, -1)
    metric = Tangent(moves=("right", "down"), reg_param=0.01)
    assert metric(image, moved)[0, 0] < 0.7 * np.linalg.norm(image - moved)
    assert metric(image, far)[0, 0] > 0.8 * np.linalg.norm(image - far)


def test_neighbours_by_it_read_digits():
    rows, asked = DIGITS[:400], DIGITS[400:600]
    plain = KNNClassifier(1).fit(rows, LABELS[:400]).score(asked, LABELS[400:600])
    tangent = KNNClassifier(1, metric=Tangent()).fit(rows, LABELS[:400])
    assert tangent.score(asked, LABELS[400:600]) >= plain - 0.01


def test_what_it_refuses():
    with pytest.raises(ValueError, match="square images"):
        Tangent()(np.ones((2, 10)))
    with pytest.raises(ValueError, match="moves must be"):
        Tangent(moves=("left",))(np.ones((2, 9)))
    with pytest.raises(ValueError, match="positive"):
        Tangent(reg_param=0.0)(np.ones((2, 9)))
