"""Local linear structure from distances alone: how each row lies among its neighbours.

The inner products of x_j − x_i and x_k − x_i are ½(d_ij² + d_ik² − d_jk²), so nothing here needs
coordinates: vectors, objects under a metric and kernels go the same way.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import qr

from mercer.kernels.validate import take
from mercer.learners.spectral._compared import Compared

Floats = NDArray[np.float64]
_FLAT = 1e-12  # of the largest spread: below, a direction has none


def local_grams(rows: Compared, places: Any, Q: Any = None, squares: Any = None) -> Floats:
    """⟨x_j − q, x_k − q⟩ of the neighbours j, k of every row q; Q are the rows if not given."""
    if rows.plain:
        X = rows.rows.toarray() if sparse.issparse(rows.rows) else rows.rows
        around = X if Q is None else (Q.toarray() if sparse.issparse(Q) else Q)
        steps = X[places] - around[:, None, :]
        return np.einsum("ijc,ikc->ijk", steps, steps)
    between = _between(rows, places) ** 2
    return 0.5 * (squares[:, :, None] + squares[:, None, :] - between)


def _between(rows: Compared, places: Any) -> Floats:
    """Distances among the neighbours of every row."""
    if rows.given or "matrix" in rows.__dict__:
        D = rows.matrix
        return D[places[:, :, None], places[:, None, :]]
    used, where = np.unique(places, return_inverse=True)
    D = Compared(take(rows.rows, used), rows.metric, rows.params).matrix
    where = where.reshape(places.shape)
    return D[where[:, :, None], where[:, None, :]]


def barycentric(grams: Floats, reg: float) -> Floats:
    """Weights of sum one that rebuild each row from its neighbours best (Roweis and Saul)."""
    n, k, _ = grams.shape
    trace = np.trace(grams, axis1=1, axis2=2)
    ridge = np.where(trace > 0, reg * trace, reg)
    weights = np.linalg.solve(grams + ridge[:, None, None] * np.eye(k), np.ones((n, k, 1)))[..., 0]
    return weights / weights.sum(axis=1, keepdims=True)


def standard(weights: Floats, places: Any, n: int) -> sparse.csr_matrix:
    """(I − W)'(I − W)."""
    start = np.arange(0, places.size + 1, places.shape[1])
    W = sparse.csr_matrix((weights.ravel(), places.ravel(), start), (len(places), n))
    off = sparse.eye_array(n, format="csr") - W
    return sparse.csr_matrix(off.T @ off)


def aligned(grams: Floats, places: Any, n: int, d: int) -> sparse.csr_matrix:
    """Local tangent space alignment (Zhang and Zha): what local coordinates leave unexplained."""
    k = places.shape[1]
    tangents = _tangents(grams, d)
    constant = np.full((len(places), k, 1), 1.0 / np.sqrt(k))
    basis = np.concatenate([constant, tangents], axis=2)
    return _summed(np.eye(k) - basis @ basis.transpose(0, 2, 1), places, n)


def hessian(grams: Floats, places: Any, n: int, d: int, tol: float) -> sparse.csr_matrix:
    """Hessian eigenmaps (Donoho and Grimes): second derivatives in local coordinates."""
    k, tangents, upper = places.shape[1], _tangents(grams, d), np.triu_indices(d)
    parts = np.empty((len(places), k, k))
    for i, V in enumerate(tangents):
        pairs = V[:, upper[0]] * V[:, upper[1]]
        Q, _ = qr(np.column_stack([np.ones(k), V, pairs]), mode="economic")
        w = Q[:, d + 1 :]
        sums = w.sum(axis=0)
        w = w / np.where(np.abs(sums) < tol, 1.0, sums)
        parts[i] = w @ w.T
    return _summed(parts, places, n)


def modified(grams: Floats, places: Any, n: int, d: int, tol: float) -> sparse.csr_matrix:
    """Several weights per row (Zhang and Wang), as many as directions of little spread.

    Of ``places`` the first are the rows themselves, ``grams`` are of the others. How many
    directions have little spread is read off the median row.
    """
    k = grams.shape[1]
    spread, V = np.linalg.eigh(grams)
    spread, V = spread[:, ::-1], V[:, :, ::-1]
    spread = np.where(spread > _FLAT * spread[:, :1], spread, 0.0)
    so_far = np.cumsum(spread, axis=1)
    left = so_far[:, -1:] / np.where(so_far > 0.0, so_far, 1.0)[:, :-1] - 1.0
    usual = np.median(left[:, d - 1]) if d < k else 0.0
    small = np.sum((left < usual) | (spread[:, 1:] == 0.0), axis=1)
    single = barycentric(grams, 1e-3)
    parts = np.empty((len(places), k + 1, k + 1))
    for i, s in enumerate(small):
        flat = V[i][:, k - s :]
        sums = flat.sum(axis=0)
        share = np.linalg.norm(sums) / np.sqrt(s) if s else 0.0
        mirror = np.full(s, share) - sums  # the reflection that gives all weights the same sum
        length = np.linalg.norm(mirror)
        mirror = np.zeros(s) if length < tol else mirror / length
        W = flat - 2.0 * np.outer(flat @ mirror, mirror) + (1.0 - share) * single[i][:, None]
        W = np.vstack([-np.ones(s), W])
        parts[i] = W @ W.T
    return _summed(parts, places, n)


def _tangents(grams: Floats, d: int) -> Floats:
    """Orthonormal coordinates of the neighbours in the d directions of most spread."""
    centred = grams - grams.mean(axis=1, keepdims=True)
    centred = centred - centred.mean(axis=2, keepdims=True)
    return np.linalg.eigh(centred)[1][:, :, ::-1][:, :, :d]


def _summed(parts: Floats, places: Any, n: int) -> sparse.csr_matrix:
    k = places.shape[1]
    one, other = np.repeat(places, k, axis=1).ravel(), np.tile(places, (1, k)).ravel()
    return sparse.csr_matrix((parts.ravel(), (one, other)), (n, n))
