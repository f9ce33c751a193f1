"""What is known about a kernel before any data: radius, range, dimension, choices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.bounds import Choice
from mercer.kernels import Kernel
from mercer.kernels.algebra.arithmetic import Power, Product, Scaled, Shifted, Sum
from mercer.kernels.algebra.feature_space import FeatureGaussian, Normalised
from mercer.kernels.resolve import read_off
from mercer.kernels.vectors._radial import RadialKernel
from mercer.kernels.vectors.chi_squared import ChiSquared
from mercer.kernels.vectors.jaccard import Jaccard
from mercer.kernels.vectors.linear import Linear
from mercer.kernels.vectors.polynomial import Polynomial

Floats = NDArray[np.float64]

_ONE_ON_THE_DIAGONAL = (Normalised, FeatureGaussian, Jaccard, ChiSquared)


def known_radius(kernel: Kernel, diagonal: Floats) -> float | None:
    """√sup k(x,x) over all inputs, None unless the kernel alone determines it."""
    if kernel.psd is not True:
        return None
    if isinstance(kernel, _ONE_ON_THE_DIAGONAL) or getattr(kernel, "unit_ball", False):
        return 1.0
    if kernel.stationary:  # k(x, x) is the same everywhere, so one value tells
        return float(np.sqrt(max(float(diagonal[0]), 0.0)))
    return None


def known_range(kernel: Kernel) -> float | None:
    """Sup k − inf k over all inputs; radial kernels lie between 0 and 1."""
    return 1.0 if isinstance(kernel, RadialKernel) else None


def dimension(kernel: Kernel, n_features: int | None) -> float | None:
    """Dimension of the feature space, or more than it; None if nobody knows."""
    if isinstance(kernel, Linear) and n_features is not None:
        return float(n_features)
    if isinstance(kernel, Polynomial) and n_features is not None and kernel.psd:
        return _monomials(n_features + (kernel.coef0 > 0), int(kernel.degree))
    if isinstance(kernel, (Scaled, Normalised, Shifted, Power)):
        inner = dimension(kernel.kernel, n_features)
        if inner is None or isinstance(kernel, (Scaled, Normalised)):
            return inner
        if isinstance(kernel, Shifted):
            return inner + (kernel.constant > 0)
        return _monomials(inner + (kernel.shift > 0), int(kernel.degree))
    if isinstance(kernel, (Sum, Product)):
        left, right = (dimension(part, n_features) for part in (kernel.left, kernel.right))
        if left is not None and right is not None:
            return left + right if isinstance(kernel, Sum) else left * right
    return math.inf if kernel.universal else None


def _monomials(variables: float, degree: int) -> float:
    """Products of ``degree`` out of so many variables."""
    if math.isinf(variables):
        return math.inf
    try:
        return float(math.comb(int(variables) + degree - 1, degree)) if variables else 1.0
    except OverflowError:
        return math.inf


def kernel_choices(estimator: Any) -> tuple[Choice, ...]:
    """Parameters of the kernel that were read off the training rows."""
    found = read_off(estimator.kernel, estimator.gamma, estimator.kernel_)
    return tuple(Choice(what, how) for what, how in found)
