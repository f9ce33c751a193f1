"""Kernel objects of scikit-learn's Gaussian processes, translated with their bounds."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from mercer.kernels import Kernel
from mercer.kernels.algebra.arithmetic import Power, Product, Scaled, Shifted, Sum
from mercer.kernels.algebra.constant import Constant, White
from mercer.kernels.vectors.gaussian import Gaussian
from mercer.kernels.vectors.linear import Linear
from mercer.kernels.vectors.matern import Matern
from mercer.kernels.vectors.periodic import Periodic
from mercer.kernels.vectors.rational_quadratic import RationalQuadratic

Translated = tuple[Kernel, dict[str, Any]]


def is_sklearn_kernel(kernel: Any) -> bool:
    """Whether the object comes from ``sklearn.gaussian_process.kernels``."""
    module = sys.modules.get("sklearn.gaussian_process.kernels")
    return module is not None and isinstance(kernel, module.Kernel)


def takes_objects(kernel: Any) -> bool:
    """Whether its rows are not vectors; constants and noise alone do not care, and get vectors."""
    if type(kernel).__name__ == "CompoundKernel" or kernel.requires_vector_input:
        return False
    parts = [getattr(kernel, name) for name in ("k1", "k2", "kernel") if hasattr(kernel, name)]
    if not parts:
        return type(kernel).__name__ not in ("ConstantKernel", "WhiteKernel")
    return any(takes_objects(part) for part in parts)


def translate(kernel: Any) -> Translated:
    """The same covariance as a Mercer kernel, and its bounds by parameter name.

    White noise becomes `White`, which like scikit-learn's appears on the training diagonal only.
    """
    name = type(kernel).__name__
    if name in ("Sum", "Product"):
        return _pair(kernel, Sum if name == "Sum" else Product)
    if name == "Exponentiation":
        inner, bounds = translate(kernel.kernel)
        if kernel.exponent != int(kernel.exponent):
            raise ValueError(f"the exponent {kernel.exponent} is not a whole number: no kernel")
        return Power(inner, int(kernel.exponent)), _under("kernel", bounds)
    simple = {"ConstantKernel": _constant, "WhiteKernel": _white, "RBF": _rbf, "Matern": _matern}
    simple |= {"RationalQuadratic": _rational, "ExpSineSquared": _periodic, "DotProduct": _dot}
    if name not in simple:
        raise TypeError(f"scikit-learn's {name} has no counterpart; write it as a mercer Kernel")
    return simple[name](kernel)


def _pair(kernel: Any, rule: Any) -> Translated:
    left, right = translate(kernel.k1), translate(kernel.k2)
    for one, other in ((left, right), (right, left)):
        if isinstance(one[0], Constant):  # shorter, and faster than a matrix of equal numbers
            scaled = Scaled if rule is Product else Shifted
            own = "factor" if rule is Product else "constant"
            bounds = _under("kernel", other[1])
            bounds |= {own: one[1]["value"]}
            return scaled(other[0], one[0].value), bounds
    return rule(left[0], right[0]), _under("left", left[1]) | _under("right", right[1])


def _under(name: str, bounds: dict[str, Any]) -> dict[str, Any]:
    return {f"{name}__{key}": value for key, value in bounds.items()}


def _limits(bounds: Any) -> Any:
    if isinstance(bounds, str):
        return "fixed"
    table = np.atleast_2d(bounds)
    return float(table[:, 0].min()), float(table[:, 1].max())


def _length(value: object) -> Any:
    flat = np.asarray(value, dtype=np.float64)
    return float(flat.reshape(-1)[0]) if flat.size == 1 else flat


def _constant(k: Any) -> Translated:
    return Constant(float(k.constant_value)), {"value": _limits(k.constant_value_bounds)}


def _white(k: Any) -> Translated:
    return White(float(k.noise_level)), {"noise": _limits(k.noise_level_bounds)}


def _rbf(k: Any) -> Translated:
    return Gaussian(_length(k.length_scale)), {"length_scale": _limits(k.length_scale_bounds)}


def _matern(k: Any) -> Translated:
    if np.isinf(k.nu):
        return _rbf(k)
    bounds = {"length_scale": _limits(k.length_scale_bounds)}
    return Matern(_length(k.length_scale), float(k.nu)), bounds


def _rational(k: Any) -> Translated:
    bounds = {"length_scale": _limits(k.length_scale_bounds), "alpha": _limits(k.alpha_bounds)}
    return RationalQuadratic(float(k.length_scale), float(k.alpha)), bounds


def _periodic(k: Any) -> Translated:
    """scikit-learn winds the distance, Mercer each column: the same for one column."""
    bounds = {
        "length_scale": _limits(k.length_scale_bounds),
        "period": _limits(k.periodicity_bounds),
    }
    return Periodic(float(k.length_scale), float(k.periodicity)), bounds


def _dot(k: Any) -> Translated:
    bounds = _limits(k.sigma_0_bounds)
    squared = bounds if isinstance(bounds, str) else (bounds[0] ** 2, bounds[1] ** 2)
    return Shifted(Linear(), float(k.sigma_0) ** 2), {"constant": squared}
