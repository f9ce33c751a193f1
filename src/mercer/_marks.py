"""One canonical mark per row: 64 bits that equal rows share, whatever holds them.

A row is a set of (column, value) pairs, zeros left out, so a dense table, a sparse one and a frame
of the same numbers give the same marks. Numbers are compared as float64 (−0 is 0, there is one
NaN), texts after Unicode normalisation, other objects by what they hold. Rows of a kernel or
distance matrix are rounded to single precision: products of equal rows differ in the last bits.

Marks are keyed: two model files whose tables differ share none. Rows of few values can still be
guessed by whoever holds the file and its key, as support vectors can be read from it.
"""

from __future__ import annotations

import hashlib
import pickle
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from mercer._types import Samples

Marks = NDArray[np.uint64]
NO_KEY = b""
STEP = np.uint64(0x9E3779B97F4A7C15)
GAP = np.uint64(0x7FF8000000000000)  # the one NaN, and every other gap


def row_marks(X: Samples, key: bytes = NO_KEY, *, pairwise: bool = False) -> Marks:
    """The marks of the rows of a table, a list of objects, or (``pairwise``) a kernel matrix."""
    if sparse.issparse(X):
        return _sparse_marks(X, key)
    if pairwise:
        X = np.asarray(X, dtype=np.float32)
    total = np.full(height(X), _seed(key))
    for cells in cell_marks(X, key):
        total += cells
    return mixed(total)


def cell_marks(X: Samples, key: bytes = NO_KEY) -> Iterator[Marks]:
    """What every column of a table adds to the marks of its rows."""
    columns = columns_of(X)
    for place, column in zip(_column_keys(len(columns), key), columns, strict=True):
        bits = cell_bits(column, key)
        yield np.where(bits != 0, mixed(bits ^ place), np.uint64(0))


def with_labels(marks: Marks, y: ArrayLike | None) -> Marks:
    """Marks of rows together with their labels: a copy of a record has both."""
    if y is None:
        return marks
    bits = cell_bits(np.asarray(y).ravel(), NO_KEY)
    return mixed(marks ^ mixed(bits ^ STEP))


def distinct(marks: Marks) -> int:
    """How many different ones there are, by sorting: numpy.unique hashes, a hundred times slower.

    There is no NaN among marks, for which neighbours would not be equal.
    """
    order = np.sort(marks)
    return int(np.count_nonzero(order[1:] != order[:-1])) + min(1, len(order))


def digest(marks: Marks) -> str:
    """One short name for a set of rows, whatever their order."""
    return hashlib.blake2b(np.sort(marks).tobytes(), digest_size=8).hexdigest()


def mixed(bits: Marks) -> Marks:
    """The finaliser of splitmix64: every bit depends on every other."""
    with np.errstate(over="ignore"):
        bits = bits + STEP
        bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


def _seed(key: bytes) -> np.uint64:
    return np.uint64(int.from_bytes(hashlib.blake2b(key, digest_size=8).digest(), "little"))


def _column_keys(count: int, key: bytes) -> Marks:
    with np.errstate(over="ignore"):
        return mixed(_seed(key) + np.arange(1, count + 1, dtype=np.uint64) * STEP)


def _sparse_marks(X: Samples, key: bytes) -> Marks:
    csr = sparse.csr_array(X, dtype=np.float64, copy=True)
    csr.sum_duplicates()
    csr.eliminate_zeros()
    keys = _column_keys(csr.shape[1], key)
    cells = mixed(_number_bits(csr.data) ^ keys[csr.indices])
    return mixed(_seed(key) + row_sums(cells, csr.indptr))


def row_sums(cells: Marks, starts: NDArray[Any]) -> Marks:
    """Sums of the cells of every row of a sparse table, modulo 2⁶⁴."""
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(cells, dtype=np.uint64)])
    return sums[starts[1:]] - sums[starts[:-1]]


def numbers_of(X: Samples) -> NDArray[np.float64] | None:
    """A dense table of numbers; None for anything else."""
    if sparse.issparse(X):
        return None
    try:
        table = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError):
        return None
    return table if table.ndim == 2 and table.size else None


