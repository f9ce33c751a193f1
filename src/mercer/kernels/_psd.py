"""Is this matrix, or this function on these data, a kernel?"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigh
from sklearn.utils import check_array

from mercer import _config
from mercer._types import Samples
from mercer.kernels._base import Kernel


@dataclass(frozen=True)
class PSDReport:
    """What `check_psd` found; true in a condition if the matrix is a kernel matrix.

    ``vector`` is a unit vector v with v'Kv = ``smallest`` < 0 if there is one: the combination of
    images with these coefficients would have a negative squared length.
    """

    ok: bool
    smallest: float
    largest: float
    asymmetry: float
    tol: float
    vector: NDArray[np.float64] | None = field(default=None, repr=False)

    def __bool__(self) -> bool:
        return self.ok

    def explain(self) -> str:
        """One sentence for people."""
        if self.ok:
            return f"positive semi-definite: smallest eigenvalue {self.smallest:.3g}"
        reasons = []
        if self.asymmetry > self.tol:
            reasons.append(f"not symmetric (entries differ by up to {self.asymmetry:.3g})")
        if self.vector is not None:
            reasons.append(
                f"v'Kv = {self.smallest:.3g} for the unit vector v in `vector` "
                f"(largest eigenvalue {self.largest:.3g})"
            )
        return "not a kernel matrix: " + " and ".join(reasons)


def check_psd(K: ArrayLike, X: Samples | None = None, tol: float | None = None) -> PSDReport:
    """Check symmetry and positive semi-definiteness (Herbrich, Proposition 2.18).

    Parameters
    ----------
    K : array of shape (n, n), or Kernel, or callable ``f(X, Y)``
    X : sample on which to evaluate a kernel; a matrix needs none
    tol : float, optional
        Absolute tolerance on eigenvalues and asymmetry. By default what rounding explains:
        10 n eps times the largest absolute eigenvalue.
    """
    K = _matrix(K, X)
    n = K.shape[0]
    asymmetry = float(np.max(np.abs(K - K.T)))
    symmetric = (K.astype(np.float64) + K.T) / 2.0
    values, vectors = eigh(symmetric, subset_by_index=(0, 0))
    largest = float(eigh(symmetric, subset_by_index=(n - 1, n - 1), eigvals_only=True)[0])
    smallest = float(values[0])
    if tol is None:
        scale = max(abs(smallest), abs(largest), float(np.max(np.abs(K))))
        tol = float(10 * n * np.finfo(K.dtype).eps * scale)
    negative = smallest < -tol
    vector = vectors[:, 0] if negative else None
    return PSDReport(not negative and asymmetry <= tol, smallest, largest, asymmetry, tol, vector)


def _matrix(K: Any, X: Any) -> NDArray[Any]:
    if callable(K):
        if X is None:
            raise ValueError("check_psd of a kernel needs data: check_psd(kernel, X)")
        K = K.resolve(X)(X) if isinstance(K, Kernel) else K(X, X)
    elif X is not None:
        raise ValueError("check_psd of a matrix takes no X")
    K = check_array(K, dtype=[np.float64, np.float32], input_name="K")
    if K.shape[0] != K.shape[1]:
        raise ValueError(f"K must be square, got shape {K.shape}")
    _config.reserve(
        4 * K.shape[0] ** 2 * 8, "The eigenvalue check", "Check a random subset of the objects."
    )
    return K
