"""The walk of a diffusion map: which points it joins, and how it steps on to them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from mercer._types import Samples
from mercer.kernels import Kernel
from mercer.kernels.resolve import kernel_meant
from mercer.learners.spectral._compared import Compared
from mercer.learners.spectral._diffusion import Bandwidth, choose_bandwidth
from mercer.learners.spectral._pieces import FELT, Connectivity, with_edges
from mercer.learners.spectral.laplacians import check_similarity

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class JoinedPoints:
    """Points, and the Gaussian kernel between those that are close enough."""

    _state_version: ClassVar[int] = 1
    points: Compared
    local: Floats  # scales of their own, if the width varies
    bandwidth: Bandwidth
    cutoff: float
    n_neighbors: int | None
    variable: bool

    @classmethod
    def on(
        cls,
        points: Compared,
        length_scale: Any,
        cutoff: float,
        n_neighbors: int | None,
        variable: bool,
        seed: int,
    ) -> JoinedPoints:
        """As the arguments of a diffusion map mean it on these points."""
        local = _local_scales(points) if variable else np.ones(points.n)
        if length_scale == "auto":
            bandwidth = choose_bandwidth(points, local, seed=seed)
        else:
            sigma = 2.0 * float(length_scale) ** 2
            bandwidth = Bandwidth(sigma, "given", np.zeros(0), np.zeros(0))
        return cls(points, local, bandwidth, float(cutoff), n_neighbors, variable)

    @property
    def sigma(self) -> float:
        """Width of the kernel."""
        return self.bandwidth.sigma

    def matrix(self, order: Any, more: Any = None) -> sparse.csr_matrix:
        """Kernel values of the points in this order; ``more`` are pairs that are joined as well."""
        points, local = self.points.taken(order), self.local[order]
        if self.n_neighbors is None:
            pairs = points.within(self._reach(self.local), itself=True)
        else:
            pairs = points.joined(min(self.n_neighbors, points.n - 1), itself=True)
        if more is not None and self.n_neighbors is not None:
            place = np.argsort(order)
            pairs = with_edges(pairs, place[more[0]], place[more[1]], more[2])
        return self.values(pairs, local, local)

    def taken(self, index: Any) -> JoinedPoints:
        """Some of the points."""
        return replace(self, points=self.points.taken(index), local=self.local[index])

    def smooth(self, order: ArrayLike) -> Floats | None:
        """Coordinates of which slow modes are likely to be smooth functions, if there are some."""
        plain = self.points.plain and not sparse.issparse(self.points.rows)
        return self.points.rows[order] if plain else None

    def stored(self) -> JoinedPoints:
        """What new rows need."""
        return replace(self, points=self.points.stored())

    def pairs_with(self, Q: Any, local: Floats) -> sparse.csr_matrix:
        """Squared distances of new rows to the points they are joined to."""
        if self.n_neighbors is None:
            return self.points.within(self._reach(local), Q)
        n = len(self.local)
        squares, places = self.points.nearest(min(self.n_neighbors + 1, n), Q)
        start = np.arange(0, squares.size + 1, squares.shape[1])
        return sparse.csr_matrix((squares.ravel(), places.ravel(), start), (Q.shape[0], n))

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

    def values_with(self, Q: Any) -> sparse.csr_matrix:
        """Kernel values of new rows with the points."""
        local = self._local_of(Q)
        return self.values(self.pairs_with(Q, local), local, self.local)

    def widened(self, ends: tuple[Any, Any, Floats]) -> JoinedPoints:
        """With a width at which these pairs (numbers, squared distances) are well joined."""
        needed = float(np.max(ends[2] / (self.local[ends[0]] * self.local[ends[1]])))
        sigma = max(self.sigma, needed / min(FELT, self.cutoff) * (1.0 + 1e-9))
        reason = f"raised from {self.sigma:.3g} until the pieces of the graph were connected"
        return replace(self, bandwidth=replace(self.bandwidth, sigma=sigma, reason=reason))

    def _local_of(self, Q: Any) -> Floats:
        """Scales of new rows."""
        if not self.variable:
            return np.ones(Q.shape[0])
        # a training row finds itself first: one neighbour more gives it the scale it had
        found = np.sqrt(self.points.nearest(min(9, len(self.local)), Q)[0][:, -1])
        return np.where(found > 0, found, float(np.median(self.local)))

    def _reach(self, local: Floats) -> float:
        return float(np.sqrt(self.cutoff * self.sigma * local.max() * self.local.max()))


@dataclass(frozen=True)
class KernelPoints:
    """Points between which a kernel that is given says how similar they are."""

    rows: Any  # None where its values are given
    kernel: Kernel | None
    kept: NDArray[np.intp] | None = None  # of given values, the columns that are used
    bandwidth: ClassVar[Bandwidth] = Bandwidth(np.nan, "of the kernel", np.zeros(0), np.zeros(0))
    sigma: ClassVar[float] = np.nan

    @classmethod
    def on(cls, kernel: Any, X: Samples, given: bool) -> KernelPoints:
        """The kernel with numbers; of given values X holds them."""
        return cls(X, None if given else kernel_meant(kernel, X).kernel)

    def order(self) -> NDArray[np.int32]:
        """As they are."""
        return np.arange(self.rows.shape[0], dtype=np.int32)

    def matrix(self, order: ArrayLike) -> sparse.csr_matrix:
        """Kernel values of the points."""
        K = self.rows if self.kernel is None else self.kernel(self.rows)
        return sparse.csr_matrix(check_similarity(K))

    def taken(self, index: Any) -> KernelPoints:
        """Some of the points."""
        if self.kernel is None:
            kept = index if self.kept is None else self.kept[index]
            return replace(self, rows=self.rows[np.ix_(index, index)], kept=kept)
        return replace(self, rows=self.rows[index])

    def smooth(self, order: ArrayLike) -> None:
        """Nothing is known of coordinates."""

    def stored(self) -> KernelPoints:
        """What new rows need."""
        return replace(self, rows=None) if self.kernel is None else self

    def values_with(self, Q: Any) -> sparse.csr_matrix:
        """Kernel values of new rows with the points."""
        if self.kernel is not None:
            return sparse.csr_matrix(self.kernel(Q, self.rows))
        return sparse.csr_matrix(Q if self.kept is None else Q[:, self.kept])


def _local_scales(points: Compared) -> Floats:
    lengths = np.sqrt(points.nearest(min(8, points.n - 1))[0][:, -1])
    floor = float(np.median(lengths[lengths > 0])) if (lengths > 0).any() else 1.0
    return np.where(lengths > 0, lengths, floor)


@dataclass(frozen=True, kw_only=True)
class DiffusionWalk:
    """Kernel after the division by the density, its degrees, and its slow modes."""

    joined: Any  # JoinedPoints or KernelPoints
    mass: Floats  # rows that each point stands for
    order: NDArray[np.int32]  # in which neighbours stand side by side
    ordered: sparse.csr_matrix  # the kernel in that order
    scale: Floats
    degree: Floats
    eigenvalues: Floats
    eigenvectors: Floats
    connectivity: Connectivity | None = None  # of the graph as it was; unknown in older files

    def extended(self, Q: Any) -> Floats:
        """The eigenvectors at new rows."""
        K = self.joined.values_with(Q)
        K.data *= self.scale[K.indices]
        mass = np.asarray(K.sum(axis=1)).ravel()
        step = np.asarray(K @ self.eigenvectors) / np.where(mass > 0, mass, 1.0)[:, None]
        step[mass <= 0] = np.nan  # farther than the cut-off from every point
        return step / self.eigenvalues
