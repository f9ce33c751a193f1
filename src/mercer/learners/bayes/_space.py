"""What Bayesian learners take in, and their kernel between rows."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mercer.kernels import Kernel
from mercer.kernels.algebra.constant import White
from mercer.kernels.resolve import Meant, kernel_meant
from mercer.kernels.structured.precomputed import Precomputed
from mercer.kernels.validate import take
from mercer.learners._checks import DTYPES
from mercer.learners._door import Door, TrainingSample
from mercer.learners._in_kernel_space import InKernelSpace
from mercer.learners._mixins import Labels

Floats = NDArray[np.float64]
NARROW = 2000  # columns: sparse rows of fewer are tiny beside the covariance, and compiled if dense


def bayes_door(targets: Literal["labels", "number", "numbers"]) -> Door:
    """Rows of weight zero are left out, a function is a kernel of pairs of vectors."""
    return Door(asks="kernel", targets=targets, weights="drop", narrow=NARROW, functions="pairs")


class BayesSpace(InKernelSpace):
    """Mixin: a kernel without ``gamma``, ``degree``, ``coef0``."""

    def _meant(self, sample: TrainingSample) -> Meant:
        return kernel_meant(self.kernel, sample.X, functions=self._door.functions)


def against_rest(labels: Labels) -> list[Floats]:
    """Signs of the two-class problems: one for two classes, else each class against the rest."""
    own = [1] if len(labels.classes) == 2 else range(len(labels.classes))
    return [np.where(labels.codes == c, 1.0, -1.0) for c in own]


def has_white(kernel: Kernel) -> bool:
    """Whether the kernel itself models noise."""
    inside = [kernel, *kernel.get_params(deep=True).values()]
    return any(isinstance(part, White) or type(part).__name__ == "WhiteKernel" for part in inside)


def cross(kernel: Kernel, X: Any, trained: Any, kept: Any = None) -> NDArray[Any]:
    """K(X, training rows) for validated data; a precomputed X is that matrix already."""
    if isinstance(kernel, Precomputed):
        return np.asarray(X) if kept is None else np.asarray(X)[:, kept]
    if sparse.issparse(X) != sparse.issparse(trained):
        X, trained = sparse.csr_array(X), sparse.csr_array(trained)
    dtype = getattr(trained, "dtype", None)
    if dtype in DTYPES and X.dtype != dtype:
        X = X.astype(dtype)
    return np.asarray(kernel.tile(X, trained))


def subset(kernel: Kernel, X: Any, rows: NDArray[np.intp] | None) -> Any:
    """Some of the training rows; of a precomputed matrix the columns too."""
    if rows is None:
        return X
    return X[np.ix_(rows, rows)] if isinstance(kernel, Precomputed) else take(X, rows)
