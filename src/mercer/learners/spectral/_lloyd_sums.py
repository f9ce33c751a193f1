"""k-means from sums over rows that are gone through again at each step.

Seeds are drawn as in k-means‖ (Bahmani, Moseley, Vattani, Kumar and Vassilvitskii 2012): a few
passes, each of which draws many rows by their squared distance, then k-means++ among what was
drawn, by the rows that are nearest to each. Rows are drawn by a race: each gets an exponential
waiting time at the rate of its squared distance, those that come first are taken. So a pass draws
exactly as many as are asked for, without knowing the sum of the distances beforehand.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.cluster import KMeans as Engine
from sklearn.exceptions import ConvergenceWarning

from mercer.learners._passes import Block, Passes
from mercer.solvers.watch import Watch

Floats = NDArray[np.float64]
ROUNDS = 5
Mapped = Callable[[Any], Any]  # rows to the coordinates in which clusters are looked for


@dataclass
class Race:
    """The rows that came first."""

    most: int
    times: Floats
    rows: Floats

    def merge(self, other: Race) -> Race:
        """Of both parts."""
        times = np.concatenate([self.times, other.times])
        first = np.argsort(times, kind="stable")[: self.most]
        return Race(self.most, times[first], np.concatenate([self.rows, other.rows])[first])


def _race(block: Block, mapped: Mapped, centres: Floats, most: int, seed: int) -> Race:
    rows = np.asarray(mapped(block.X), dtype=np.float64)
    rate = block.weight * _nearest(rows, centres)[1]
    chance = (block.marks(seed) + 0.5) / 2.0**64
    with np.errstate(divide="ignore"):
        times = np.where(rate > 0, -np.log1p(-chance) / rate, np.inf)
    first = np.argsort(times, kind="stable")[:most]
    first = first[np.isfinite(times[first])]
    return Race(most, times[first], rows[first])


def _sums(block: Block, mapped: Mapped, centres: Floats) -> tuple[Floats, Floats, Floats]:
    """Of each centre the sum and the mass of the rows nearest to it; and the energy."""
    rows = np.asarray(mapped(block.X), dtype=np.float64)
    own, squares = _nearest(rows, centres)
    members = sparse.csr_matrix(
        (block.weight, own, np.arange(len(rows) + 1)), (len(rows), len(centres))
    )
    mass: Floats = np.bincount(own, block.weight, len(centres)).astype(np.float64)
    return np.asarray(members.T @ rows), mass, np.array(block.weight @ squares)


def _nearest(rows: Floats, centres: Floats) -> tuple[NDArray[np.intp], Floats]:
    """The nearest centre of each row and its squared distance.

    In this thread: scikit-learn's function starts threads of its own for every block, which wait
    for each other where the machine is busy, for hundreds of times what they compute.
    """
    own = (0.5 * np.einsum("ij,ij->i", centres, centres) - rows @ centres.T).argmin(axis=1)
    apart = rows - centres[own]
    return own, np.einsum("ij,ij->i", apart, apart)


def seeded(rows: Passes, mapped: Mapped, k: int, seed: int) -> Floats:
    """K centres to start from."""
    rng = np.random.default_rng(seed)
    sample = rows.sample
    one = int(rng.choice(sample.n, p=sample.weight / sample.weight.sum()))
    centres = np.asarray(mapped(sample.X[one : one + 1]), dtype=np.float64)
    for _ in range(ROUNDS):
        draw = int(rng.integers(2**31))
        drawn = rows.sum(partial(_race, mapped=mapped, centres=centres, most=2 * k, seed=draw)).rows
        if not len(drawn):
            break  # every row is a centre
        centres = np.vstack([centres, drawn])
    mass = rows.sum(partial(_sums, mapped=mapped, centres=centres))[1]
    centres, mass = centres[mass > 0], mass[mass > 0]
    if len(np.unique(centres, axis=0)) <= k:
        return np.unique(centres, axis=0)
    engine = Engine(k, n_init=10, random_state=int(rng.integers(2**31)))
    return np.asarray(engine.fit(centres, sample_weight=mass).cluster_centers_, dtype=np.float64)


def lloyd(
    rows: Passes,
    mapped: Mapped,
    centres: Floats,
    max_iter: int,
    tol: float,
    watch: Watch | None = None,
) -> tuple[Floats, Floats, int]:
    """Centres, energies after each step, and how many steps there were.

    A step ends the run when centres move by no more than ``tol`` of the spread of the rows, which
    the first step has measured. A centre that lost its rows stays where it was. A run whose time
    is over ends with a warning.
    """
    energies: list[float] = []
    spread = np.inf
    step = 0
    for step in range(1, max_iter + 1):
        sums, mass, energy = rows.sum(partial(_sums, mapped=mapped, centres=centres))
        energies.append(float(energy))
        full = mass > 0
        old, centres = centres, centres.copy()
        centres[full] = sums[full] / mass[full, None]
        moved = np.sum((centres - old) ** 2, axis=1)
        if step == 1:  # Σ‖x − mean‖² = within clusters, about their means, and between them
            mean = sums.sum(axis=0) / mass.sum()
            apart = np.sum((centres - mean) ** 2, axis=1) - moved
            spread = (float(mass @ apart) + energies[0]) / float(mass.sum()) / centres.shape[1]
        if float(moved.sum()) <= tol * spread:
            break
        if watch is not None and step < max_iter and watch.over(step, float(moved.sum())):
            warnings.warn(
                f"The time limit ({watch.seconds:g} s) ended the fit after {step} steps.",
                ConvergenceWarning,
                stacklevel=6,
            )
            break
    energy = rows.sum(partial(_sums, mapped=mapped, centres=centres))[2]
    return centres, np.array([*energies, float(energy)]), step
