"""A law on finitely many points: every risk is a finite sum, so nothing is estimated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial import cKDTree

from mercer.datasets._law import Array, Labels, Law, Sample, two_columns


class DiscreteLaw(Law):
    """Atom ``j`` has probability ``mass[j]`` and carries the label +1 with probability ``eta[j]``.

    Parameters
    ----------
    atoms : array-like of shape (k, d)
        The points that can occur, all different.
    mass : array-like of shape (k,)
        Their probabilities.
    eta : array-like of shape (k,)
        Probability of the label +1 at each.
    """

    def __init__(self, atoms: ArrayLike, mass: ArrayLike, eta: ArrayLike) -> None:
        self.atoms = np.asarray(atoms, dtype=float)
        self.mass = np.asarray(mass, dtype=float)
        self.eta = np.asarray(eta, dtype=float)
        k = len(self.atoms)
        if self.atoms.ndim != 2 or self.mass.shape != (k,) or self.eta.shape != (k,):
            raise ValueError("atoms must be (k, d), and mass and eta must have k entries each")
        if self.mass.min() < 0.0 or not np.isclose(self.mass.sum(), 1.0, rtol=0, atol=1e-9):
            raise ValueError("mass must be non-negative and add up to 1")
        if self.eta.min() < 0.0 or self.eta.max() > 1.0:
            raise ValueError("eta must lie in [0, 1]")
        if len(np.unique(self.atoms, axis=0)) != k:
            raise ValueError("two atoms are equal; merge them")

    @property
    def bayes_risk(self) -> float:
        """Exactly."""
        return float(self.mass @ np.minimum(self.eta, 1.0 - self.eta))

    def posterior(self, X: ArrayLike) -> Array:
        """Look each row up among the atoms."""
        distance, index = cKDTree(self.atoms).query(np.asarray(X, dtype=float))
        if np.any(distance > 1e-9 * (1.0 + np.abs(self.atoms).max())):
            raise ValueError("X has rows that are not atoms of this law")
        return two_columns(self.eta[index])

    def risk_and_error(
        self,
        predict: Callable[[Array], NDArray[Any]],
        *,
        n: int = 0,
        random_state: int | np.random.Generator | None = None,
    ) -> tuple[float, float]:
        """Exact risk (``n`` and ``random_state`` are not needed) and its standard error, zero."""
        right = self._mass(self.atoms, np.asarray(predict(self.atoms)))
        return float(self.mass @ (1.0 - right)), 0.0

    def _draw(self, n: int, rng: np.random.Generator) -> Sample:
        index = rng.choice(len(self.atoms), size=n, p=self.mass)
        return self.atoms[index], np.where(rng.random(n) < self.eta[index], 1, -1)


def make_discrete(
    n: int, *, n_atoms: int = 16, d: int = 2, noise: float = 0.1, random_state: int | None = None
) -> tuple[Array, Labels, Law]:
    """Random weighted atoms, labelled by a random plane and flipped at rate ``noise``."""
    rng = np.random.default_rng(random_state)
    atoms = rng.standard_normal((n_atoms, d))
    side = (atoms - np.median(atoms, axis=0)) @ rng.standard_normal(d) > 0
    law = DiscreteLaw(atoms, rng.dirichlet(np.ones(n_atoms)), np.where(side, 1.0 - noise, noise))
    return *law.sample(n, rng), law
