"""Copied rows in a training table: bounds for independent rows count each of them anew.

Only what is certain is said here, in the time of sorting a column: equal rows of a table in which
some column hardly ever repeats otherwise. Rounded numbers meet by chance: they must do so far less
often in rows that differ. Tables of few values are judged by their labels, which
``mercer.certified_fit`` does.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.bounds import Choice
from mercer.learners._door import Kind, TrainingSample
from mercer.learners.rows_seen import RowsSeen

_FEW = 0.01  # of the rows: fewer copies make no difference
_FEWEST = 16  # distinct rows below which a column says nothing
_UNIQUE = 0.9  # of the distinct rows: values of a column that hardly ever repeats
_DIGITS = 5  # numbers with more of them do not meet by chance
_CLEARLY = 5  # times as many values come again in equal rows as in rows that differ


def noted_copies(sample: TrainingSample) -> tuple[Choice, ...]:
    """A choice that in-sample bounds do not cover, if rows of the sample are copies."""
    if sample.kind is not Kind.VECTORS:
        return ()
    again = copied_rows(np.asarray(sample.X))
    if again <= _FEW * sample.n:
        return ()
    words = f"{again} of {sample.n} rows are copies of an earlier one"
    return (Choice(f"what hangs together: {words}", "equal rows, and a column that tells"),)


def noted_again(seen: RowsSeen | None) -> tuple[Choice, ...]:
    """A choice, if rows of a stream came a second time: rules were tested on what they had seen."""
    if seen is None or seen.repeated <= _FEW * seen.n:
        return ()
    words = f"{seen.repeated} of {seen.n} rows of the stream came before"
    return (Choice(f"what hangs together: {words}", "equal rows, with digits that tell"),)


def copied_rows(table: NDArray[Any]) -> int:
    """How many rows equal an earlier one; 0 where equal rows may come about by nature."""
    n = len(table)
    if n < _FEWEST or _distinct_sketches(table) >= (1 - _FEW) * n:
        return 0
    varied = [column for column in table.T if np.any(column != column[0])]
    broken = [column for column in varied if np.any(column != np.floor(column))]
    whole = np.ascontiguousarray(table + 0.0)
    rows = whole.view(np.dtype((np.void, whole.dtype.itemsize * whole.shape[1]))).ravel()
    firsts, counts = np.unique(rows, return_index=True, return_counts=True)[1:]
    again = int(np.count_nonzero(counts > 1))
    if len(varied) < 2 or len(firsts) < _FEWEST or not _some_column_tells(broken, firsts, again):
        return 0  # of one column all repeats are repeated rows: nothing tells why
    return n - len(firsts)


def _distinct_sketches(table: NDArray[Any]) -> int:
    """At most as many as distinct rows, in one pass: each row's sum with fixed weights.

    Not a product of BLAS, which may round equal rows differently.
    """
    weights = np.cos(np.arange(table.shape[1], dtype=table.dtype))
    sketch = np.sort(np.einsum("ij,j->i", table, weights))
    return 1 + int(np.count_nonzero(sketch[1:] != sketch[:-1]))


def _some_column_tells(columns: list[Any], firsts: NDArray[np.intp], again: int) -> bool:
    """Whether a column hardly ever repeats in rows that differ; ``again``: rows that are copied."""
    among = [column[firsts] for column in columns]
    telling = [column for column in among if len(np.unique(column)) > _UNIQUE * len(firsts)]
    if any(_many_digits(column) for column in telling):
        return True
    chance = [len(firsts) - len(np.unique(column)) for column in telling]
    return len(telling) > 1 and again > _CLEARLY * (1 + min(chance))


def _many_digits(column: Any) -> bool:
    """Whether hardly any value is a number of five digits, as far as single precision tells."""
    values = np.asarray(column[np.isfinite(column) & (column != 0)], dtype=np.float64)
    unit = 10.0 ** (np.floor(np.log10(np.abs(values))) - _DIGITS + 1)
    short = np.abs(values / unit - np.round(values / unit)) < 0.01
    return bool(len(values)) and bool(short.mean() < 1 - _UNIQUE)
