"""The walk of a diffusion map: which points it joins, and how it steps on to them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mercer.learners.spectral._diffusion import Bandwidth
from mercer.learners.spectral._neighbours import joined, nearest, within

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class JoinedPoints:
    """Points, and the Gaussian kernel between those that are close enough."""

    points: Floats
    local: Floats  # scales of their own, if the width varies
    bandwidth: Bandwidth
    cutoff: float
    n_neighbors: int | None
    variable: bool

    @property
    def sigma(self) -> float:
        """Width of the kernel."""
        return self.bandwidth.sigma

    def pairs(self, points: Floats) -> sparse.csr_matrix:
        """Squared distances of the points (in any order) that are joined, themselves included."""
        if self.n_neighbors is None:
            return within(points, self._reach(self.local), itself=True)
        return joined(points, min(self.n_neighbors, len(points) - 1), itself=True)

    def pairs_with(self, Q: Floats, local: Floats) -> sparse.csr_matrix:
        """Squared distances of new rows to the points they are joined to."""
        X = self.points
        if self.n_neighbors is None:
            return within(X, self._reach(local), Q)
        squares, places = nearest(X, min(self.n_neighbors + 1, len(X)), Q)
        start = np.arange(0, squares.size + 1, squares.shape[1])
        return sparse.csr_matrix((squares.ravel(), places.ravel(), start), (len(Q), len(X)))

    def values(self, K: sparse.csr_matrix, left: Floats, right: Floats) -> sparse.csr_matrix:
        """Kernel values in place of squared distances."""
        z = K.data / self.sigma
        if self.variable:
            z /= np.repeat(left, np.diff(K.indptr)) * right[K.indices]
        K.data = np.exp(-z)
        if self.variable and self.n_neighbors is None:  # the reach was that of the widest kernel
            K.data[z > self.cutoff] = 0.0
            K.eliminate_zeros()
        return K

    def local_of(self, Q: Floats) -> Floats:
        """Scales of new rows."""
        if not self.variable:
            return np.ones(len(Q))
        found = np.sqrt(nearest(self.points, min(8, len(self.points)), Q)[0][:, -1])
        return np.where(found > 0, found, float(np.median(self.local)))

    def _reach(self, local: Floats) -> float:
        return float(np.sqrt(self.cutoff * self.sigma * local.max() * self.local.max()))


@dataclass(frozen=True, kw_only=True)
class DiffusionWalk:
    """Kernel after the division by the density, its degrees, and its slow modes."""

    joined: JoinedPoints
    mass: Floats  # rows that each point stands for
    order: NDArray[np.int32]  # in which neighbours stand side by side
    ordered: sparse.csr_matrix  # the kernel in that order
    scale: Floats
    degree: Floats
    eigenvalues: Floats
    eigenvectors: Floats

    def extended(self, Q: Floats) -> Floats:
        """The eigenvectors at new rows."""
        local = self.joined.local_of(Q)
        K = self.joined.values(self.joined.pairs_with(Q, local), local, self.joined.local)
        K.data *= self.scale[K.indices]
        mass = np.asarray(K.sum(axis=1)).ravel()
        step = np.asarray(K @ self.eigenvectors) / np.where(mass > 0, mass, 1.0)[:, None]
        step[mass <= 0] = np.nan  # farther than the cut-off from every point
        return step / self.eigenvalues
