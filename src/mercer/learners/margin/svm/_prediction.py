"""Outputs of the fitted machines at new points: all of them from one pass over the kernel."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from mercer import _config
from mercer.kernels.structured.from_callable import UserFunction
from mercer.kernels.structured.precomputed import Precomputed
from mercer.learners import _data
from mercer.learners.margin.svm.training import thread_count

Floats = NDArray[np.float64]


class Prediction:
    """Mixin: ``_values(X)`` from support vectors, coefficients and intercepts."""

    kernel_: Any
    support_: Any
    support_vectors_: Any
    dual_coef_: Any
    intercept_: Floats
    n_support_: NDArray[np.int32]
    n_jobs: int | None
    shape_fit_: tuple[int, ...]
    _X_fit: Any

    def _values(self, X: Any) -> Floats:
        """Outputs of all machines, shape (n, n_machines)."""
        check_is_fitted(self)
        self._check_unaltered()
        X = _data.query_sample(self, X)
        columns = self._columns()
        if isinstance(self.kernel_, UserFunction):
            K = self.kernel_.values(X, self._X_fit)
            if K.ndim != 2 or K.shape[1] != self.shape_fit_[0]:
                raise ValueError(
                    f"The kernel function returned shape {K.shape}; its second axis should be the "
                    f"{self.shape_fit_[0]} samples of training."
                )
            return K[:, self.support_] @ columns + self._offsets()
        if isinstance(self.kernel_, Precomputed):
            return X[:, self.support_] @ columns + self._offsets()
        if len(self.support_) == 0:
            return np.tile(self._offsets(), (X.shape[0], 1))
        with self._threads():
            return self._matmul(X, columns) + self._offsets()

    def _matmul(self, X: Any, columns: Floats) -> Floats:
        vectors = self.support_vectors_
        if getattr(X, "dtype", None) != getattr(vectors, "dtype", None):
            X = X.astype(vectors.dtype)
        return self.kernel_._matmul(X, vectors, columns, same=False)  # both are validated already

    def _threads(self) -> AbstractContextManager[None]:
        count = thread_count(self.n_jobs)
        return nullcontext() if count is None else _config.config(n_threads=count)

    def _check_unaltered(self) -> None:
        vectors = self.support_vectors_
        if vectors.shape[0] and int(np.sum(self.n_support_)) != vectors.shape[0]:
            raise ValueError(f"The internal representation of {type(self).__name__} was altered")

    def _dense_coef(self) -> Floats:
        return self.dual_coef_.toarray() if sparse.issparse(self.dual_coef_) else self.dual_coef_

    def _columns(self) -> Floats:
        return np.ascontiguousarray(self._dense_coef().T)

    def _offsets(self) -> Floats:
        return self.intercept_
