"""Kernels as similarities for learners without labels: rows at the door, products on demand."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import validate_data

from mercer.gram import Gram, build_gram
from mercer.kernels import Kernel
from mercer.learners import _data
from mercer.learners._kernel import meant_by

Floats = NDArray[np.float64]


class KernelInput:
    """Mixin: ``kernel``, ``gamma``, ``degree``, ``coef0`` on training and new rows."""

    kernel: Any
    kernel_: Kernel
    X_fit_: Any

    @property
    def _is_precomputed(self) -> bool:
        return _data.is_precomputed(self.kernel)

    def _training_input(self, X: Any) -> Any:
        X = self._validated(X, reset=True)
        if self._is_precomputed:
            _data.check_gram(X)
        return X

    def _validated(self, X: Any, *, reset: bool) -> Any:
        if _data.takes_objects(self.kernel):
            return _data.objects(self.kernel, X)
        if sparse.issparse(X) and self._is_precomputed:
            raise TypeError("Sparse precomputed kernels are not supported.")
        return _data.sorted_csr(
            validate_data(self, X, accept_sparse="csr", dtype=_data.DTYPES, order="C", reset=reset)
        )

    def _new_input(self, X: Any) -> Any:
        return self._validated(X, reset=False)

    def _gram(self, X: Any) -> Gram:
        """The kernel of the training rows; remembers them for prediction."""
        self.X_fit_ = X
        meant = meant_by(self, X)
        self.kernel_ = meant.kernel
        return build_gram(meant.kernel, X, checked=meant.checked)

    def _cross_matmul(self, X: Any, V: Floats) -> Floats:
        """K(X, training rows) @ V."""
        if self._is_precomputed:
            return np.asarray(X, dtype=float) @ V
        return np.asarray(self.kernel_.matmul(X, self.X_fit_, V), dtype=float)

    def _diagonal(self, X: Any) -> Floats:
        if self._is_precomputed:
            raise ValueError("k(x, x) of new rows is not known for a precomputed kernel")
        return np.asarray(self.kernel_.diag(X), dtype=float)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.sparse = not self._is_precomputed
        tags.input_tags.pairwise = self._is_precomputed
        return tags
