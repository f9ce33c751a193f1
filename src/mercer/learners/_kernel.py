"""Turn the ``kernel`` argument into a kernel and a Gram of the training data."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mercer import _config
from mercer.gram import DenseGram, KernelGram
from mercer.kernels import Kernel, from_sklearn
from mercer.kernels.structured.from_callable import FromCallable
from mercer.kernels.structured.precomputed import Precomputed
from mercer.kernels.vectors.gaussian import Gaussian

PROBE = 64  # support vectors looked at to see whether a doubtful kernel is PSD


class IndefiniteKernelWarning(UserWarning):
    """The kernel is not positive semi-definite on the training data."""


class UserFunction(FromCallable):
    """A plain function given as ``kernel=``: it sees whole samples, as the user has them."""


def resolve_kernel(estimator: Any, X: Any) -> tuple[Kernel, float]:
    """The kernel object meant by ``estimator.kernel`` and scikit-learn's ``gamma`` for it."""
    kernel = estimator.kernel
    if isinstance(kernel, Kernel):
        return kernel.resolve(X), 0.0
    if not isinstance(kernel, str):
        return UserFunction(kernel, objects=True), 0.0
    named = from_sklearn(kernel, estimator.gamma, estimator.degree, estimator.coef0)
    for name, value in named._resolved(X).items():
        setattr(named, name, value)
    if isinstance(named, Gaussian):
        return named, 0.5 / float(named.length_scale) ** 2
    return named, float(getattr(named, "gamma", 0.0))


def named_kernel(kernel: Any) -> Any:
    """The kernel that scikit-learn's name means, with its defaults; anything else as it is."""
    if isinstance(kernel, str) and kernel != "precomputed":
        return from_sklearn(kernel, "scale", 3, 0.0)
    return kernel


def radius(diagonal: NDArray[np.float64]) -> float:
    """Radius of the data in feature space, from k(x, x) of every row."""
    with np.errstate(invalid="ignore", over="ignore"):
        largest = float(np.max(diagonal))
    if not np.isfinite(largest):
        raise ValueError(f"The kernel is not finite on these data: k(x, x) reaches {largest}.")
    return float(np.sqrt(max(largest, 0.0)))


def training_gram(kernel: Kernel, X: Any, validate: bool) -> Any:
    """The Gram that the solver asks for rows; ``validate`` if the kernel may refuse some data."""
    if isinstance(kernel, Precomputed):
        return DenseGram(X, validate=False)
    if isinstance(kernel, UserFunction):
        return DenseGram(_square(call(kernel, X, X), _count(X)), validate=False)
    return KernelGram(kernel, X, validate=validate)


def call(kernel: UserFunction, X: Any, Y: Any) -> NDArray[np.float64]:
    """All values of a user's function, which sees the data exactly as the user passed them."""
    size = 8 * _count(X) * _count(Y)
    _config.reserve(
        size,
        f"The matrix of a callable kernel, {_count(X)} x {_count(Y)}",
        "Write the kernel as a mercer Kernel, which is evaluated in tiles.",
    )
    values = kernel.function(X, Y)
    if sparse.issparse(values):
        values = values.toarray()
    return np.ascontiguousarray(values, dtype=np.float64)


def _count(X: Any) -> int:
    return X.shape[0] if hasattr(X, "shape") else len(X)


def _square(K: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    if K.shape != (n, n):
        raise ValueError(
            f"The kernel function must return a {n} x {n} matrix for the {n} training samples; "
            f"got shape {K.shape}."
        )
    if not np.all(np.isfinite(K)):
        raise ValueError("The kernel function returned NaN or infinite values.")
    return K


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
