"""Functions f(x) = Σ c_i k(x_i, x) + b: training rows at the door, values anywhere."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import (
    _num_samples,
    check_is_fitted,
)

from mercer.kernels import Kernel
from mercer.kernels.structured.from_callable import UserFunction
from mercer.kernels.structured.precomputed import Precomputed
from mercer.learners import _data

Floats = NDArray[np.float64]


def training_rows(estimator: Any, X: Any, y: Any, *, numeric: bool, many: bool = False) -> Any:
    """Validate what ``fit`` was given; ``many`` allows several targets."""
    X, y = _data.training_rows(estimator, X, y, numeric=numeric, many=many)
    return X, np.asarray(y, dtype=np.float64 if numeric else None)


def row_weights(sample_weight: Any, X: Any) -> Floats:
    """One weight per row; a number means the same for all."""
    if isinstance(sample_weight, Real):
        sample_weight = np.full(_num_samples(X), float(sample_weight))
    return _data.check_weights(sample_weight, _num_samples(X))


class KernelExpansion:
    """Mixin: ``_expand(X, columns)`` of the functions kept as coefficients of ``X_fit_``."""

    kernel: Any
    kernel_: Kernel
    X_fit_: Any
    _sparse: bool

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        objects = isinstance(self.kernel, Kernel) and _data.takes_objects(self.kernel)
        tags.input_tags.pairwise = _data.is_precomputed(self.kernel)
        tags.input_tags.sparse = not tags.input_tags.pairwise
        tags.input_tags.two_d_array = not objects
        return tags

    def _remember(self, X: Any) -> None:
        self.X_fit_ = X
        self._sparse = sparse.issparse(X) and not _data.takes_objects(self.kernel)

    def _expand(self, X: Any, columns: Floats) -> Floats:
        """Values at new points, shape (n, columns); the kernel is never held whole."""
        check_is_fitted(self)
        X = _data.query_sample(self, X)
        if isinstance(self.kernel_, UserFunction):
            return self.kernel_.values(X, self.X_fit_) @ columns
        if isinstance(self.kernel_, Precomputed):
            return np.asarray(X @ columns, dtype=np.float64)
        fitted = self.X_fit_
        if getattr(X, "dtype", None) != getattr(fitted, "dtype", None):
            X = X.astype(fitted.dtype)
        return self.kernel_._matmul(X, fitted, np.ascontiguousarray(columns), same=False)
