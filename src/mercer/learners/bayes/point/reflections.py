"""Draws from version space by flights that walls reflect: exact Hamiltonian Monte Carlo.

A standard Gaussian restricted to the cone of consistent weight vectors has uniform directions. A
flight w(t) = w cos t + v sin t keeps it, if v is a fresh Gaussian and is reflected at every wall;
after a quarter turn the end depends on the start by reflections only (Pakman and Paninski 2014).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mercer.learners.bayes.point.version_space import VersionSpace

Floats = NDArray[np.float64]

QUARTER = np.pi / 2.0
REFLECTIONS = 100_000  # in one flight: beyond them the ball is caught in a corner, and stays there


def flights(
    space: VersionSpace, start: Floats, rng: np.random.Generator, count: int, burn_in: int
) -> Floats:
    """Unit vectors of version space, nearly independent, as coefficients, shape (count, n)."""
    values, vectors = np.linalg.eigh(space.A)
    keep = values > 1e-10 * values[-1]
    root = np.sqrt(values[keep])
    coef = start / space.norm(start) * np.sqrt(keep.sum())
    kept = np.empty((count, space.n))
    for draw in range(burn_in + count):
        noise = rng.standard_normal(len(root))
        velocity = vectors[:, keep] @ (noise / root)
        coef = _flight(space.A, coef, velocity)
        if draw >= burn_in:
            kept[draw - burn_in] = coef / space.norm(coef)
    return kept


def _flight(A: Floats, coef: Floats, velocity: Floats) -> Floats:
    """A quarter turn from ``coef``; every wall that is met reflects the velocity."""
    output, speed, left, last = A @ coef, A @ velocity, QUARTER, -1
    for _ in range(REFLECTIONS):
        when = _meeting(output, speed, last)
        wall = int(when.argmin())
        time = min(float(when[wall]), left)
        c, s = np.cos(time), np.sin(time)
        coef, velocity = c * coef + s * velocity, c * velocity - s * coef
        output, speed = c * output + s * speed, c * speed - s * output
        left -= time
        if left <= 0:
            break
        velocity[wall] -= 2.0 * speed[wall]
        speed = speed - 2.0 * speed[wall] * A[:, wall]
        output[wall], last = 0.0, wall
    return coef


def _meeting(output: Floats, speed: Floats, last: int) -> Floats:
    """When each output a cos t + b sin t falls to zero: half a turn after it rose through it."""
    when = np.arctan2(speed, output) + QUARTER
    if last >= 0:
        when[last] = np.pi  # it leaves the wall it was just reflected at
    return np.where(when > 0, when, np.pi)
