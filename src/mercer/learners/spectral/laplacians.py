"""Graphs of similarities: degrees, the three Laplacians, their eigenvectors, and their extensions.

K is symmetric and non-negative, d its row sums. Laplacian eigenvalues λ are given in rising order;
those of the similarities, μ = 1 − λ, fall. ``kind`` is ``"unnormalized"`` (D − K), ``"symmetric"``
(I − D^{−½}KD^{−½}) or ``"random-walk"`` (I − D^{−1}K); the last two share their eigenvalues.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import eigh
from scipy.sparse.linalg import LinearOperator, eigsh, splu

from mercer.learners.spectral._eigen import fixed_signs

Floats = NDArray[np.float64]
KINDS = ("unnormalized", "symmetric", "random-walk")
_DENSE = 500


def check_similarity(K: Any) -> Any:
    """A symmetric, non-negative, finite matrix, dense or CSR."""
    K = sparse.csr_matrix(K, dtype=float) if sparse.issparse(K) else np.asarray(K, dtype=float)
    if K.ndim != 2 or K.shape[0] != K.shape[1]:
        raise ValueError(f"similarities are a square matrix, got shape {K.shape}")
    values = K.data if sparse.issparse(K) else K
    if values.size and not np.isfinite(values).all():
        raise ValueError("a similarity is not finite")
    if values.size and values.min() < 0:
        raise ValueError(
            f"similarities must not be negative (smallest {values.min():.3g}): shift them, or use "
            "a kernel such as the Gaussian"
        )
    gap = abs(K - K.T).max()
    if gap > 1e-8 * max(1.0, float(values.max(initial=0.0))):
        raise ValueError(f"similarities must be symmetric; entries differ by up to {gap:.3g}")
    return K


def degrees(K: Any) -> Floats:
    """Row sums."""
    return np.asarray(K.sum(axis=1), dtype=float).ravel()


def degree_radius(n: int, delta: float, *, largest: float = 1.0) -> float:
    """How far any of the n mean degrees d_i/n may be from its limit, with probability 1 − δ.

    Hoeffding over the other n − 1 points and a union over the rows, for similarities in
    [0, largest]: √(ln(2n/δ)/(2(n−1)))·largest, and 2·largest/n for the point itself.
    """
    if n < 2 or not 0.0 < delta < 1.0:
        raise ValueError(f"needs n >= 2 and delta in (0, 1), got n={n}, delta={delta}")
    return largest * (float(np.sqrt(np.log(2.0 * n / delta) / (2.0 * (n - 1)))) + 2.0 / n)


def laplacian(K: Any, kind: str = "symmetric") -> Any:
    """The Laplacian matrix, sparse if K is."""
    d = _positive(degrees(K), kind)
    n = K.shape[0]
    if kind == "unnormalized":
        return sparse.diags_array(d).tocsr() - K if sparse.issparse(K) else np.diag(d) - K
    left, right = (d**-0.5, d**-0.5) if kind == "symmetric" else (1.0 / d, np.ones(n))
    if sparse.issparse(K):
        scaled = sparse.diags_array(left) @ K @ sparse.diags_array(right)
        return (sparse.eye_array(n) - scaled).tocsr()
    return np.eye(n) - left[:, None] * K * right


def weighed(K: Any, left: Floats, right: Floats) -> Any:
    """diag(left)·K·diag(right)."""
    if sparse.issparse(K):
        return (sparse.diags_array(left) @ K @ sparse.diags_array(right)).tocsr()
    return left[:, None] * K * right


def eigenpairs(
    K: Any, k: int, kind: str = "symmetric", *, seed: int = 0, weight: Floats | None = None
) -> tuple[Floats, Floats]:
    """The k smallest eigenvalues of a Laplacian, rising, and their eigenvectors.

    Those of the random walk are D^{−½} times those of the symmetric one, scaled to length one.
    Points of weight w count as w copies: degrees are K·w, and eigenvectors have the values, and in
    the sum over all copies the length, that they have with the copies written out.
    """
    if weight is not None and np.any(weight != 1.0):
        return _weighed_eigenpairs(K, k, kind, seed, weight)
    d = _positive(degrees(K), kind)
    n = K.shape[0]
    if not 1 <= k <= n:
        raise ValueError(f"{k} eigenvectors of a graph of {n} points do not exist")
    base = "unnormalized" if kind == "unnormalized" else "symmetric"
    L = laplacian(K, base)
    if n <= _DENSE or k > n // 4:
        dense = L.toarray() if sparse.issparse(L) else L
        values, vectors = eigh(0.5 * (dense + dense.T), subset_by_index=(0, k - 1))
    else:
        values, vectors = _iterate(L, d, k, base, seed)
    vectors = fixed_signs(_known_first(values, vectors, d, base))
    if kind == "random-walk":
        vectors = vectors / np.sqrt(d)[:, None]
        vectors = fixed_signs(vectors / np.linalg.norm(vectors, axis=0))
    return np.maximum(values, 0.0) if values.min() > -1e-9 else values, vectors


def _weighed_eigenpairs(
    K: Any, k: int, kind: str, seed: int, weight: Floats
) -> tuple[Floats, Floats]:
    n, root = K.shape[0], np.sqrt(weight)
    d = _positive(degrees(weighed(K, np.ones(n), weight)), kind)
    if kind == "unnormalized":  # D − √w·K·√w, whose eigenvectors are √w times functions of points
        inner = weighed(K, root, root)
        L = sparse.diags_array(d).tocsr() - inner if sparse.issparse(K) else np.diag(d) - inner
        if n <= _DENSE or k > n // 4:
            dense = L.toarray() if sparse.issparse(L) else L
            values, vectors = eigh(0.5 * (dense + dense.T), subset_by_index=(0, k - 1))
        else:
            values, vectors = _iterate(L, d, k, kind, seed)
        vectors = vectors / root[:, None]
    else:
        values, vectors = eigenpairs(weighed(K, weight, weight), k, "random-walk", seed=seed)
        if kind == "symmetric":
            vectors = vectors * np.sqrt(d)[:, None]
    lengths = np.sqrt(weight @ vectors**2)
    return values, fixed_signs(vectors / lengths)


def _known_first(values: Floats, vectors: Floats, d: Floats, base: str) -> Floats:
    """In a graph of several components any basis belongs to eigenvalue 0: take the one that starts
    with the vector known to be there, so that the others tell components apart.
    """
    count = int(
        np.sum(values < 1e-9 * (1.0 if base == "symmetric" else max(float(d.max()), 1e-300)))
    )
    if count < 2:
        return vectors
    known = np.sqrt(d) if base == "symmetric" else np.ones(len(d))
    inside = vectors[:, :count].T @ (known / np.linalg.norm(known))
    turn = np.linalg.qr(np.column_stack([inside, np.eye(count)]))[0][:, :count]
    return np.hstack([vectors[:, :count] @ turn, vectors[:, count:]])


def _iterate(L: Any, d: Floats, k: int, base: str, seed: int) -> tuple[Floats, Floats]:
    """Inverse iteration on sparse graphs, plain Lanczos on full ones."""
    start = np.random.default_rng(seed).standard_normal(len(d))
    if sparse.issparse(L) and L.nnz < 0.05 * len(d) ** 2:
        shift = 1e-4 * (1.0 if base == "symmetric" else float(np.mean(d)))
        solve = _factor(L + shift * sparse.eye_array(len(d))).solve
        inverse: Any = LinearOperator(L.shape, matvec=solve, dtype=np.float64)
        values, vectors = eigsh(
            L, k=k, sigma=-shift, OPinv=inverse, which="LM", v0=start, tol=1e-10
        )
    else:
        top = 2.0 if base == "symmetric" else 2.0 * float(d.max())
        eye = sparse.eye_array(len(d)) if sparse.issparse(L) else np.eye(len(d))
        values, vectors = eigsh(top * eye - L, k=k, which="LA", v0=start)
        values = top - values
    order = np.argsort(values)
    return values[order], vectors[:, order]


def _factor(A: Any) -> Any:
    """Of a symmetric positive definite matrix: no pivots, and an order that keeps symmetry."""
    return splu(
        A.tocsc(),
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )


def convert_vectors(vectors: Any, d: Floats, source: str, target: str) -> Floats:
    """Eigenvectors of one normalised Laplacian as those of the other (not rescaled)."""
    if {source, target} - {"symmetric", "random-walk"}:
        raise ValueError("only the two normalised Laplacians share their eigenvectors")
    vectors = np.asarray(vectors, dtype=float)
    if source == target:
        return vectors.copy()
    root = np.sqrt(d)[:, None]
    return vectors / root if target == "random-walk" else vectors * root


def extend(
    similarities: Any, d: Floats, values: Floats, vectors: Floats, kind: str
) -> tuple[Floats, NDArray[np.bool_]]:
    """Eigenfunctions at new points, from their similarities to the sample (one row per point).

    Reproduces the eigenvectors at the sample points. The second result marks points where the
    extension exists: not where a new point is similar to nothing, and for the unnormalised
    Laplacian not where its degree comes close to an eigenvalue (thesis, II.4).
    """
    own = np.asarray(similarities.sum(axis=1), dtype=float).ravel()
    if kind == "unnormalized":
        below = own[:, None] - values[None, :]
        fine = (np.abs(below) > 1e-6 * np.maximum(own, 1e-300)[:, None]).all(axis=1) & (own > 0)
        numerator = np.asarray(similarities @ vectors)
        return numerator / np.where(fine[:, None], below, 1.0), fine
    mu = 1.0 - values
    fine = (own > 0) & (np.abs(mu) > 1e-12).all()
    safe = np.where(own > 0, own, 1.0)
    weighted = vectors / np.sqrt(d)[:, None] if kind == "symmetric" else vectors
    numerator = np.asarray(similarities @ weighted)
    scale = np.sqrt(safe) if kind == "symmetric" else safe
    return numerator / scale[:, None] / np.where(np.abs(mu) > 1e-12, mu, 1.0), fine


def _positive(d: Floats, kind: str) -> Floats:
    if kind not in KINDS:
        raise ValueError(f"the Laplacian must be one of {KINDS}, got {kind!r}")
    if kind != "unnormalized" and d.min() <= 0:
        lonely = int(np.sum(d <= 0))
        raise ValueError(
            f"{lonely} points are similar to nothing (degree 0), so the {kind} Laplacian does not "
            "exist: remove them, use more neighbours, or a wider kernel"
        )
    return d
