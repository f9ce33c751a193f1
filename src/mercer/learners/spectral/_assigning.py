"""Clusters from eigenvectors without k-means: pivoted QR, and rotation to the nearest partition."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, qr, svd

Floats = NDArray[np.float64]
_STEPS, _STARTS = 20, 30


def cluster_qr(vectors: Floats) -> NDArray[np.int32]:
    """The representative that each row is most parallel to (Damle, Minden and Ying 2019).

    Pivoted QR picks as many rows as there are columns, far apart; their polar factor turns the
    eigenvectors so that each cluster has a coordinate of its own.
    """
    k = vectors.shape[1]
    pivots = qr(vectors.T, pivoting=True)[2][:k]
    u, _, v = svd(vectors[pivots].T)
    return np.abs(vectors @ (u @ v.conj())).argmax(axis=1).astype(np.int32)


def discretize(vectors: Floats, seed: int, weight: Floats) -> NDArray[np.int32]:
    """The partition closest to a rotation of the eigenvectors (Yu and Shi 2003)."""
    scaled = vectors / np.sqrt(weight @ vectors**2) * np.sqrt(weight.sum())
    first = np.sign(scaled[0])
    scaled = np.where(first != 0, -first, 1.0) * scaled
    lengths = np.linalg.norm(scaled, axis=1, keepdims=True)
    rows = scaled / np.where(lengths > 0, lengths, 1.0)
    rng = np.random.default_rng(seed)
    for _ in range(_STARTS):
        try:
            return _rotated(rows, rng, weight)
        except LinAlgError:
            continue
    raise LinAlgError("the rotation to a partition did not converge")


def _rotated(rows: Floats, rng: np.random.Generator, weight: Floats) -> NDArray[np.int32]:
    """From rows far apart: the nearest partition, the nearest rotation, and so on."""
    n, k = rows.shape
    turn = np.zeros((k, k))
    turn[:, 0] = rows[rng.integers(n)]
    overlap = np.zeros(n)
    for j in range(1, k):
        overlap += np.abs(rows @ turn[:, j - 1])
        turn[:, j] = rows[overlap.argmin()]
    last, labels = 0.0, np.zeros(n, dtype=np.int32)
    for _ in range(_STEPS):
        labels = (rows @ turn).argmax(axis=1).astype(np.int32)
        u, sizes, v = svd((weight[:, None] * np.eye(k)[labels]).T @ rows)
        loss = 2.0 * (weight.sum() - sizes.sum())
        if abs(loss - last) < np.finfo(float).eps:
            break
        last, turn = loss, v.T @ u.T
    return labels