def height(X: Any) -> int:
    """Number of rows."""
    shape = getattr(X, "shape", None)
    return int(shape[0]) if shape else len(X)


def columns_of(X: Any) -> list[Any]:
    """The columns of a table of any kind; a list of objects is one column."""
    if hasattr(X, "columns") and hasattr(X, "iloc"):
        return [X.iloc[:, i].to_numpy() for i in range(X.shape[1])]
    if hasattr(X, "columns") and hasattr(X, "to_numpy"):
        return [X[name].to_numpy() for name in X.columns]
    if not isinstance(X, np.ndarray):
        try:
            X = np.asarray(X)
        except ValueError:  # sequences of different lengths
            return [_object_column(X)]
    if X.ndim == 1:
        return [X]
    if X.ndim == 2:
        return list(X.T)
    return [_object_column(X)]


def _object_column(items: Iterable[Any]) -> NDArray[Any]:
    listed = list(items)
    column = np.empty(len(listed), dtype=object)
    column[:] = listed
    return column


def cell_bits(column: NDArray[Any], key: bytes) -> Marks:
    """64 bits per cell; 0 for the number zero."""
    if column.dtype.kind in "biuf":
        return _number_bits(column)
    known: dict[Any, int] = {}
    return np.array([_known(cell, known, key) for cell in column.tolist()], dtype=np.uint64)


def _number_bits(values: NDArray[Any]) -> Marks:
    numbers = np.ascontiguousarray(values, dtype=np.float64) + 0.0
    return np.where(np.isnan(numbers), GAP, numbers.view(np.uint64))


def _known(cell: Any, known: dict[Any, int], key: bytes) -> int:
    """Cells of one column repeat: hash each value once, if it can be looked up."""
    try:
        name = (type(cell), cell)
        if name not in known:
            known[name] = _cell_bits(cell, key)
        return known[name]
    except TypeError:
        return _cell_bits(cell, key)


def _cell_bits(cell: Any, key: bytes) -> int:
    if is_gap(cell):
        return int(GAP)
    if isinstance(cell, bool | int | float | np.number | np.bool_):
        return int(_number_bits(np.array([float(cell)]))[0])
    held = hashlib.blake2b(_bytes_of(cell), digest_size=8, key=key).digest()
    return int.from_bytes(held, "little") or 1


def is_gap(cell: Any) -> bool:
    """Whether a cell is empty, in the way of Python, NumPy or a data frame."""
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(cell, float | np.floating) and cell != cell


def _bytes_of(cell: Any) -> bytes:
    """What an object holds, with its kind and its length, so that no two run into each other."""
    for kinds, held in _HELD:
        if isinstance(cell, kinds):
            return held(cell)
    text = repr(cell)
    return b"o" + (pickle.dumps(cell) if " at 0x" in text else text.encode())


def _joined(kind: bytes, parts: Iterable[bytes]) -> bytes:
    return kind + b"".join(len(part).to_bytes(8, "little") + part for part in parts)


def _of_dict(cell: Mapping[Any, Any]) -> bytes:
    pairs = sorted(_joined(b"p", (_bytes_of(k), _bytes_of(v))) for k, v in cell.items())
    return _joined(b"d", pairs)


_HELD: tuple[tuple[Any, Callable[[Any], bytes]], ...] = (
    (str, lambda cell: b"t" + unicodedata.normalize("NFC", cell).encode("utf-8", "surrogatepass")),
    (bytes, lambda cell: b"b" + cell),
    (
        (bool, int, float, np.number, np.bool_),
        lambda cell: b"n" + np.float64(cell + 0.0).tobytes(),
    ),
    (dict, _of_dict),
    ((set, frozenset), lambda cell: _joined(b"s", sorted(_bytes_of(v) for v in cell))),
    ((list, tuple), lambda cell: _joined(b"l", (_bytes_of(v) for v in cell))),
    (
        np.ndarray,
        lambda cell: (
            _joined(b"l", (_bytes_of(v) for v in cell.tolist()))
            if cell.ndim
            else _bytes_of(cell.item())
        ),
    ),
    (
        sparse.sparray | sparse.spmatrix,
        lambda cell: b"m" + repr(cell.shape).encode() + _sparse_marks(cell, NO_KEY).tobytes(),
    ),
)
