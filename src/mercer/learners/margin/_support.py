"""Machines that are sums over support vectors, f(x) = Σ c_i k(x_i, x) + b: record and answers."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.extmath import safe_sparse_dot

from mercer import _config
from mercer._types import Samples
from mercer.kernels.rough import rough_product
from mercer.kernels.structured.from_callable import UserFunction
from mercer.kernels.structured.precomputed import Precomputed
from mercer.kernels.vectors.linear import Linear
from mercer.learners._door import Kind, TrainingSample
from mercer.learners._fitted import Fitted
from mercer.learners._in_kernel_space import InKernelSpace, KernelFitted, KernelSpace
from mercer.learners._kernel import radius, warn_if_indefinite
from mercer.learners._learner import Learner
from mercer.learners._publishes import Publishes
from mercer.learners.margin.svm.training import thread_count

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class SupportFitted(KernelFitted):
    """Coefficients on support vectors, and what evidence asks about the rows."""

    gamma: float
    radius: float
    diagonal: Floats  # k(x, x) of every row, or the one value that a stationary kernel has
    weighted: bool
    indefinite: bool = False
    support: NDArray[np.int32]
    support_vectors: Any
    dual_coef: Any
    n_support: NDArray[np.int32]
    intercept: Floats
    shape: tuple[int, ...]

    @property
    def geometric(self) -> bool:
        """Whether nothing speaks against the kernel being an inner product."""
        return not (self.kernel.psd is False or self.indefinite)

    def own(self, rows: Any = slice(None)) -> Floats:
        """k(x, x) of some training rows."""
        if len(self.diagonal) > 1 or self.n == 1:
            return self.diagonal[rows]
        return np.full(len(np.arange(self.n)[rows]), self.diagonal[0])


class SupportLearner(Publishes, InKernelSpace, Learner):
    """What machines with support vectors share: the record, LIBSVM's attributes, outputs."""

    _state_version: ClassVar[int] = 1
    _calms_blas: ClassVar[bool] = False
    fitted_: SupportFitted
    n_jobs: int | None = None
    support_: NDArray[np.int32]
    support_vectors_: Any
    dual_coef_: Any
    intercept_: Floats

    # -- the record --------------------------------------------------------------------------------

    def _supported(
        self,
        sample: TrainingSample,
        space: KernelSpace,
        support: NDArray[np.intp],
        packed: Floats,
        **more: Any,
    ) -> dict[str, Any]:
        """Arguments of a `SupportFitted`: facts of the rows, and the expansion."""
        diagonal = space.diagonal
        used = sample.weight[sample.weight > 0]
        whole = isinstance(space.kernel, UserFunction)
        return self._in_space(sample, space.meant) | {
            "rows": sample.X if whole else None,
            "gamma": space.meant.gamma,
            "radius": radius(diagonal),
            "diagonal": diagonal[:1].copy() if space.kernel.stationary else diagonal,
            "weighted": bool(used.size and np.ptp(used) > 0),
            "support": support.astype(np.int32),
            "support_vectors": _vectors(space.kernel, sample.X, support),
            "dual_coef": _like(packed, sample),
            "shape": sample.X.shape if hasattr(sample.X, "shape") else (len(sample.X),),
            **more,
        }

    def _probed(self, fitted: Any, space: KernelSpace) -> Any:
        """The record, with word whether the kernel was seen not to be one, and a warning if so."""
        found = warn_if_indefinite(space.kernel, space.gram, np.sort(fitted.support))
        return replace(fitted, indefinite=True) if found else fitted

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        assert isinstance(fitted, SupportFitted)
        self.support_, self.support_vectors_ = fitted.support, fitted.support_vectors
        self.dual_coef_, self._n_support = fitted.dual_coef, fitted.n_support
        self.intercept_, self.shape_fit_ = fitted.intercept, fitted.shape

    # -- answers -----------------------------------------------------------------------------------

    def _values(self, X: Samples) -> Floats:
        """Outputs of all machines at rows as the user has them, shape (n, n_machines)."""
        return self._machine_outputs(self._query(X))

    def _telling_values(self, X: Samples, doubtful: Callable[[Floats, float], Any]) -> Floats:
        """Outputs that lead to the same answer as those of `_values`, sooner.

        ``doubtful(values, error)`` says which rows could be answered differently if every value
        were off by as much as ``error``; only those are computed in full precision.
        """
        rows = self._query(X)
        found = self._rough_outputs(rows)
        if found is None:
            return self._machine_outputs(rows)
        values, error = found
        again = np.flatnonzero(doubtful(values, error))
        if 4 * len(again) > len(values):
            return self._machine_outputs(rows)
        if len(again):
            values[again] = self._machine_outputs(np.ascontiguousarray(rows[again]))
        return values

    def _rough_outputs(self, X: Samples) -> tuple[Floats, float] | None:
        vectors, kernel = self.support_vectors_, self.kernel_
        if isinstance(kernel, UserFunction | Precomputed) or not len(self.support_):
            return None
        if not isinstance(X, np.ndarray) or not isinstance(vectors, np.ndarray):
            return None
        if X.dtype != np.float64 or vectors.dtype != np.float64:
            return None
        self._check_unaltered()
        with self._threads():
            found = rough_product(kernel, X, vectors, self._columns())
        return None if found is None else (found[0] + self.intercept_, found[1])

    def _machine_outputs(self, X: Any) -> Floats:
        self._check_unaltered()
        columns, kernel = self._columns(), self.kernel_
        if isinstance(kernel, UserFunction):
            K = kernel.values(X, self.fitted_.rows)
            if K.ndim != 2 or K.shape[1] != self.shape_fit_[0]:
                raise ValueError(
                    f"The kernel function returned shape {K.shape}; its second axis should be the "
                    f"{self.shape_fit_[0]} samples of training."
                )
            return K[:, self.support_] @ columns + self.intercept_
        if isinstance(kernel, Precomputed):
            return X[:, self.support_] @ columns + self.intercept_
        if len(self.support_) == 0:
            return np.tile(self.intercept_, (X.shape[0], 1))
        vectors = self.support_vectors_
        if getattr(X, "dtype", None) != getattr(vectors, "dtype", None):
            X = X.astype(vectors.dtype)
        with self._threads():  # both are checked already
            return kernel._matmul(X, vectors, columns, same=False) + self.intercept_

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
        """Coefficients of the support vectors, one column per machine."""
        return np.ascontiguousarray(self._dense_coef().T)

    # -- attributes --------------------------------------------------------------------------------

    @property
    def n_support_(self) -> NDArray[np.int32]:
        """Number of support vectors (of each class, for a classifier)."""
        try:
            return self._n_support  # under scikit-learn's name, whose users may have changed it
        except AttributeError:
            raise AttributeError(f"{type(self).__name__} is not fitted yet") from None

    @property
    def coef_(self) -> Any:
        """Weights of the features; only for the linear kernel."""
        if not isinstance(getattr(self, "kernel_", None), Linear):
            raise AttributeError("coef_ is only available when using a linear kernel")
        coef = self._primal_weights()
        (coef.data if sparse.issparse(coef) else coef).flags.writeable = False
        return coef

    def _primal_weights(self) -> Any:
        return safe_sparse_dot(self.dual_coef_, self.support_vectors_)

    @property
    def _gamma(self) -> float:
        """scikit-learn's number for ``gamma``."""
        return self.fitted_.gamma

    @property
    def _intercept_(self) -> Floats:
        """LIBSVM's sign: for two classes the opposite of ``intercept_``."""
        return self._flip() * self.intercept_

    @property
    def _dual_coef_(self) -> Any:
        """LIBSVM's sign: for two classes the opposite of ``dual_coef_``."""
        return self._flip() * self.dual_coef_

    @_dual_coef_.setter
    def _dual_coef_(self, value: Any) -> None:
        self.dual_coef_ = self._flip() * value

    def _flip(self) -> float:
        return 1.0


def _vectors(kernel: Any, X: Any, support: NDArray[np.intp]) -> Any:
    """The support vectors, sparse if the data were; none for a precomputed kernel."""
    if isinstance(kernel, Precomputed):
        return np.empty((0, 0))
    if hasattr(X, "shape"):
        return (X.tocsr() if sparse.issparse(X) else X)[support]
    return np.array([X[i] for i in support], dtype=object)


def _like(values: Floats, sample: TrainingSample) -> Any:
    """Coefficients as a CSR matrix or array, whichever kind the training data were."""
    if sample.kind is not Kind.SPARSE:
        return values
    return sparse.csr_matrix(values) if sparse.isspmatrix(sample.X) else sparse.csr_array(values)
