"""Which rows a learner was trained on: salted marks, enough to know them again, not to read them.

A fit that does not keep its rows leaves them, so that a certificate computed from training rows is
noticed. ``mercer.set_config(remember_rows=False)`` fits without.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import _safe_indexing

from mercer._marks import Marks, height, numbers_of
from mercer._quick_marks import quick_marks, quick_salt
from mercer._types import Samples
from mercer.kernels.validate import as_objects
from mercer.learners._door import Kind, TrainingSample

MOST = 2**17  # of more rows those with the smallest marks are kept, a fair sample
RECORDED = ("rows", "objects", "X")  # where the record of a fit holds rows, if it does
_COLUMNS = 256  # of a matrix of all pairs that are looked at


@dataclass(frozen=True, eq=False)
class RowsSeen:
    """Marks of ``n`` rows, or of the fair ``share`` of them whose marks are small.

    ``chunks`` are sorted and at least halve in length, so that adding a row to a long stream costs
    little. ``repeated``: rows of a stream that had come before, where values have digits enough to
    tell that.
    """

    salt: bytes
    n: int
    share: float
    chunks: tuple[Marks, ...]
    repeated: int = 0

    @classmethod
    def of(cls, X: Any, before: RowsSeen | None = None, *, once: bool = False) -> RowsSeen:
        """The rows of a table or list, after those seen before; ``once``: no row twice."""
        before = cls(quick_salt(X), 0, 1.0, ()) if before is None else before
        fresh, share, repeated = quick_marks(X, before.salt), before.share, before.repeated
        if before.chunks:
            known = before._knows(fresh)
            if once:
                fresh = fresh[~known]
            elif known.any():
                told = np.count_nonzero(_with_digits(_safe_indexing(X, np.flatnonzero(known))))
                repeated += round(told / share)
        fresh.sort()
        n, chunks = before.n + len(fresh), [*before.chunks, fresh[: _below(fresh, share)]]
        while len(chunks) > 1 and len(chunks[-1]) >= len(chunks[-2]):
            chunks[-2:] = [np.sort(np.concatenate(chunks[-2:]))]
        if n * share > MOST:
            share = MOST / (2 * n)  # less than fits, or every further row would be a cut
            chunks = [chunk[: _below(chunk, share)] for chunk in chunks]
        return cls(before.salt, n, share, tuple(chunks), repeated)

    def _knows(self, marks: Marks) -> NDArray[np.bool_]:
        known = np.zeros(len(marks), dtype=bool)
        for chunk in filter(len, self.chunks):
            place = np.minimum(np.searchsorted(chunk, marks), len(chunk) - 1)
            known |= chunk[place] == marks
        return known

    def again(self, X: Samples) -> tuple[Marks, Marks]:
        """Marks of other rows, and of those seen: the same fair share of both."""
        fresh = np.sort(quick_marks(X, self.salt))
        return fresh[: _below(fresh, self.share)], np.concatenate(self.chunks)


def _below(marks: Marks, share: float) -> int:
    """How many of sorted marks belong to the share."""
    if share >= 1.0:
        return len(marks)
    return int(np.searchsorted(marks, np.uint64(share * 2.0**64)))


def _with_digits(rows: Any) -> NDArray[np.bool_]:
    """Rows with a number of more than three digits after the point."""
    table = numbers_of(rows.toarray() if sparse.issparse(rows) else rows)
    if table is None:
        return np.zeros(height(rows), dtype=bool)
    return np.any(np.abs(1000.0 * table - np.rint(1000.0 * table)) > 1e-6, axis=1)


def rows_seen(
    sample: TrainingSample, fitted: Any, before: RowsSeen | None, *, once: bool
) -> RowsSeen | None:
    """Marks of the rows of a training sample that count; None if the record keeps all of them."""
    rows = sample.X
    kept = any(getattr(fitted, name, None) is rows for name in RECORDED)
    if kept and before is None and not sample.dropped:
        return None
    if sample.dropped and sample.kept is None:
        rows = _safe_indexing(rows, np.flatnonzero(sample.weight > 0))
    return RowsSeen.of(_some_columns(rows) if sample.kind.square else rows, before, once=once)


def seen_by(learner: object) -> RowsSeen | None:
    """What a learner remembers of its training rows; None if it was told not to."""
    held = getattr(learner, "__dict__", {}).get("_rows_seen")
    return held if isinstance(held, RowsSeen) else None


def as_trained(learner: Any, X: Any) -> Any:
    """Rows in the form in which those the learner was trained on were marked."""
    X, fitted = as_held(learner, X), learner.fitted_
    if not fitted.kind.square:
        return X
    X = X if sparse.issparse(X) else np.asarray(X)
    if fitted.kept is not None and X.shape[1] > len(fitted.kept):
        X = X[:, fitted.kept]
    return _some_columns(X)


def as_held(learner: object, X: Samples) -> Any:
    """Rows in the form in which a learner keeps them."""
    kind = getattr(getattr(learner, "fitted_", None), "kind", None)
    return as_objects(X) if kind is Kind.OBJECTS else X


def _some_columns(X: Any) -> Any:
    """Rows of a matrix of all pairs are known by some of its columns."""
    if X.shape[1] <= _COLUMNS:
        return X
    some: NDArray[np.intp] = np.linspace(0, X.shape[1] - 1, _COLUMNS).astype(np.intp)
    return X[:, some]
