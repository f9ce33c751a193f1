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

from mercer.gram import Gram
from mercer.kernels import Kernel, from_sklearn
from mercer.kernels.structured.precomputed import Precomputed
from mercer.learners import _data, _kernel

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


def resolve(estimator: Any, X: Any) -> Kernel:
    """The kernel meant by ``kernel``, ``gamma``, ``degree``, ``coef0`` on these rows.

    ``gamma=None`` is scikit-learn's default of the pairwise kernels: one over the columns, and 1
    for "chi2".
    """
    kernel, gamma = estimator.kernel, estimator.gamma
    if not isinstance(kernel, str):
        return _kernel.resolve_kernel(estimator, X)[0]
    if gamma is None:
        gamma = 1.0 if kernel == "chi2" else "auto"
    named = from_sklearn(kernel, gamma, estimator.degree, estimator.coef0)
    for name, value in named._resolved(X).items():
        setattr(named, name, value)
    if kernel != "precomputed":
        named.validate(X)  # some kernels want non-negative numbers
    return named


def gram_of(estimator: Any, X: Any) -> Gram:
    """The Gram of the rows under the resolved kernel."""
    return _kernel.training_gram(
        estimator.kernel_, X, validate=not isinstance(estimator.kernel, str)
    )


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
        if isinstance(self.kernel_, _kernel.UserFunction):
            return _kernel.call(self.kernel_, X, self.X_fit_) @ columns
        if isinstance(self.kernel_, Precomputed):
            return np.asarray(X @ columns, dtype=np.float64)
        fitted = self.X_fit_
        if getattr(X, "dtype", None) != getattr(fitted, "dtype", None):
            X = X.astype(fitted.dtype)
        return self.kernel_._matmul(X, fitted, np.ascontiguousarray(columns), same=False)
