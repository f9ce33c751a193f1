"""scikit-learn's names for kernels."""

from __future__ import annotations

import math

from mercer.kernels._base import Kernel
from mercer.kernels.algebra.feature_space import Normalized
from mercer.kernels.structured.precomputed import Precomputed
from mercer.kernels.validate import real
from mercer.kernels.vectors.chi_squared import ChiSquared
from mercer.kernels.vectors.gaussian import Gaussian
from mercer.kernels.vectors.laplacian import Laplacian
from mercer.kernels.vectors.linear import Linear
from mercer.kernels.vectors.polynomial import Polynomial
from mercer.kernels.vectors.sigmoid import Sigmoid

SKLEARN_KERNELS = (
    "linear",
    "poly",
    "polynomial",
    "rbf",
    "sigmoid",
    "laplacian",
    "chi2",
    "cosine",
    "precomputed",
)


def from_sklearn(
    kernel: str, gamma: float | str = "scale", degree: float = 3, coef0: float = 0.0
) -> Kernel:
    """The Mercer kernel that scikit-learn means by ``kernel``.

    ``gamma`` may be a number, "scale" or "auto"; the strings stay unresolved until
    `Kernel.resolve` sees the training data. Note that scikit-learn's "poly" is
    (gamma <x, y> + coef0)^degree and that its gamma is 1 / (2 length_scale^2) for "rbf" and
    1 / length_scale for "laplacian".
    """
    if kernel not in SKLEARN_KERNELS:
        raise ValueError(
            f"unknown kernel {kernel!r}; the names are {', '.join(SKLEARN_KERNELS)}, or pass a "
            "Kernel object or a callable"
        )
    if kernel == "linear":
        return Linear()
    if kernel == "cosine":
        return Normalized(Linear())
    if kernel == "precomputed":
        return Precomputed()
    if gamma not in ("scale", "auto"):
        gamma = real(gamma, "gamma", low=0)
    if kernel == "sigmoid":
        return Sigmoid(gamma=gamma, coef0=coef0)
    if kernel in ("poly", "polynomial"):
        return Polynomial(degree=degree, coef0=coef0, gamma=gamma)
    if kernel == "chi2":
        return ChiSquared(gamma=gamma)
    if isinstance(gamma, str):
        return Gaussian(gamma) if kernel == "rbf" else Laplacian(gamma)
    if kernel == "rbf":
        return Gaussian(1.0 / math.sqrt(2.0 * gamma) if gamma else math.inf)
    return Laplacian(1.0 / gamma if gamma else math.inf)


def sklearn_gamma_of(kernel: Kernel) -> float:
    """scikit-learn's ``gamma`` of a resolved kernel that `from_sklearn` made; 0 if it has none."""
    if isinstance(kernel, Gaussian):
        return 0.5 / float(kernel.length_scale) ** 2
    if isinstance(kernel, Laplacian):
        return 1.0 / float(kernel.length_scale)
    return float(getattr(kernel, "gamma", 0.0))
