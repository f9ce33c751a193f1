"""Tables to coordinates, column by column, as a scikit-learn transformer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from mercer.tables._kinds import IGNORED, kind_of
from mercer.tables.columns import matched, table_array
from mercer.tables.dataset import NUMBER, TEXT
from mercer.tables.encoders import ENCODERS, Encoder
from mercer.tables.forms import FORMS, share_unit
from mercer.tables.frames import by_name, dataset_of, is_frame
from mercer.tables.schema import Schema


class TablePreparation(TransformerMixin, BaseEstimator):
    """Turn a table of numbers, dates, names and short texts into coordinates.

    Every column gets a block of coordinates in which Gaussian kernels make sense: two random rows
    are at squared distance about 2. A gap is a level of its own, never filled in. Everything is
    learned from the rows passed to ``fit`` and from no others.

    Parameters
    ----------
    names : sequence of str, default=None
        Names of the columns to use; None: all those of a frame. Later frames are matched by name.
    stored : sequence of str, default=None
        How each column is stored: "number", "date" (seconds since 1970), "bool" or "text"; None:
        found out. "date:%d.%m.%Y" also says how text is to be read as dates. A column of a later
        frame that holds something else is an error.
    treat : mapping, default=None
        Column name to treatment: "number", "date", "category", "ordinal", "ordinal:low<mid<high",
        "text" or "ignored"; columns that are not named are looked at.
    max_levels : int, default=200
        Most levels a category may have; the rest is taken together.
    form : {"coordinates", "common", "sparse", "trees"}, default="coordinates"
        Columns at their own scale, for kernels; columns of numbers at one common scale, for pixels
        and the like; a sparse matrix of indicators and words, for a linear machine; or one number
        per column with gaps left in, for trees.

    Attributes
    ----------
    blocks_ : list of list of int
        Output columns of every input column that is used.
    used_ : list of int
        Those input columns.
    reasons_ : dict
        Input columns that are ignored, with the reason.
    schema_ : list of dict
        What is expected of every column, as plain data: see :class:`Schema`.
    """

    _state_version: ClassVar[int] = 1

    def __init__(
        self,
        names: Sequence[str] | None = None,
        stored: Sequence[str] | None = None,
        treat: Mapping[str, str] | None = None,
        max_levels: int = 200,
        form: str = "coordinates",
    ) -> None:
        self.names = names
        self.stored = stored
        self.treat = treat
        self.max_levels = max_levels
        self.form = form

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the treatment of every column; ``y`` is not looked at."""
        if self.form not in FORMS:
            raise ValueError(f"form must be one of {list(FORMS)}, got {self.form!r}")
        table = self._first_look(X)
        self.n_features_in_ = table.shape[1]
        if len(self.stored_) != table.shape[1]:
            raise ValueError(f"stored names {len(self.stored_)} columns, X has {table.shape[1]}")
        self.encoders_: list[Encoder] = []
        self.used_: list[int] = []
        self.reasons_: dict[int, str] = {}
        self.blocks_: list[list[int]] = []
        width = 0
        for j, stored in enumerate(self.stored_):
            encoder, reason = self._encoder(table[:, j], self.names_[j], stored)
            if encoder is None:
                self.reasons_[j] = reason
                continue
            size = encoder.fit(table[:, j]).transform(table[:1, j]).shape[1]
            self.encoders_.append(encoder)
            self.used_.append(j)
            self.blocks_.append(list(range(width, width + size)))
            width += size
        if not width:
            why = ", ".join(f"{self.names_[j]}: {r}" for j, r in list(self.reasons_.items())[:5])
            raise ValueError(f"no column can be used for learning ({why})")
        if self.form == "common":
            share_unit(self.encoders_)
        self.n_features_out_ = width
        self.schema_ = Schema.of(self, table).to_list()
        return self

    def _first_look(self, X: Any) -> NDArray[Any]:
        """The raw table; names and kinds of its columns are those of a frame, or as told."""
        self.named_ = self.names is not None or is_frame(X)
        if not is_frame(X):
            table = as_table(X)
            self.names_ = _names(self.names, table.shape[1])
            self.stored_ = list(self.stored) if self.stored is not None else _stored(table)
            return table
        seen = dataset_of(X)
        names = seen.names if self.names is None else [str(name) for name in self.names]
        kinds = [seen.column(name).stored for name in names]
        self.names_ = names
        self.stored_ = kinds if self.stored is None else list(self.stored)
        return as_table(table_array(by_name(X, names, self.stored_)))

    def _encoder(self, values: NDArray[Any], name: str, stored: str) -> tuple[Encoder | None, str]:
        wish = (self.treat or {}).get(name, "")
        kind, _, order = wish.partition(":")
        reason = "as asked"
        if not kind:
            kind, reason = kind_of(values, stored.partition(":")[0])
        if kind == IGNORED:
            return None, reason
        if kind not in ENCODERS:
            raise ValueError(
                f"column '{name}' cannot be treated as {kind!r}; choose one of "
                f"{[*ENCODERS, IGNORED]}"
            )
        known = FORMS[self.form][kind]
        if kind == "category" and self.form in ("coordinates", "common"):
            return known(self.max_levels), ""
        if kind == "ordinal":
            levels = [level.strip() for level in order.split("<")] if order else None
            return known(levels), ""
        return known(), ""

    def transform(self, X: Any) -> Any:
        """Coordinates, shape (n, n_features_out_); a sparse matrix if ``form`` is "sparse"."""
        check_is_fitted(self)
        if is_frame(X) and self.named_:  # by name, as kinds of the training rows, or an error
            X = table_array(by_name(X, self.names_, self.stored_))
        table = as_table(X)
        if table.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {table.shape[1]} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input"
            )
        if self.form == "sparse":
            pairs = zip(self.used_, self.encoders_, strict=True)
            parts = [sparse.csr_matrix(encoder.transform(table[:, j])) for j, encoder in pairs]
            return sparse.hstack(parts, format="csr")
        out = np.empty((table.shape[0], self.n_features_out_))
        for j, block, encoder in zip(self.used_, self.blocks_, self.encoders_, strict=True):
            out[:, block[0] : block[-1] + 1] = encoder.transform(table[:, j])
        return out

    def check(self, X: Any) -> list[str]:
        """What new rows have that the training rows did not: unknown levels, gaps, far values.

        Missing columns and columns of another kind are errors, as in ``transform``.
        """
        check_is_fitted(self)
        if is_frame(X) and self.named_:
            return Schema.from_list(self.schema_).check(by_name(X, self.names_, self.stored_))
        seen = dataset_of(X, self.names_)
        pairs = zip(self.names_, self.stored_, strict=True)
        return Schema.from_list(self.schema_).check([matched(seen, n, s) for n, s in pairs])

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Name of the column, numbered if it has several coordinates."""
        check_is_fitted(self)
        names = []
        for j, block in zip(self.used_, self.blocks_, strict=True):
            base = self.names_[j]
            names += [base] if len(block) == 1 else [f"{base}[{k}]" for k in range(len(block))]
        return np.array(names, dtype=object)

    def treatments(self) -> dict[str, str]:
        """What was done to every column, for people."""
        found = {
            self.names_[j]: encoder.words()
            for j, encoder in zip(self.used_, self.encoders_, strict=True)
        }
        found |= {self.names_[j]: f"ignored: {reason}" for j, reason in self.reasons_.items()}
        return {name: found[name] for name in self.names_}


def as_table(X: Any) -> NDArray[Any]:
    """A two-dimensional array of floats or objects."""
    if sparse.issparse(X):
        raise TypeError("Sparse data are not supported here: a table has a value in every cell")
    table = np.asarray(X.to_numpy() if hasattr(X, "to_numpy") else X)
    if table.ndim != 2:
        raise ValueError(
            f"Expected 2D array, got {table.ndim}D array instead. Reshape your data: a table has "
            "rows and columns."
        )
    if table.shape[0] == 0:
        raise ValueError(
            f"Found array with 0 sample(s) (shape={table.shape}) while a minimum of 1 is required."
        )
    if table.shape[1] == 0:
        raise ValueError(
            f"Found array with 0 feature(s) (shape={table.shape}) while a minimum of 1 is required."
        )
    if table.dtype.kind == "c":
        raise ValueError("Complex data not supported")
    if table.dtype.kind in "US":
        return table.astype(object)
    return table if table.dtype.kind in "fO" else table.astype(np.float64)


def _names(names: Any, width: int) -> list[str]:
    if names is None:
        return [f"column {j + 1}" for j in range(width)]
    if len(names) != width:
        raise ValueError(f"{len(names)} names were given for {width} columns")
    return [str(name) for name in names]


def _stored(table: NDArray[Any]) -> list[str]:
    """How each column of a bare array is stored: text if any value is."""
    if table.dtype.kind == "f":
        return [NUMBER] * table.shape[1]
    return [
        TEXT if any(isinstance(v, str) for v in table[:, j]) else NUMBER
        for j in range(table.shape[1])
    ]
