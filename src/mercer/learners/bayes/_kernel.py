"""What ``kernel=`` may be for a Bayesian learner, and the kernel meant when it is not given."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from mercer.kernels import Kernel, from_sklearn
from mercer.kernels.algebra.arithmetic import Scaled
from mercer.kernels.algebra.constant import White
from mercer.kernels.bandwidth import median_distance
from mercer.kernels.sklearn_objects import is_sklearn_kernel, translate
from mercer.kernels.structured.from_callable import FromCallable
from mercer.kernels.vectors.gaussian import Gaussian

MANY = 30  # columns: beyond, one length scale for all of them


def default_kernel(X: Any, variance: float = 1.0) -> Kernel:
    """A variance times a Gaussian with a length scale per column, up to 30 columns."""
    if sparse.issparse(X) or X.shape[1] > MANY:
        return Scaled(Gaussian(float(median_distance(X))), variance)
    spread = X.std(axis=0, dtype=np.float64)
    lengths = np.where(spread > 0, spread * np.sqrt(X.shape[1]), np.inf)
    if not np.any(spread > 0):
        lengths = np.ones(X.shape[1])
    return Scaled(Gaussian(lengths), variance)


def as_kernel(kernel: Any) -> tuple[Kernel, dict[str, Any]]:
    """A Mercer kernel, unresolved, and the bounds that came with a scikit-learn kernel object."""
    if isinstance(kernel, Kernel):
        return kernel, {}
    if isinstance(kernel, str):
        return from_sklearn(kernel), {}
    if is_sklearn_kernel(kernel):
        return translate(kernel)
    if callable(kernel):
        return FromCallable(kernel), {}
    raise TypeError(
        f"kernel={kernel!r} is not a kernel; pass a mercer Kernel, a kernel of "
        "sklearn.gaussian_process.kernels, a name such as 'rbf', a function, or 'precomputed'"
    )


def has_white(kernel: Kernel) -> bool:
    """Whether the kernel itself models noise."""
    if isinstance(kernel, White):
        return True
    inside = kernel.get_params(deep=True).values()
    return any(isinstance(part, White) for part in inside)
