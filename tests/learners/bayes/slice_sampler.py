"""Elliptical slice sampling: slow, and independent of the sampler that Mercer uses."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def elliptical_slice(
    start: Floats,
    log_likelihood: Callable[[Floats], float],
    draw_prior: Callable[[], Floats],
    rng: np.random.Generator,
    n_samples: int = 1000,
    burn_in: int = 200,
    thin: int = 1,
) -> Floats:
    """Draws from N(0, K) · exp(log_likelihood), shape (n_samples, n).

    No step size to tune and no rejections: the new point is sought on an ellipse through the old
    one and a draw from the prior (Murray, Adams and MacKay 2010).
    """
    t, level = start.copy(), log_likelihood(start)
    kept = np.empty((n_samples, start.size))
    for step in range(burn_in + n_samples * thin):
        t, level = _move(t, level, log_likelihood, draw_prior(), rng)
        after = step - burn_in
        if after >= 0 and after % thin == 0:
            kept[after // thin] = t
    return kept


def _move(
    t: Floats,
    level: float,
    log_likelihood: Callable[[Floats], float],
    other: Floats,
    rng: np.random.Generator,
) -> tuple[Floats, float]:
    threshold = level + np.log(rng.uniform())
    angle = rng.uniform(0.0, 2.0 * np.pi)
    low, high = angle - 2.0 * np.pi, angle
    while True:
        new = t * np.cos(angle) + other * np.sin(angle)
        value = log_likelihood(new)
        if value > threshold:
            return new, value
        if angle < 0:
            low = angle
        else:
            high = angle
        angle = rng.uniform(low, high)
