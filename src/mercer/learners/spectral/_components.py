"""Routes to principal components of weighed rows: largest singular vectors of √w·(x − mean).

Each takes the rows, their mean, √w and how many are wanted, and gives singular values, falling, and
orthonormal directions, one per row.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import eigh, svd
from scipy.sparse.linalg import LinearOperator, svds
from scipy.special import gammaln
from sklearn.utils.extmath import randomized_svd

from mercer._types import Samples

Floats = NDArray[np.float64]
Found = tuple[Floats, Floats]


def full(X: Samples, mean: Floats, root: Floats, wanted: int) -> Found:
    """By the singular values of the filled matrix."""
    _, singular, components = svd(_filled(X, mean, root), full_matrices=False)
    return singular[:wanted], components[:wanted]


def covariance(X: Any, mean: Floats, root: Floats, wanted: int) -> Found:
    """By eigenvectors of the p × p matrix."""
    p = X.shape[1]
    if sparse.issparse(X):
        heavy = X.multiply(root[:, None]).tocsr()
        C = (heavy.T @ heavy).toarray() - float(root @ root) * np.outer(mean, mean)
    else:
        rows = _filled(X, mean, root)
        C = rows.T @ rows
    values, vectors = eigh(C, subset_by_index=(p - wanted, p - 1))
    return np.sqrt(np.maximum(values[::-1], 0.0)), vectors[:, ::-1].T


def gram(X: Any, mean: Floats, root: Floats, wanted: int) -> Found:
    """By eigenvectors of the n × n matrix."""
    n, rows = X.shape[0], _filled(X, mean, root)
    values, vectors = eigh(rows @ rows.T, subset_by_index=(n - wanted, n - 1))
    singular = np.sqrt(np.maximum(values[::-1], 0.0))
    components = vectors[:, ::-1].T @ rows
    lengths = np.linalg.norm(components, axis=1, keepdims=True)
    flat = lengths.ravel() <= 1e-10 * max(singular[0], 1e-300)
    components = components / np.where(lengths > 0, lengths, 1.0)
    if flat.any():  # directions without variance: any orthonormal completion will do
        rest = np.random.default_rng(0).standard_normal((int(flat.sum()), rows.shape[1]))
        for _ in range(2):  # once leaves rounding errors of the size of what was taken away
            rest -= (rest @ components[~flat].T) @ components[~flat]
        components[flat] = np.linalg.qr(rest.T)[0].T
    return singular, components


def arpack(
    X: Any, mean: Floats, root: Floats, wanted: int, *, seed: int, tol: float = 0.0
) -> Found:
    """By Lanczos steps, sparse rows never filled."""
    start = np.random.default_rng(seed).standard_normal(min(X.shape))
    _, singular, components = svds(_implicit(X, mean, root), k=wanted, v0=start, tol=tol)
    order = np.argsort(singular)[::-1]
    return singular[order], components[order]


def randomized(
    X: Any, mean: Floats, root: Floats, wanted: int, *, seed: int, **options: Any
) -> Found:
    """By products with random vectors (Halko, Martinsson and Tropp); of sparse rows, by Lanczos."""
    if sparse.issparse(X) and wanted < min(X.shape):  # randomised products would fill them
        return arpack(X, mean, root, wanted, seed=seed)
    rows = _filled(X, mean, root)
    components = randomized_svd(rows, wanted, random_state=seed % 2**32, **options)[2]
    singular = np.linalg.norm(rows @ components.T, axis=0)  # of the scores these directions give
    order = np.argsort(-singular, kind="stable")
    return singular[order], components[order]


def total_variation(X: Any, mean: Floats, root: Floats) -> float:
    """Σ w‖x − mean‖²."""
    weight = root**2
    if sparse.issparse(X):
        squares = float(weight @ np.asarray(X.multiply(X).sum(axis=1)).ravel())
        return max(0.0, squares - float(weight.sum()) * float(mean @ mean))
    return float(weight @ np.sum((X - mean) ** 2, axis=1))


def likeliest_dimension(spectrum: Floats, n: float) -> int:
    """Minka's choice of the number of components: Laplace's approximation of the evidence."""
    p = len(spectrum)
    scores = [-np.inf] + [_log_evidence(spectrum, k, n) for k in range(1, p)]
    return int(np.argmax(scores))


def _log_evidence(spectrum: Floats, k: int, n: float) -> float:
    p = len(spectrum)
    floor = np.finfo(float).eps * max(1.0, p * float(spectrum[0]))  # what rounding leaves of zero
    if spectrum[k - 1] < floor:  # the components have no variance to explain
        return -np.inf
    angles = 0.5 * (p - np.arange(k))
    frames = -k * np.log(2.0) + float(np.sum(gammaln(angles) - np.log(np.pi) * angles))
    noise = max(floor, float(np.mean(spectrum[k:])))
    fit = -0.5 * n * (float(np.sum(np.log(spectrum[:k]))) + (p - k) * np.log(noise))
    free = p * k - 0.5 * k * (k + 1)
    model = np.where(np.arange(p) < k, spectrum, noise)
    curvature = 0.0
    for i in range(k):
        gaps = (spectrum[i] - spectrum[i + 1 :]) * (1.0 / model[i + 1 :] - 1.0 / model[i])
        with np.errstate(divide="ignore"):
            curvature += float(np.sum(np.log(gaps) + np.log(n)))
    volume = 0.5 * np.log(2.0 * np.pi) * (free + k) - 0.5 * curvature - 0.5 * k * np.log(n)
    return frames + fit + volume


def _filled(X: Any, mean: Floats, root: Floats) -> Floats:
    dense = np.asarray(X.toarray() if sparse.issparse(X) else X)
    return (dense - mean) * root[:, None]


def _implicit(X: Any, mean: Floats, root: Floats) -> Any:
    n, p = X.shape

    def forward(v: Floats) -> Floats:
        v = v.reshape(p, -1)
        return root[:, None] * (np.asarray(X @ v) - mean @ v)

    def backward(u: Floats) -> Floats:
        u = root[:, None] * u.reshape(n, -1)
        return np.asarray(X.T @ u) - np.outer(mean, u.sum(axis=0))

    return LinearOperator(
        (n, p), matvec=forward, rmatvec=backward, matmat=forward, rmatmat=backward, dtype=float
    )
