"""A labelled sample that can be cut into parts: tables, sparse data, objects, kernel matrices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing, indexable
from sklearn.utils._tags import get_tags
from sklearn.utils.validation import _num_samples, check_consistent_length, column_or_1d

from mercer._marks import digest, row_marks, with_labels
from mercer._storable import record
from mercer._types import Estimator
from mercer.certification.core import arguments

Index = NDArray[np.intp]


def as_labels(y: ArrayLike, what: str = "y", *, warn: bool = False) -> NDArray[Any]:
    """Labels or targets as a vector, without gaps."""
    array = np.asarray(y)
    if array.ndim > 1 and array.shape[1:] != (1,):
        raise ValueError(
            f"{what} has shape {array.shape}: a certificate is about one target per row. Certify "
            "each output by itself, with delta divided by their number."
        )
    vector = column_or_1d(array, warn=warn)
    gaps = (
        np.isnan(vector)
        if vector.dtype.kind == "f"
        else np.array([v is None or v != v for v in vector], dtype=bool)
        if vector.dtype.kind == "O"
        else np.zeros(len(vector), dtype=bool)
    )
    if gaps.any():
        raise ValueError(f"{what} has no value at row {int(np.flatnonzero(gaps)[0])}")
    return vector


@record("certified-rows")
@dataclass(frozen=True)
class Rows:
    """The rows a certificate may spend. ``pairwise``: X is a kernel matrix, cut both ways."""

    X: Any
    y: NDArray[Any] | None
    weight: NDArray[np.float64] | None
    pairwise: bool

    @classmethod
    def of(cls, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> Rows:
        """Check lengths once; the estimator checks the contents."""
        if _num_samples(X) == 0:
            raise ValueError("X has no rows")
        (X,) = indexable(X)
        shape = getattr(X, "shape", ())
        if shape[1:] == (0,):
            raise ValueError(f"0 feature(s) (shape={shape}) while a minimum of 1 is required.")
        labels = None if y is None else as_labels(y, warn=True)
        check_consistent_length(X, labels)
        weight = arguments.weights(sample_weight, _num_samples(X))
        pairwise = bool(get_tags(estimator).input_tags.pairwise)
        if pairwise and X.shape[0] != X.shape[1]:
            raise ValueError(
                f"The kernel matrix has shape {X.shape}: to split it, all values between the "
                "labelled rows are needed, a square matrix."
            )
        return cls(X, labels, weight, pairwise)

    @property
    def n(self) -> int:
        """Number of rows."""
        return _num_samples(self.X)

    def digest(self, index: Index) -> str:
        """One short name for some rows with their labels, whatever their order."""
        marks = row_marks(self.take(index), pairwise=self.pairwise)
        return digest(with_labels(marks, self.labels(index)))

    def labels(self, index: Index) -> NDArray[Any]:
        """Labels of some rows; +1 where there are none (one-class machines)."""
        return np.ones(len(index), dtype=np.intp) if self.y is None else self.y[index]

    def take(self, index: Index, trained: Index | None = None) -> Any:
        """Some rows; of a kernel matrix only the columns of the rows ``trained`` on."""
        if not self.pairwise:
            return _safe_indexing(self.X, index)
        columns = np.arange(self.n) if trained is None else trained
        return np.asarray(self.X)[np.ix_(index, columns)]

    def fit(self, estimator: Estimator, index: Index) -> Any:
        """A clone of ``estimator`` trained on some rows."""
        return self.refit(clone(estimator), index)

    def refit(self, model: Any, index: Index) -> Any:
        """Train ``model`` itself on some rows."""
        extra = {}
        if self.weight is not None:
            extra = {_weight_name(model): self.weight[index]}
        y = None if self.y is None else self.y[index]
        return model.fit(self.take(index, index), y, **extra)

    def predict(self, model: Any, index: Index, trained: Index) -> NDArray[Any]:
        """Predictions of a model trained on the rows ``trained``."""
        return one_per_row(model.predict(self.take(index, trained)), len(index))


def one_per_row(predicted: Any, n: int) -> NDArray[Any]:
    """Predictions as a vector; anything but one value per row is refused."""
    answers = np.asarray(predicted)
    if answers.shape[:1] != (n,) or answers.size != n:
        raise ValueError(
            f"predict returned shape {answers.shape} for {n} rows; one value per row is needed"
        )
    return answers.ravel()


def _weight_name(model: object) -> str:
    """A Pipeline hands the weights to its last step, a search to the estimator inside."""
    if isinstance(model, Pipeline):
        return f"{model.steps[-1][0]}__{_weight_name(model.steps[-1][1])}"
    inside = getattr(model, "estimator", None)
    searching = inside is not None and hasattr(model, "refit")
    return _weight_name(inside) if searching else "sample_weight"
