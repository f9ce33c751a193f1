"""The one door: what ``fit`` and ``predict`` were given, checked and in the form that is held.

A learner states in a `Door` what it takes; what kind of rows came is decided by its ``kernel``,
``metric`` or ``affinity``, never by looking at the numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils.validation import check_consistent_length, column_or_1d, validate_data

from mercer._types import Samples
from mercer.kernels import Kernel
from mercer.kernels.sklearn_objects import is_sklearn_kernel, takes_objects
from mercer.kernels.structured.precomputed import Precomputed
from mercer.kernels.validate import as_objects, n_rows, take
from mercer.learners._checks import (
    DTYPES,
    check_distances,
    check_gram,
    check_magnitude,
    check_targets,
    check_weights,
    refuse_lists,
    sorted_csr,
)
from mercer.learners._plain import columns_fit, plain_rows, plain_targets

Floats = NDArray[np.float64]


class Kind(Enum):
    """What rows are."""

    VECTORS = "vectors"  # C-ordered float32 or float64
    SPARSE = "sparse"  # CSR, columns in order
    OBJECTS = "objects"  # strings, sequences, graphs: a one-dimensional object array
    WHOLE = "whole"  # as the user has them, for a function of whole samples
    GRAM = "gram"  # kernel values against the training rows
    DISTANCES = "distances"  # distances to the training rows
    SIMILARITY = "similarity"  # similarities to the training rows, dense or sparse

    @property
    def square(self) -> bool:
        """Whether the training rows are a matrix of all pairs."""
        return self in (Kind.GRAM, Kind.DISTANCES, Kind.SIMILARITY)

    def __reduce__(self) -> tuple[type[Kind], tuple[str]]:  # what skops files ask for
        return Kind, (self.value,)


_GIVEN = {"kernel": Kind.GRAM, "metric": Kind.DISTANCES, "affinity": Kind.SIMILARITY}


@dataclass(frozen=True)
class TrainingSample:
    """Checked rows; ``y`` are labels as the user wrote them, or numbers."""

    X: Any
    y: Any
    weight: Floats
    kind: Kind
    dropped: int = 0  # rows of weight zero: left out here, or still there with that weight
    kept: NDArray[np.intp] | None = None  # the rows that are left, if some were left out

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.weight)


@dataclass(frozen=True)
class Door:
    """What a learner takes.

    Attributes
    ----------
    asks : {"", "kernel", "metric", "affinity"}
        The constructor argument that says what the rows are; empty for vectors.
    targets : {"none", "labels", "number", "numbers"}
        One label, one number, or several numbers for each row.
    sparse : bool
        Whether sparse rows are taken; else they are refused by a TypeError.
    either : bool
        Whether new rows may be sparse where the training rows were dense, and the other way round.
    dtype : dtype or tuple of dtypes
        What vectors become; the first of several unless they are one of them already.
    weights : {"keep", "drop"}
        Rows of weight zero stay (their coefficients are zero) or are left out.
    narrow : int
        Sparse rows of at most so many columns become dense; matrices of all pairs stay.
    functions : {"whole", "rows", "pairs"}
        Whether ``kernel=f`` sees samples exactly as the user has them ("rows": or two of their
        rows, if it answers these with a number), or blocks of vectors.
    least : int
        Fewest rows.
    """

    asks: Literal["", "kernel", "metric", "affinity"] = ""
    targets: Literal["none", "labels", "number", "numbers"] = "none"
    sparse: bool = True
    either: bool = False
    dtype: Any = tuple(DTYPES)
    weights: Literal["keep", "drop"] = "keep"
    narrow: int = 0
    functions: Literal["whole", "rows", "pairs"] = "whole"
    least: int = 1

    def kind(self, given: Any) -> Kind:
        """What rows are, by the value of the argument that says so."""
        if isinstance(given, Precomputed):  # as a metric: the distance in its feature space
            return Kind.SIMILARITY if self.asks == "affinity" else Kind.GRAM
        if isinstance(given, str) and given == "precomputed":
            return _GIVEN[self.asks]
        accepts = getattr(given, "accepts", None)
        if accepts is not None and "precomputed" in accepts and not isinstance(given, Kernel):
            return Kind.DISTANCES
        if accepts is not None and not {"vectors", "precomputed"} & accepts:
            return Kind.OBJECTS
        if is_sklearn_kernel(given) and takes_objects(given):
            return Kind.OBJECTS
        function = callable(given) and accepts is None and self.asks == "kernel"
        return Kind.WHOLE if function and self.functions != "pairs" else Kind.VECTORS

    def enter(
        self, estimator: Any, X: Any, y: Any, weight: Any, *, reset: bool = True
    ) -> TrainingSample:
        """Training rows, targets and weights; ``reset=False`` if they continue earlier ones."""
        if y is None and self.targets != "none":
            raise ValueError(
                f"This {type(estimator).__name__} estimator requires y to be passed, but the "
                "target y is None."
            )
        refuse_lists(y)
        kind = self.kind(estimator._says_kind())
        if kind in (Kind.OBJECTS, Kind.WHOLE):
            X, y = self._objects(kind, X, y)
        else:
            X, y = self._table(estimator, kind, X, y, reset)
            if kind is Kind.VECTORS and sparse.issparse(X):
                kind = Kind.SPARSE
        if self.targets in ("number", "numbers"):
            y = check_targets(y)
        if isinstance(weight, Real):  # the same for all
            weight = np.full(n_rows(X), float(weight))
        return self._weighed(X, y, check_weights(weight, n_rows(X)), kind)

    def query(self, estimator: object, X: Samples, kind: Kind) -> Any:
        """Rows to answer for, checked as the training rows of that kind were."""
        if kind is Kind.OBJECTS:
            return as_objects(X)
        if kind is Kind.WHOLE:
            return X
        if self.either and kind in (Kind.VECTORS, Kind.SPARSE):
            kind = Kind.SPARSE if sparse.issparse(X) else Kind.VECTORS
        if not (self._plain(X, 1) and columns_fit(estimator, X, False)):
            X = validate_data(estimator, X, reset=False, **self._options(kind))
        X = self._narrowed(X, kind)
        if kind is Kind.SPARSE and not sparse.issparse(X):
            X = sparse.csr_array(X)
        elif kind is Kind.VECTORS and sparse.issparse(X):
            raise ValueError(
                f"cannot use sparse input in {type(estimator).__name__!r} trained on dense data"
            )
        return sorted_csr(X)

    # -- the pieces --------------------------------------------------------------------------------

    def _objects(self, kind: Kind, X: Samples, y: ArrayLike) -> tuple[Any, Any]:
        X = as_objects(X) if kind is Kind.OBJECTS else X
        if self.targets == "none":
            return X, None
        check_consistent_length(X, y)
        return X, np.asarray(y) if self.targets == "numbers" else column_or_1d(y, warn=True)

    def _table(self, estimator: Any, kind: Kind, X: Any, y: Any, reset: bool) -> tuple[Any, Any]:
        if kind is Kind.GRAM and sparse.issparse(X):
            raise TypeError("Sparse precomputed kernels are not supported.")
        options = self._options(kind) | {"ensure_min_samples": self.least, "reset": reset}
        alone = self.targets == "none"
        plain = self._plain(X, self.least) and (alone or plain_targets(y, len(X)))
        if plain and columns_fit(estimator, X, reset):
            y = None if alone else y
        elif alone:
            X, y = validate_data(estimator, X, **options), None
        else:
            X, y = validate_data(
                estimator,
                X,
                y,
                y_numeric=self.targets != "labels",
                multi_output=self.targets == "numbers",
                **options,
            )
        X = sorted_csr(self._narrowed(X, kind))
        if kind is Kind.GRAM:
            check_gram(X)
        elif kind is Kind.DISTANCES:
            check_distances(X)
        elif kind is Kind.VECTORS:
            check_magnitude(X, getattr(estimator, "_overflows", ""))
        return X, y

    def _plain(self, X: Any, least: int) -> bool:
        many = isinstance(self.dtype, tuple)
        return plain_rows(X, self.dtype if many else (self.dtype,), least)

    def _options(self, kind: Kind) -> dict[str, Any]:
        taken = kind is Kind.SIMILARITY or (self.sparse and not kind.square)
        many = isinstance(self.dtype, tuple)
        return {
            "dtype": list(self.dtype) if many else self.dtype,
            "order": "C",
            "accept_sparse": "csr" if taken else False,
        }

    def _narrowed(self, X: Any, kind: Kind) -> Any:
        narrow = sparse.issparse(X) and not kind.square and X.shape[1] <= self.narrow
        return X.toarray() if narrow else X

    def _weighed(self, X: Any, y: Any, weight: Floats, kind: Kind) -> TrainingSample:
        kept = np.flatnonzero(weight > 0)
        dropped = len(weight) - len(kept)
        if not dropped or self.weights == "keep":
            return TrainingSample(X, y, weight, kind, dropped)
        X = X[np.ix_(kept, kept)] if kind.square else take(X, kept)
        y = None if y is None else y[kept]
        return TrainingSample(X, y, weight[kept], kind, dropped, kept)
