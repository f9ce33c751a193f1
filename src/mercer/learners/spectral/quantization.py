"""Lloyd's method on a density instead of a sample: vector quantisation of a picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics.pairwise import pairwise_distances_argmin_min

from mercer._types import RandomState
from mercer.learners.spectral._seeding import seed_rows

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Quantizer:
    """Centres, the cell of every pixel, and the energy after every half-step."""

    centres: Floats
    cells: NDArray[np.intp]  # of the shape of the density
    energy: Floats


def quantize_density(
    density: Any,
    n_cells: int,
    *,
    max_iter: int = 200,
    tol: float = 1e-7,
    random_state: RandomState = 0,
) -> Quantizer:
    """Move each centre to the mass centre of its Voronoi cell until nothing moves.

    ``density`` is an array of non-negative values on a grid over the unit square (or cube).
    A uniform density in the plane ends close to a hexagonal pattern.
    """
    density = np.asarray(density, dtype=float)
    if density.min() < 0 or not np.isfinite(density).all() or density.sum() <= 0:
        raise ValueError("a density is non-negative, finite, and positive somewhere")
    if not 1 <= n_cells <= np.count_nonzero(density):
        raise ValueError(f"n_cells={n_cells} needs as many pixels of positive density")
    axes = [(np.arange(size) + 0.5) / size for size in density.shape]
    pixels = np.stack([a.ravel() for a in np.meshgrid(*axes, indexing="ij")], axis=1)
    mass = density.ravel() / density.sum()
    rng = np.random.default_rng(random_state)
    centres = pixels[seed_rows(pixels, n_cells, "k-means++", rng, mass)]
    energy: list[float] = []
    for _ in range(max_iter):
        cells, gaps = pairwise_distances_argmin_min(pixels, centres)
        energy.append(float(mass @ gaps**2))
        moved = np.zeros_like(centres)
        np.add.at(moved, cells, pixels * mass[:, None])
        weight = np.bincount(cells, weights=mass, minlength=n_cells)
        new = np.where(
            weight[:, None] > 0, moved / np.where(weight > 0, weight, 1)[:, None], centres
        )
        energy.append(float(mass @ np.sum((pixels - new[cells]) ** 2, axis=1)))
        if np.abs(new - centres).max() < tol:
            centres = new
            break
        centres = new
    cells = pairwise_distances_argmin_min(pixels, centres)[0]
    return Quantizer(centres, cells.reshape(density.shape), np.array(energy))
