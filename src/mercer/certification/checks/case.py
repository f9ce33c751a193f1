"""What a check may look at: the rows, what was said about them, and what became of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import _num_samples

from mercer._cached import cached_property
from mercer._marks import Marks, cell_marks, columns_of, numbers_of, row_marks
from mercer._storable import record
from mercer.certification.checks.check import PROJECTIONS, Floats, few_columns
from mercer.certification.checks.columns import is_date, numbers_in, on_a_grid, rare_columns

Index = NDArray[np.intp]
MOST_ROWS = 10_000  # of larger tables the slower checks look at so many
FEW = 0.01  # of the rows: what concerns fewer is mentioned, never in the first line
_LEVEL_COLUMNS = 16  # coordinates that stand for the level of a name
_NEW_TEXT = 2**12


@record("checked-case")  # a search has cases too
@dataclass(frozen=True, eq=False)
class Case:
    """Rows to be judged before a number about them is printed.

    ``unit`` numbers the groups that were declared, ``order`` is ``"random"``, ``"groups"`` or
    ``"time"``; ``names`` are the columns' names. ``pairwise``: X holds kernel values or distances
    between the rows. ``fresh``: the rows were only counted, none of them was trained on here.
    """

    X: Any
    y: NDArray[Any] | None = None
    pairwise: bool = False
    unit: Index | None = None
    order: str = "random"
    fresh: bool = False

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(_num_samples(self.X))

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Rows and columns; one number for a list of objects."""
        return shape_of(self.X)

    @cached_property
    def marks(self) -> Marks:
        """The mark of every row's input."""
        return row_marks(self.X, pairwise=self.pairwise)

    @cached_property
    def cells(self) -> Index:
        """Equal inputs have equal numbers."""
        return np.unique(self.marks, return_inverse=True)[1].ravel()

    @cached_property
    def firsts(self) -> Index:
        """The first row of every cell."""
        return np.unique(self.cells, return_index=True)[1]

    @cached_property
    def names(self) -> list[str]:
        """Names of the columns, for messages."""
        named = getattr(self.X, "columns", None)
        width = 1 if len(self.shape) < 2 else self.shape[1]
        if named is not None and len(named) == width:
            return [repr(str(name)) for name in named]
        return [f"column {i}" for i in range(width)]

    @cached_property
    def columns(self) -> list[Floats | None]:
        """The columns that hold numbers or dates, in the place of the others None."""
        if self.pairwise or sparse.issparse(self.X) or len(self.shape) != 2:
            return []
        return [numbers_in(column) for column in columns_of(self.X)]

    @cached_property
    def dates(self) -> list[int]:
        """Which of them hold dates."""
        cells = columns_of(self.X) if self.columns else []
        return [j for j, column in enumerate(cells) if is_date(column)]

    @cached_property
    def rare(self) -> list[int]:
        """Columns of numbers that hardly ever repeat among distinct rows."""
        return rare_columns(self.columns, self.firsts)

    @cached_property
    def fine(self) -> list[int]:
        """Those of them that keep to no grid on which values would meet by chance."""
        return [j for j in self.rare if not on_a_grid(np.asarray(self.columns[j])[self.firsts])]

    @property
    def continuous(self) -> bool:
        """Whether whole rows cannot be equal by chance, since some column hardly ever repeats."""
        return len(self.fine) > 0

    @cached_property
    def cell_marks(self) -> list[Marks]:
        """Marks of the cells of a table, column by column."""
        if self.pairwise or sparse.issparse(self.X) or len(self.shape) != 2:
            return []
        return list(cell_marks(self.X))

    @cached_property
    def cell_sum(self) -> Marks:
        """Equal rows have equal sums; without a column's marks, rows equal but for it have."""
        return sum(self.cell_marks, np.zeros(self.n, np.uint64))

    @cached_property
    def codes(self) -> Index:
        """Labels as numbers from 0 on; of many numbers, which side of the median they are on."""
        return np.zeros(self.n, np.intp) if self.y is None else codes_of(self.y)

    @cached_property
    def target_continuous(self) -> bool:
        """Whether targets are numbers that hardly ever repeat among distinct rows."""
        y = self.y
        if y is None or y.dtype.kind != "f" or len(self.firsts) < PROJECTIONS:
            return False
        return len(np.unique(y[self.firsts])) > 0.9 * len(self.firsts)

    @cached_property
    def vectors(self) -> Floats | None:
        """Coordinates whose distances say which rows are alike; None for other objects."""
        return None if self.pairwise else vectors_of(self.X)

    def distances(self, some: Index, others: Index) -> Floats | None:
        """How far some rows are from others; None if nobody can tell."""
        if self.pairwise:
            table = np.asarray(self.X, dtype=np.float64)
            part, diagonal = table[np.ix_(some, others)], np.diagonal(table)
            if not diagonal.any():
                return part  # distances
            return np.maximum(diagonal[some][:, None] + diagonal[others] - 2 * part, 0.0)
        points = self.vectors
        if points is None:
            return None
        a, b = points[some], points[others]
        squares = (a**2).sum(axis=1)[:, None] + (b**2).sum(axis=1) - 2 * a @ b.T
        return np.maximum(squares, 0.0)


