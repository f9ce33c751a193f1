"""Shapes with known coordinates: rings, rolls, circles, spirals, curves with noise, and images
that two numbers describe. What a map or a regression finds can be compared with what was drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer._types import RandomState

Array = NDArray[np.float64]
Labels = NDArray[np.intp]


def _count(n: int) -> int:
    if int(n) != n or n < 1:
        raise ValueError(f"n must be a positive whole number, got {n!r}")
    return int(n)


def make_rings(
    n: int,
    radii: Sequence[float] = (1.0, 2.0),
    noise: float = 0.1,
    random_state: RandomState = None,
) -> tuple[Array, Labels]:
    """Points on circles around one centre, with Gaussian noise of the radius.

    Parameters
    ----------
    n : int
        Number of points, spread over the rings as evenly as possible.
    radii : sequence of float, default=(1.0, 2.0)
        One ring each; more than two make more than two classes.
    noise : float, default=0.1
        Standard deviation of the radius.
    random_state : int, Generator or None, default=None
        For the draws.

    Returns
    -------
    X : ndarray of shape (n, 2)
        The points.
    y : ndarray of shape (n,)
        Which ring.
    """
    rng = np.random.default_rng(random_state)
    y = rng.permutation(np.arange(_count(n)) % len(radii))
    angle = rng.uniform(0.0, 2.0 * np.pi, n)
    radius = np.asarray(radii, dtype=float)[y] + noise * rng.standard_normal(n)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), y


def make_swiss_roll(
    n: int,
    noise: float = 0.0,
    turns: float = 1.5,
    height: float = 10.0,
    random_state: RandomState = None,
) -> tuple[Array, Array]:
    """A rolled-up sheet in three dimensions, and where each point lies on the flat sheet.

    The sheet is (t cos t, h, t sin t) with t from 1.5π over ``turns`` turns; points are uniform on
    it. The second return value is isometric to the sheet: arc length along the spiral, and height,
    so the distance of two of its rows is the geodesic one.

    Parameters
    ----------
    n : int
        Number of points.
    noise : float, default=0.0
        Standard deviation of Gaussian noise in all three coordinates.
    turns, height : float, default=1.5, 10.0
        How far it is rolled, and how wide it is.
    random_state : int, Generator or None, default=None
        For the draws.

    Returns
    -------
    X : ndarray of shape (n, 3)
        The points.
    sheet : ndarray of shape (n, 2)
        Arc length from the inner end, and height.
    """
    rng = np.random.default_rng(random_state)
    start = 1.5 * np.pi
    end = start + 2.0 * np.pi * turns
    length = _arc_length(end) - _arc_length(start)
    along = rng.uniform(0.0, length, _count(n))
    grid = np.linspace(start, end, 4001)
    t = np.interp(along, _arc_length(grid) - _arc_length(start), grid)
    across = rng.uniform(0.0, height, n)
    X = np.column_stack([t * np.cos(t), across, t * np.sin(t)])
    return X + noise * rng.standard_normal((n, 3)), np.column_stack([along, across])


def _arc_length(t: Any) -> Any:
    """Of the spiral (t cos t, t sin t) from 0."""
    return 0.5 * (t * np.sqrt(1.0 + t * t) + np.arcsinh(t))


def make_circle(
    n: int,
    density: Callable[[Array], ArrayLike] | None = None,
    noise: float = 0.0,
    random_state: RandomState = None,
) -> tuple[Array, Array]:
    """Points on the unit circle with a density of one's own in the angle.

    Parameters
    ----------
    n : int
        Number of points.
    density : callable, default=None
        At angles in [0, 2π), not negative, up to a factor; None for uniform.
    noise : float, default=0.0
        Standard deviation of Gaussian noise in the plane.
    random_state : int, Generator or None, default=None
        For the draws.

    Returns
    -------
    X : ndarray of shape (n, 2)
        The points.
    angle : ndarray of shape (n,)
        Their angles.
    """
    rng = np.random.default_rng(random_state)
    grid = np.linspace(0.0, 2.0 * np.pi, 4097)
    height = np.ones_like(grid) if density is None else np.asarray(density(grid), dtype=float)
    if np.any(height < 0) or not np.any(height > 0):
        raise ValueError("density must not be negative, and positive somewhere")
    mass = np.concatenate([[0.0], np.cumsum(0.5 * (height[1:] + height[:-1]))])
    angle = np.interp(rng.random(_count(n)) * mass[-1], mass, grid)
    X = np.column_stack([np.cos(angle), np.sin(angle)])
    return X + noise * rng.standard_normal((n, 2)), angle


def make_spiral(
    n: int, arms: int = 2, turns: float = 1.5, noise: float = 0.05, random_state: RandomState = None
) -> tuple[Array, Labels]:
    """Arms of a spiral that wind around each other, evenly filled along their length.

    Parameters
    ----------
    n : int
        Number of points, spread over the arms as evenly as possible.
    arms : int, default=2
        Classes.
    turns : float, default=1.5
        How often each arm goes round.
    noise : float, default=0.05
        Standard deviation of Gaussian noise; arms are 1/arms apart after a turn.
    random_state : int, Generator or None, default=None
        For the draws.

    Returns
    -------
    X : ndarray of shape (n, 2)
        The points.
    y : ndarray of shape (n,)
        Which arm.
    """
    rng = np.random.default_rng(random_state)
    y = rng.permutation(np.arange(_count(n)) % arms)
    grid = np.linspace(0.0, 2.0 * np.pi * turns, 4001)
    t = np.interp(rng.random(n) * _arc_length(grid[-1]), _arc_length(grid), grid)
    angle, radius = t + 2.0 * np.pi * y / arms, t / (2.0 * np.pi)
    X = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    return X + noise * rng.standard_normal((n, 2)), y


def make_noisy_line(
    n: int,
    function: Callable[[Array], ArrayLike] = np.sin,
    low: float = -3.0,
    high: float = 3.0,
    noise: float = 0.2,
    random_state: RandomState = None,
) -> tuple[Array, Array, Array]:
    """A regression in one dimension: y = f(x) + noise at uniform x.

    Parameters
    ----------
    n : int
        Number of points.
    function : callable, default=numpy.sin
        f at an array of numbers.
    low, high : float, default=-3.0, 3.0
        The interval.
    noise : float, default=0.2
        Standard deviation; its square is the risk of f itself.
    random_state : int, Generator or None, default=None
        For the draws.

    Returns
    -------
    X : ndarray of shape (n, 1)
        Points, rising.
    y : ndarray of shape (n,)
        Values with noise.
    truth : ndarray of shape (n,)
        Values without.
    """
    rng = np.random.default_rng(random_state)
    x = np.sort(rng.uniform(low, high, _count(n)))
    truth = np.asarray(function(x), dtype=float)
    return x[:, None], truth + noise * rng.standard_normal(n), truth


def make_images(
    n: int, size: int = 24, noise: float = 0.0, random_state: RandomState = None
) -> tuple[Array, Array]:
    """Pictures of a head that looks left or right and up or down: two factors, many pixels.

    An ellipse with eyes and a nose that move across it as the head turns, lit from the side it
    turns to. In place of the photographs of the Isomap paper, with the angles known.

    Parameters
    ----------
    n : int
        Number of pictures, at uniformly drawn angles.
    size : int, default=24
        Pixels along a side.
    noise : float, default=0.0
        Standard deviation of noise of every pixel; grey values lie in [0, 1] before it.
    random_state : int, Generator or None, default=None
        For the draws.

    Returns
    -------
    X : ndarray of shape (n, size²)
        Pictures, a row each; ``X[i].reshape(size, size)`` can be shown.
    factors : ndarray of shape (n, 2)
        Turn to the right and nod upwards, both in [−1, 1].
    """
    rng = np.random.default_rng(random_state)
    factors = rng.uniform(-1.0, 1.0, size=(_count(n), 2))
    side = np.linspace(-1.0, 1.0, size)
    x, y = np.meshgrid(side, -side)
    turn, nod = factors[:, 0, None, None], factors[:, 1, None, None]
    face = 1.0 / (1.0 + np.exp(20.0 * ((x / 0.75) ** 2 + (y / 0.95) ** 2 - 1.0)))
    light = 0.65 + 0.25 * turn * x + 0.15 * nod * y
    picture = face * light

    def spot(at_x: float, at_y: float, width: float) -> Array:
        shift_x, shift_y = at_x + 0.35 * turn, at_y + 0.3 * nod
        near: Array = np.exp(-((x - shift_x) ** 2 + (y - shift_y) ** 2) / (2.0 * width**2))
        return near

    dark = 0.6 * (spot(-0.28, 0.2, 0.1) + spot(0.28, 0.2, 0.1)) + 0.4 * spot(0.0, -0.4, 0.12)
    picture = np.clip(picture * (1.0 - dark) + 0.15 * face * spot(0.0, -0.1, 0.1), 0.0, 1.0)
    X = picture.reshape(n, size * size)
    return X + noise * rng.standard_normal(X.shape), factors
