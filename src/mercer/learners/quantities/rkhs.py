"""Elements of a reproducing kernel Hilbert space: values, inner products, norms."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mercer._types import Samples
from mercer.kernels import Kernel
from mercer.kernels.structured.from_callable import UserFunction
from mercer.kernels.structured.precomputed import Precomputed
from mercer.kernels.validate import n_rows, take
from mercer.learners._brief import Brief
from mercer.learners.describe import answering

Floats = NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class Expansion(Brief):
    """The function ``f = Σ_i coef_i k(points_i, ·)``, an element of the kernel's Hilbert space.

    Elements of the same kernel can be added, subtracted, multiplied by numbers, and asked for
    values, inner products and distances. The inner product does not depend on how an element is
    written: ``⟨Σ a_i k(x_i,·), Σ b_j k(z_j,·)⟩ = Σ a_i b_j k(x_i, z_j)``.

    Attributes
    ----------
    kernel : Kernel
        With all its parameters as numbers.
    points : array-like
        Centres.
    coef : ndarray
        One coefficient per centre.
    offset : float
        Of the model that the element came from; a constant is not part of the space and counts in
        no inner product, but `outputs` adds it.
    """

    kernel: Kernel
    points: Any
    coef: Floats
    offset: float = 0.0

    @classmethod
    def from_model(cls, model: Any, machine: int = 0) -> Expansion:
        """Read the function of a fitted kernel machine.

        Parameters
        ----------
        model : estimator
            With ``kernel_``, ``support_vectors_`` and ``dual_coef_`` (any margin machine), or
            ``X_fit_`` and ``dual_coef_``.
        machine : int, default=0
            Which of several outputs.

        Returns
        -------
        Expansion
            The function.
        """
        model = answering(model)
        kernel = getattr(model, "kernel_", None)
        if kernel is None or isinstance(kernel, Precomputed | UserFunction):
            raise ValueError(
                "an element of the space needs a kernel and its points: a precomputed or plain "
                "callable kernel has none. Build it with Expansion(kernel, X[model.support_], ...)."
            )
        columns = model._columns() if hasattr(model, "_columns") else _columns(model.dual_coef_)
        points = getattr(model, "support_vectors_", None)
        points = model.X_fit_ if points is None else points
        offsets = np.atleast_1d(getattr(model, "intercept_", 0.0))
        offset = float(offsets[min(machine, len(offsets) - 1)])
        return cls(kernel, points, np.asarray(columns[:, machine], dtype=np.float64), offset)

    def __call__(self, X: Any) -> Floats:
        """Values of the element at new points, without the offset."""
        if not len(self.coef):
            return np.zeros(n_rows(X))
        return self.kernel.matmul(X, self.points, self.coef)

    def outputs(self, X: Samples) -> Floats:
        """Values plus the offset: what the model answers."""
        return self(X) + self.offset

    def inner(self, other: Expansion) -> float:
        """⟨f, g⟩."""
        if not len(other.coef):
            return 0.0
        return float(other.coef @ self(other.points))

    @property
    def squared_norm(self) -> float:
        """‖f‖² = Σ a_i a_j k(x_i, x_j)."""
        return self.inner(self)

    @property
    def norm(self) -> float:
        """‖f‖; NaN if the kernel is not positive semi-definite there."""
        squared = self.squared_norm
        return math.sqrt(max(squared, 0.0)) if squared > -1e-12 else math.nan

    def distance(self, other: Expansion) -> float:
        """‖f − g‖."""
        return (self - other).norm

    def cosine(self, other: Expansion) -> float:
        """Cosine of the angle between two elements."""
        return self.inner(other) / (self.norm * other.norm)

    def __add__(self, other: Expansion) -> Expansion:
        if repr(self.kernel) != repr(other.kernel):
            raise ValueError(f"{self.kernel!r} and {other.kernel!r} span different spaces.")
        stack: Any = sparse.vstack if sparse.issparse(self.points) else np.concatenate
        points: Any = stack([self.points, other.points])
        if sparse.issparse(points):
            points = points.tocsr()
        coef = np.concatenate([self.coef, other.coef])
        return Expansion(self.kernel, points, coef, self.offset + other.offset)

    def __mul__(self, factor: float) -> Expansion:
        return Expansion(self.kernel, self.points, factor * self.coef, factor * self.offset)

    __rmul__ = __mul__

    def __neg__(self) -> Expansion:
        return -1.0 * self

    def __sub__(self, other: Expansion) -> Expansion:
        return self + (-other)

    def pruned(self, tol: float = 0.0) -> Expansion:
        """Without the centres whose coefficients are at most ``tol`` in size."""
        kept = np.flatnonzero(np.abs(self.coef) > tol)
        return Expansion(self.kernel, take(self.points, kept), self.coef[kept], self.offset)

    def weights(self) -> Floats:
        """The explicit weight vector, for kernels with finitely many features (``features_of``).

        The linear kernel has the features themselves.
        """
        from mercer.kernels.vectors.linear import Linear

        if isinstance(self.kernel, Linear):
            return np.asarray(self.points.T @ self.coef, dtype=np.float64)
        features = getattr(self.kernel, "features_of", None)
        if features is None:
            raise ValueError(f"{self.kernel!r} has no explicit feature vectors here.")
        return np.asarray(features(self.points).T @ self.coef, dtype=np.float64)


def sparsity(coef: Any, tol: float = 0.0, *, relative: bool = False) -> int:
    """How many coefficients matter: those larger than ``tol``, or than ``tol`` times the largest.

    Parameters
    ----------
    coef : array-like
        Coefficients, of any shape; a column counts once if it has one row per machine.
    tol : float, default=0.0
        Tolerance.
    relative : bool, default=False
        Whether it is a share of the largest coefficient.

    Returns
    -------
    int
        The count.
    """
    values = coef.toarray() if sparse.issparse(coef) else np.asarray(coef, dtype=np.float64)
    size = np.abs(np.atleast_2d(values)).max(axis=0)
    limit = tol * float(size.max(initial=0.0)) if relative else tol
    return int(np.count_nonzero(size > limit))


def _columns(coef: Any) -> Floats:
    values = np.asarray(coef, dtype=np.float64)
    return values[:, None] if values.ndim == 1 else values
