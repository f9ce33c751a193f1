"""How closed the clusters are: probabilities of leaving, block norms, perturbation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.linalg import svds

from mercer.learners.spectral.laplacians import degrees

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Blocks:
    """A partition seen by the random walk D⁻¹K.

    ``staying[a, b]`` is the probability of a step from cluster a (entered by its degrees) to b;
    ``worst[a, b]`` the largest such probability over the points of a (the row-sum norm of the
    block); ``spectral[a, b]`` its spectral norm.
    """

    staying: Floats
    worst: Floats
    spectral: Floats

    @property
    def conductance(self) -> float:
        """Largest probability that one step leaves a cluster."""
        return float(np.max(1.0 - np.diag(self.staying)))


def block_norms(K: Any, labels: Any) -> Blocks:
    """Norms of the blocks of the random walk between and within clusters."""
    labels = np.asarray(labels)
    names = np.unique(labels)
    d = degrees(K)
    inverse = np.where(d > 0, 1.0 / np.where(d > 0, d, 1.0), 0.0)
    walk = sparse.diags_array(inverse) @ K if sparse.issparse(K) else inverse[:, None] * K
    k = len(names)
    staying, worst, spectral = (np.zeros((k, k)) for _ in range(3))
    rows = [np.flatnonzero(labels == name) for name in names]
    for a in range(k):
        for b in range(k):
            block = walk[rows[a]][:, rows[b]]
            leave = np.asarray(block.sum(axis=1)).ravel()
            mass = d[rows[a]]
            total = mass.sum()
            staying[a, b] = float(leave @ mass / total) if total > 0 else 0.0
            worst[a, b] = float(leave.max(initial=0.0))
            spectral[a, b] = _norm(block)
    return Blocks(staying, worst, spectral)


def _norm(block: Any) -> float:
    if min(block.shape) <= 200:
        return float(np.linalg.norm(block.toarray() if sparse.issparse(block) else block, 2))
    if not np.any(block.data if sparse.issparse(block) else block):
        return 0.0
    start = np.random.default_rng(0).standard_normal(min(block.shape))
    return float(svds(block, k=1, v0=start, return_singular_vectors=False)[0])


@dataclass(frozen=True)
class Perturbation:
    """How far the clusters' eigenspace can be from that of perfectly separated clusters."""

    norm: float  # ‖B‖, B what lies between the clusters
    gap: float  # δ_r of the separated graph
    shift: float  # 4‖B‖/δ, infinite where ‖B‖ > δ/2

    @property
    def certified(self) -> bool:
        """Whether the theorem says anything."""
        return np.isfinite(self.shift)


def perturbation(K: Any, labels: Any) -> Perturbation:
    """4‖B‖/δ for B = H' − blockdiag(H'), H' = D^{−½}KD^{−½} (thesis, proposition 8).

    The gap is that between the clusters' leading eigenvalues and the rest of the separated graph's
    spectrum, so the shift is that of the whole eigenspace.
    """
    labels = np.asarray(labels)
    d = degrees(K)
    root = np.where(d > 0, 1.0 / np.sqrt(np.where(d > 0, d, 1.0)), 0.0)
    if sparse.issparse(K):
        H = (sparse.diags_array(root) @ K @ sparse.diags_array(root)).tocoo()
        inside = labels[H.row] == labels[H.col]
        between = sparse.csr_matrix((H.data * ~inside, (H.row, H.col)), shape=H.shape)
    else:
        H = root[:, None] * np.asarray(K) * root
        between = H * (labels[:, None] != labels[None, :])
    names = np.unique(labels)
    H = H.tocsr() if sparse.issparse(H) else H
    leading, rest = [], []
    for name in names:
        rows = np.flatnonzero(labels == name)
        block = H[rows][:, rows]
        top = _top_two(block)
        leading.append(top[0])
        rest.append(top[1])
    gap = float(min(leading) - max(rest))
    norm = _norm(between)
    shift = 4.0 * norm / gap if gap > 0 and norm <= gap / 2 else np.inf
    return Perturbation(norm, gap, shift)


def _top_two(block: Any) -> tuple[float, float]:
    n = block.shape[0]
    if n == 1:
        value = float(block[0, 0])
        return value, -1.0
    if n <= 400:
        values = np.linalg.eigvalsh(block.toarray() if sparse.issparse(block) else block)
    else:
        from scipy.sparse.linalg import eigsh

        values = np.sort(eigsh(block, k=2, which="LA", v0=np.ones(n), return_eigenvectors=False))
    return float(values[-1]), float(values[-2])
