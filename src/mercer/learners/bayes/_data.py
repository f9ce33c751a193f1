"""Training and test data of the Bayesian learners, validated once at the door."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import is_regressor
from sklearn.utils.validation import check_consistent_length, validate_data

from mercer._storable import record
from mercer.kernels import Kernel
from mercer.kernels.structured.precomputed import Precomputed
from mercer.kernels.validate import as_objects, n_rows, take
from mercer.learners._data import (
    DTYPES,
    check_gram,
    check_magnitude,
    check_weights,
    is_precomputed,
    takes_objects,
)

NARROW = 2000  # columns


@record("bayes-sample")
@dataclass(frozen=True)
class Sample:
    """A validated training sample without the rows of weight zero."""

    X: Any
    y: NDArray[Any]
    weight: NDArray[np.float64]
    kept: NDArray[np.intp] | None = None  # columns of a precomputed matrix that belong to these

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.y)


def objects_expected(kernel: Any) -> bool:
    """Whether the data are objects rather than a table of numbers."""
    return isinstance(kernel, Kernel) and takes_objects(kernel)


def training_sample(
    estimator: Any, X: Any, y: Any, sample_weight: Any = None, *, multi_output: bool = False
) -> Sample:
    """Validate what ``fit`` was given."""
    precomputed = is_precomputed(estimator.kernel)
    if objects_expected(estimator.kernel):
        X, y = as_objects(X), np.asarray(y)
        check_consistent_length(X, y)
    else:
        X, y = validate_data(
            estimator,
            X,
            y,
            dtype=DTYPES,
            order="C",
            accept_sparse=False if precomputed else "csr",
            multi_output=multi_output,
            y_numeric=is_regressor(estimator),
        )
        X = _dense_if_narrow(X)
    if precomputed:
        check_gram(X)
    elif not objects_expected(estimator.kernel):
        check_magnitude(X)
    weight = check_weights(sample_weight, n_rows(X))
    keep = np.flatnonzero(weight > 0)
    if keep.size == len(weight):
        return Sample(X, y, weight)
    rows = X[np.ix_(keep, keep)] if precomputed else take(X, keep)
    return Sample(rows, y[keep], weight[keep], keep if precomputed else None)


def query_sample(estimator: Any, X: Any) -> Any:
    """Validate what ``predict`` and its relatives were given."""
    if objects_expected(estimator.kernel):
        return as_objects(X)
    X = validate_data(
        estimator,
        X,
        dtype=DTYPES,
        order="C",
        accept_sparse=False if is_precomputed(estimator.kernel) else "csr",
        reset=False,
    )
    return _dense_if_narrow(X)


def _dense_if_narrow(X: Any) -> Any:
    """Sparse rows of few columns as an array: tiny beside the covariance, and compiled."""
    return X.toarray() if sparse.issparse(X) and X.shape[1] <= NARROW else X


def set_input_tags(estimator: Any, tags: Any) -> Any:
    """Say to scikit-learn what the kernel accepts."""
    tags.input_tags.pairwise = is_precomputed(estimator.kernel)
    tags.input_tags.sparse = not tags.input_tags.pairwise
    tags.input_tags.two_d_array = not objects_expected(estimator.kernel)
    return tags


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
