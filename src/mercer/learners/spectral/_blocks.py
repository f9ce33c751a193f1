"""How closed the clusters are: probabilities of leaving, block norms, perturbation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.sparse.linalg import eigsh, svds

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


def leaving(K: ArrayLike, labels: ArrayLike) -> float:
    """The conductance alone: largest probability that one step leaves a cluster."""
    d = degrees(K)
    largest = 0.0
    for name in np.unique(labels):
        inside = (labels == name).astype(float)
        total = float(d @ inside)
        if total > 0:
            largest = max(largest, 1.0 - float(inside @ (K @ inside)) / total)
    return largest


def block_norms(K: ArrayLike, labels: ArrayLike) -> Blocks:
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
    return float(svds(block, k=1, v0=start, tol=1e-2, return_singular_vectors=False)[0])


@dataclass(frozen=True)
class Perturbation:
    """How far the clusters' eigenspace can be from that of perfectly separated clusters."""

    norm: float  # ‖B‖, B what lies between the clusters; rather too large
    gap: float  # δ of the separated graph; rather too small
    shift: float  # 4‖B‖/δ, infinite where ‖B‖ > δ/2

    @property
    def certified(self) -> bool:
        """Whether the theorem says anything."""
        return np.isfinite(self.shift)


def perturbation(K: Any, labels: Any, *, values: Any = None) -> Perturbation:
    """4‖B‖/δ for B = H' − blockdiag(H'), H' = D^{−½}KD^{−½} (thesis, proposition 8).

    The gap is that between the clusters' leading eigenvalues and the rest of the separated graph's
    spectrum, so the shift is that of the whole eigenspace. With the smallest eigenvalues of the
    symmetric Laplacian (``values``, one more than clusters) no block is decomposed: a cluster's
    leading eigenvalue is at least its probability of staying, and by Weyl's inequality the rest
    lies below 1 − values[clusters] + ‖B‖.
    """
    labels = np.asarray(labels)
    names = np.unique(labels)
    d = degrees(K)
    root = np.where(d > 0, 1.0 / np.sqrt(np.where(d > 0, d, 1.0)), 0.0)
    if sparse.issparse(K):
        H = (sparse.diags_array(root) @ K @ sparse.diags_array(root)).tocoo()
        across = labels[H.row] != labels[H.col]
        parts = (H.data[across], (H.row[across], H.col[across]))
        between = sparse.csr_matrix(parts, shape=H.shape)
        H = H.tocsr()
    else:
        H = root[:, None] * np.asarray(K) * root
        between = H * (labels[:, None] != labels[None, :])
    norm = largest_eigenvalue_bound(between)
    if values is not None and len(values) > len(names):
        kept = 1.0 - np.asarray(between @ np.sqrt(d)) * np.sqrt(d) / np.where(d > 0, d, 1.0)
        staying = [float(np.average(kept[labels == a], weights=d[labels == a])) for a in names]
        gap = min(staying) - (1.0 - float(values[len(names)]) + norm)
    else:
        tops = [_top_two(H[rows][:, rows]) for rows in (np.flatnonzero(labels == a) for a in names)]
        gap = min(top[0] for top in tops) - max(top[1] for top in tops)
    shift = 4.0 * norm / gap if gap > 0 and norm <= gap / 2 else np.inf
    return Perturbation(norm, float(gap), float(shift))


def largest_eigenvalue_bound(B: Any, *, tol: float = 1e-3, most: int = 300) -> float:
    """At least, and nearly, the largest eigenvalue (the norm) of a symmetric non-negative matrix.

    max (Bx)ᵢ/xᵢ is a bound for every positive x (Collatz); x is made close to the eigenvector.
    """
    rows = np.flatnonzero(np.asarray(B.sum(axis=1)).ravel() > 0)
    if not len(rows):
        return 0.0
    B = B[rows][:, rows]
    x = np.ones(len(rows))
    shift = 0.5 * float((B @ x).max())  # without it, steps on a bipartite graph do not settle
    bound = np.inf
    for _ in range(most):
        y = np.asarray(B @ x)
        bound = min(bound, float((y / x).max()))
        if bound <= (1.0 + tol) * float(x @ y) / float(x @ x):
            break
        x = y + shift * x
        x /= x.max()
        x = np.maximum(x, 1e-12)  # components with smaller eigenvalues must stay positive
    return bound


def _top_two(block: Any) -> tuple[float, float]:
    n = block.shape[0]
    if n == 1:
        return float(block[0, 0]), -1.0
    if n <= 400:
        values = np.linalg.eigvalsh(block.toarray() if sparse.issparse(block) else block)
    else:
        values = np.sort(eigsh(block, k=2, which="LA", v0=np.ones(n), return_eigenvectors=False))
    return float(values[-1]), float(values[-2])
