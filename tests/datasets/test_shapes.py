"""Shapes: what they promise about radii, lengths, densities and factors."""

import numpy as np
import pytest
from scipy.stats import kstest

from mercer.datasets import (
    make_circle,
    make_images,
    make_noisy_line,
    make_rings,
    make_spiral,
    make_swiss_roll,
)
from mercer.learners.spectral import Isomap

MAKERS = [make_rings, make_swiss_roll, make_circle, make_spiral, make_noisy_line, make_images]


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
def test_same_seed_same_sample_and_sizes_are_checked(make):
    first, again, other = (
        make(31, random_state=1),
        make(31, random_state=1),
        make(31, random_state=2),
    )
    for a, b in zip(first, again, strict=True):
        np.testing.assert_array_equal(a, b)
        assert len(a) == 31
    assert not np.array_equal(first[0], other[0])
    assert np.isfinite(first[0]).all()
    with pytest.raises(ValueError, match="n must be"):
        make(0)


def test_rings_have_their_radii():
    X, y = make_rings(3000, (1.0, 3.0, 5.0), noise=0.1, random_state=0)
    radius = np.linalg.norm(X, axis=1)
    assert np.bincount(y).tolist() == [1000, 1000, 1000]
    for k, r in enumerate((1.0, 3.0, 5.0)):
        assert kstest((radius[y == k] - r) / 0.1, "norm").pvalue > 0.001


def test_a_roll_is_uniform_on_its_sheet_and_unrolls():
    X, sheet = make_swiss_roll(1500, random_state=0)
    length = sheet[:, 0].max()
    assert kstest(sheet[:, 0] / length, "uniform").pvalue > 0.001
    t = np.hypot(X[:, 0], X[:, 2])  # the parameter is the radius
    pieces = np.linspace(1.5 * np.pi, t[0], 200_001)
    path = np.column_stack([pieces * np.cos(pieces), pieces * np.sin(pieces)])
    exact = np.linalg.norm(np.diff(path, axis=0), axis=1).sum()
    assert sheet[0, 0] == pytest.approx(exact, rel=1e-5)
    part = X[:500]
    flat = Isomap(n_neighbors=8, n_components=2).fit_transform(part)
    assert abs(np.corrcoef(flat[:, 0], sheet[:500, 0])[0, 1]) > 0.99


def test_circles_follow_their_density():
    X, angle = make_circle(4000, lambda a: 1 + np.cos(a), random_state=0)
    assert np.linalg.norm(X, axis=1) == pytest.approx(np.ones(4000))
    assert kstest(angle, lambda a: (a + np.sin(a)) / (2 * np.pi)).pvalue > 0.001
    with pytest.raises(ValueError, match="negative"):
        make_circle(5, np.sin)


def test_spirals_wind():
    X, y = make_spiral(400, arms=3, turns=1.0, noise=0.0, random_state=0)
    radius, angle = np.linalg.norm(X, axis=1), np.arctan2(X[:, 1], X[:, 0])
    expected = 2 * np.pi * (radius + y / 3)
    assert np.abs(np.angle(np.exp(1j * (angle - expected)))).max() < 1e-6
    assert sorted(np.bincount(y)) == [133, 133, 134]


def test_lines_have_their_noise():
    X, y, truth = make_noisy_line(5000, np.cos, noise=0.3, random_state=0)
    assert truth == pytest.approx(np.cos(X[:, 0]))
    assert np.std(y - truth) == pytest.approx(0.3, rel=0.05)
    assert np.all(np.diff(X[:, 0]) >= 0)


def test_images_are_described_by_their_two_factors():
    X, factors = make_images(400, size=16, random_state=0)
    assert X.min() >= 0
    assert X.max() <= 1
    plane = Isomap(n_neighbors=8, n_components=2).fit_transform(X)
    design = np.column_stack([plane, plane**2, plane[:, :1] * plane[:, 1:], np.ones(400)])
    for factor in factors.T:
        fit = design @ np.linalg.lstsq(design, factor, rcond=None)[0]
        assert np.corrcoef(fit, factor)[0, 1] > 0.97