def codes_of(y: NDArray[Any]) -> Index:
    """Labels as numbers from 0 on; of many numbers, which side of the median they are on."""
    if y.dtype.kind == "f" and len(np.unique(y)) > 20:
        return (y > np.median(y)).astype(np.intp)
    return np.unique(y, return_inverse=True)[1].ravel()


def shape_of(X: Any) -> tuple[int, ...]:
    """The shape of a table, without making one array of columns that do not go together."""
    if hasattr(X, "shape"):
        return tuple(X.shape)
    try:
        return np.shape(X)
    except ValueError:  # sequences of different lengths
        return (len(X),)


def looks_continuous(distinct: Floats) -> bool:
    """Whether some column of distinct rows hardly ever repeats."""
    if len(distinct) < PROJECTIONS:
        return False
    return any(len(np.unique(column)) > 0.9 * len(distinct) for column in distinct.T)


def vectors_of(X: Any) -> Floats | None:
    """Numbers brought to the same spread, names as corners, texts by their letters."""
    if sparse.issparse(X):
        return few_columns(sparse.csr_array(X, dtype=np.float64))[0]
    table = numbers_of(X)
    if table is not None:
        return few_columns(standard(table))[0]
    if len(shape_of(X)) == 2:
        return np.hstack([_column(column) for column in columns_of(X)])
    if all(isinstance(item, str) for item in X):
        from sklearn.feature_extraction.text import HashingVectorizer

        letters = HashingVectorizer(analyzer="char", ngram_range=(1, 3), n_features=_NEW_TEXT)
        return few_columns(sparse.csr_array(letters.transform(list(X))))[0]
    return None


def standard(table: Floats) -> Floats:
    """Columns brought to the same spread, gaps filled with the mean."""
    finite = np.isfinite(table)
    filled = np.where(finite, table, 0.0)
    mean = filled.sum(axis=0) / np.maximum(1, finite.sum(axis=0))
    filled = np.where(finite, filled, mean)
    spread = filled.std(axis=0)
    return (filled - mean) / np.where(spread > 0, spread, 1.0)


def _column(cells: NDArray[Any]) -> Floats:
    """A column of a mixed table: numbers and dates as they are, each name a corner of its own."""
    numbers = numbers_in(cells)
    if numbers is not None:
        return standard(numbers[:, None])
    bits = row_marks([repr(c) for c in cells])
    signs = (bits[:, None] >> np.arange(_LEVEL_COLUMNS, dtype=np.uint64)) & np.uint64(1)
    return (2.0 * signs - 1.0) / np.sqrt(_LEVEL_COLUMNS)
