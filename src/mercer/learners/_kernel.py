"""The kernel of a learner: what its arguments mean, and what its values tell about the rows."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.gram import Gram, build_gram
from mercer.kernels import Kernel
from mercer.kernels.resolve import kernel_meant

PROBE = 64  # support vectors looked at to see whether a doubtful kernel is PSD


class IndefiniteKernelWarning(UserWarning):
    """The kernel is not positive semi-definite on the training data."""


def gram_of_points(X: Any, kernel: Any) -> Gram:
    """A Gram as it is, or that of points under a kernel, in double precision."""
    if isinstance(X, Gram):
        return X
    if getattr(X, "dtype", None) == np.float32:
        X = X.astype(np.float64)
    return build_gram(kernel_meant(kernel, X, functions="pairs").kernel, X)


def radius(diagonal: NDArray[np.float64]) -> float:
    """Radius of the data in feature space, from k(x, x) of every row."""
    with np.errstate(invalid="ignore", over="ignore"):
        largest = float(np.max(diagonal))
    if not np.isfinite(largest):
        raise ValueError(f"The kernel is not finite on these data: k(x, x) reaches {largest}.")
    return float(np.sqrt(max(largest, 0.0)))


def warn_if_indefinite(kernel: Kernel, gram: Any, support: NDArray[np.intp]) -> bool:
    """Look at the support vectors of a kernel that is not known to be PSD; warn if it is not."""
    if kernel.psd is True or len(support) < 2:
        return False
    probe = support[np.linspace(0, len(support) - 1, min(PROBE, len(support))).astype(int)]
    K = np.asarray(gram.tile(probe, probe), dtype=np.float64)
    K = (K + K.T) / 2
    rounding = 3e-5 * float(np.abs(K).max())  # many matrices were single precision once
    try:
        np.linalg.cholesky(K + rounding * np.eye(len(K)))
    except np.linalg.LinAlgError:
        warnings.warn(
            f"The kernel {kernel!r} is not positive semi-definite on these data. The solution is "
            "a point where the solver can improve no pair of coefficients, not necessarily the "
            "best one; norms and margins lose their geometric meaning, and bounds that need an "
            "inner product do not apply.",
            IndefiniteKernelWarning,
            stacklevel=5,
        )
        return True
    return False
