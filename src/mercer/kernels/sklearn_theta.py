"""The free parameters of a kernel object of scikit-learn: its ``theta`` and its bounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.kernels._base import Kernel
from mercer.kernels.sklearn_objects import translate
from mercer.kernels.structured.from_sklearn import FromSklearn

Floats = NDArray[np.float64]
HOME = "sklearn.gaussian_process.kernels"
# what a parameter is called here, and the power of it that stands there
OURS = {
    "ConstantKernel": {"constant_value": ("value", 1)},
    "WhiteKernel": {"noise_level": ("noise", 1)},
    "RBF": {"length_scale": ("length_scale", 1)},
    "Matern": {"length_scale": ("length_scale", 1)},
    "RationalQuadratic": {"length_scale": ("length_scale", 1), "alpha": ("alpha", 1)},
    "ExpSineSquared": {"length_scale": ("length_scale", 1), "periodicity": ("period", 1)},
    "DotProduct": {"sigma_0": ("constant", 2)},
}


class SklearnTheta:
    """What `Theta` is for kernels of ours; the vector is exactly scikit-learn's.

    Parameters
    ----------
    given : kernel of scikit-learn
    n_features : int, optional
        Columns of the rows, if they have any.

    Attributes
    ----------
    kernel : Kernel
        What the values are computed with: a translation, or the object itself wrapped.
    names : list of str
        One per entry of the vector, by the names of ``given``.
    """

    _tag = "record:sklearn-theta"

    def __init__(self, given: Any, n_features: int | None = None) -> None:
        self.given = given
        self.translated = _known(given, n_features)
        self.kernel = self._counterpart(given)
        self.names = [
            p.name if p.n_elements == 1 else f"{p.name}[{i}]"
            for p in given.hyperparameters
            if not p.fixed
            for i in range(p.n_elements)
        ]

    def _counterpart(self, given: Any) -> Kernel:
        return translate(given)[0] if self.translated else FromSklearn(given)

    @property
    def size(self) -> int:
        """Number of entries."""
        return len(self.names)

    def start(self) -> Floats:
        """The logarithms of the present values."""
        return np.array(self.given.theta, dtype=np.float64)

    def bounds(self) -> Floats:
        """Lower and upper limits of the logarithms, shape (size, 2)."""
        return np.array(self.given.bounds, dtype=np.float64).reshape(-1, 2)

    def public_at(self, theta: Any) -> Any:
        """A copy of the given object with the parameters exp(theta)."""
        return self.given.clone_with_theta(np.asarray(theta, dtype=np.float64))

    def kernel_at(self, theta: Any) -> Kernel:
        """The kernel to compute with at exp(theta)."""
        return self._counterpart(self.public_at(theta))

    def pull_back(self, kernel: Kernel, slopes: Mapping[str, Any]) -> Floats:
        """Derivatives in theta from derivatives in the parameters of ``kernel_at(theta)``."""
        if not self.translated:
            return np.atleast_1d(np.asarray(slopes["theta"], dtype=np.float64))
        values = kernel.get_params(deep=True)
        parts = [
            power * np.atleast_1d(np.asarray(slopes[name] * values[name], dtype=np.float64))
            for name, power in _places(self.given)
        ]
        return np.concatenate([np.empty(0), *parts])


def _known(given: Any, n_features: int | None) -> bool:
    """Whether the translation is the same function."""
    name = type(given).__name__
    if type(given).__module__ != HOME:
        return False
    if name in ("Sum", "Product"):
        return _known(given.k1, n_features) and _known(given.k2, n_features)
    if name == "Exponentiation":
        whole = given.exponent == int(given.exponent)
        return whole and given.exponent >= 1 and _known(given.kernel, n_features)
    # of several columns scikit-learn winds the distance, Mercer each column
    return name in OURS and (name != "ExpSineSquared" or n_features == 1)


def _places(given: Any, prefix: str = "") -> list[tuple[str, int]]:
    """Names of the translation's parameters in the order of theta, and their powers."""
    name = type(given).__name__
    if name in ("Sum", "Product"):
        left, right = (type(part).__name__ == "ConstantKernel" for part in (given.k1, given.k2))
        if not left and not right:
            return _places(given.k1, f"{prefix}left__") + _places(given.k2, f"{prefix}right__")
        # as in `translate`: the first of them becomes a factor or a summand
        own = f"{prefix}{'factor' if name == 'Product' else 'constant'}"
        constant, other = (given.k1, given.k2) if left else (given.k2, given.k1)
        mine = [] if constant.hyperparameter_constant_value.fixed else [(own, 1)]
        rest = _places(other, f"{prefix}kernel__")
        return mine + rest if left else rest + mine
    if name == "Exponentiation":
        return _places(given.kernel, f"{prefix}kernel__")
    known = OURS[name]
    free = [known[p.name] for p in given.hyperparameters if not p.fixed]
    return [(prefix + ours, power) for ours, power in free]
