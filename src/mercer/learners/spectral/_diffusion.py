"""Spectrum of a reversible walk, and the width of its kernel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import eigh
from scipy.sparse.linalg import eigsh

from mercer.learners.spectral._compared import Compared
from mercer.learners.spectral._eigen import fixed_signs
from mercer.learners.spectral._walk import slow_modes

Floats = NDArray[np.float64]
_DENSE = 400
_SAMPLE = 1000  # rows whose neighbours decide the width
_NEAR = 64


@dataclass(frozen=True)
class Bandwidth:
    """The width σ of exp(−d²/σ), why it was taken, and the curve that was looked at."""

    sigma: float
    reason: str
    widths: Floats
    growth: Floats  # d ln(sum of kernel values)/d ln σ; half the dimension on a plateau

    @property
    def length_scale(self) -> float:
        """ℓ = √(σ/2)."""
        return float(np.sqrt(self.sigma / 2.0))

    @property
    def dimension(self) -> float:
        """Twice the largest growth: an estimate of the intrinsic dimension, rather too low."""
        return 2.0 * float(self.growth.max()) if len(self.growth) else float("nan")


def choose_bandwidth(points: Compared, local: Floats, *, seed: int = 0) -> Bandwidth:
    """The width at which ln Σ exp(−d²/σ) grows fastest in ln σ (Coifman et al. 2008).

    The sum runs over the nearest neighbours of some rows: over all pairs it may grow fastest at a
    width that already jumps between parts of the data which only lie close to each other.
    """
    rows = np.sort(np.random.default_rng(seed).permutation(points.n)[:_SAMPLE])
    squares, places = points.nearest_of(rows, min(_NEAR + 1, points.n))
    squares = squares / (local[rows][:, None] * local[places])
    positive = squares[squares > 0]
    if not len(positive):
        return Bandwidth(1.0, "all rows coincide", np.zeros(0), np.zeros(0))
    low, high = np.quantile(positive, 1e-4), positive.max()
    widths = np.geomspace(max(low, 1e-12 * high), high, 60)
    growth = np.empty(len(widths))
    for i, sigma in enumerate(widths):
        kernel = np.exp(-squares / sigma)
        growth[i] = float((kernel * squares).sum() / (sigma * kernel.sum()))
    best = int(growth.argmax())
    reason = (
        f"the sum of kernel values over {squares.shape[1] - 1} neighbours grows fastest at "
        f"σ = {widths[best]:.3g} (exponent {growth[best]:.2f}, as in dimension "
        f"{2 * growth[best]:.1f})"
    )
    return Bandwidth(float(widths[best]), reason, widths, growth)


def scaled(K: sparse.csr_matrix, left: Floats, right: Floats) -> sparse.csr_matrix:
    """diag(left)·K·diag(right), with K's pattern shared."""
    data = K.data * np.repeat(left, np.diff(K.indptr))
    data *= right[K.indices]
    result = sparse.csr_matrix((data, K.indices, K.indptr), shape=K.shape, copy=False)
    result.has_sorted_indices = K.has_sorted_indices
    return result


def row_sums(K: sparse.csr_matrix) -> Floats:
    """Of a CSR matrix in which every row has an entry."""
    return np.add.reduceat(K.data, K.indptr[:-1])


def spectrum(
    K: sparse.csr_matrix, degree: Floats, k: int, *, points: Floats | None = None, seed: int = 0
) -> tuple[Floats, Floats]:
    """Eigenvalues of D⁻¹K by size, and eigenvectors orthonormal in the stationary law.

    Through the symmetric D^{−½}KD^{−½}. The first eigenvector is the constant 1. ``points`` are
    what K was computed from: smooth functions of them are a good start.
    """
    root = np.sqrt(degree)
    A = scaled(K, 1.0 / root, 1.0 / root)
    n = len(degree)
    known = root / np.linalg.norm(root)
    found = None
    if n <= _DENSE or k > n // 4:
        values, vectors = eigh(A.toarray())
    elif k == 1:
        found = np.zeros(0), np.zeros((n, 0))
    else:
        found = slow_modes(A, known, k - 1, smooth=points, seed=seed)
        if found is None:  # eigenvalues crowd too much, or large negative ones count as well
            start = np.random.default_rng(seed).standard_normal(n)
            more = min(n - 1, 4 * k + 40)
            values, vectors = eigsh(A, k=k, which="LM", v0=start, ncv=more, tol=1e-10)
    if found is not None:
        values = np.r_[1.0, found[0]]
        vectors = np.column_stack([known, found[1]])
    order = np.argsort(-np.abs(values), kind="stable")[:k]
    values, vectors = values[order], vectors[:, order]
    top = int(np.argmax(np.abs(known @ vectors)))  # the constant, also among several ones
    order = np.r_[top, np.delete(np.arange(len(values)), top)]
    values, vectors = values[order], vectors[:, order]
    psi = fixed_signs(vectors) * np.sqrt(degree.sum()) / root[:, None]
    return values, psi
