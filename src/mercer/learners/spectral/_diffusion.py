"""Spectrum of a reversible walk, and the width of its kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import eigh
from scipy.sparse.linalg import eigsh
from scipy.spatial.distance import cdist

from mercer.learners.spectral._eigen import fixed_signs

Floats = NDArray[np.float64]
_DENSE = 400
_SAMPLE = 1000


@dataclass(frozen=True)
class Bandwidth:
    """The width, why it was taken, and the curve that was looked at."""

    sigma: float
    reason: str
    widths: Floats
    growth: Floats  # d ln(sum of kernel values)/d ln σ; half the dimension on a plateau

    @property
    def dimension(self) -> float:
        """Twice the largest growth: an estimate of the intrinsic dimension."""
        return 2.0 * float(self.growth.max()) if len(self.growth) else float("nan")


def choose_bandwidth(X: Floats, local: Floats, *, seed: int = 0) -> Bandwidth:
    """The width at which ln Σ exp(−d²/σ) grows fastest in ln σ (Coifman et al. 2008)."""
    rows = np.random.default_rng(seed).permutation(len(X))[:_SAMPLE]
    squares = cdist(X[rows], X[rows], "sqeuclidean") / np.outer(local[rows], local[rows])
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
        f"the sum of kernel values grows fastest at σ = {widths[best]:.3g} "
        f"(exponent {growth[best]:.2f}, as in dimension {2 * growth[best]:.1f})"
    )
    # n points instead of the sample are denser: the same number of neighbours needs less width
    shrink = (len(rows) / len(X)) ** (1.0 / max(growth[best], 0.5))
    return Bandwidth(float(widths[best] * shrink), reason, widths, growth)


def spectrum(K: Any, degree: Floats, k: int, *, seed: int = 0) -> tuple[Floats, Floats]:
    """Eigenvalues of D⁻¹K by size, and eigenvectors orthonormal in the stationary law.

    Through the symmetric D^{−½}KD^{−½}. The first eigenvector is the constant 1.
    """
    root = np.sqrt(degree)
    A = sparse.diags_array(1.0 / root) @ K @ sparse.diags_array(1.0 / root)
    n = len(degree)
    if n <= _DENSE or k > n // 4:
        values, vectors = eigh(A.toarray())
    else:
        start = np.random.default_rng(seed).standard_normal(n)
        more = min(n - 1, 4 * k + 40)  # a wide basis saves restarts when eigenvalues crowd at 1
        values, vectors = eigsh(
            sparse.csr_matrix(A), k=k, which="LM", v0=start, ncv=more, tol=1e-10
        )
    order = np.argsort(-np.abs(values), kind="stable")[:k]
    values, vectors = values[order], vectors[:, order]
    top = int(np.argmax(values > 1.0 - 1e-9)) if (values > 1.0 - 1e-9).any() else 0
    order = np.r_[top, np.delete(np.arange(len(values)), top)]
    values, vectors = values[order], vectors[:, order]
    psi = fixed_signs(vectors) * np.sqrt(degree.sum()) / root[:, None]
    return values, psi
