"""Columns of an Arrow table as ours, without holding both tables for longer than needed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.errors import DataError
from mercer.tables.dataset import BOOL, DATE, NUMBER, TEXT, Column
from mercer.tables.text_values import MISSING, text_column


def need_arrow() -> Any:
    """The module ``pyarrow``, or an error that names the extra."""
    try:
        import pyarrow
    except ImportError:
        raise DataError("reading this file needs pyarrow.", "Install mercer[app].") from None
    return pyarrow


def take_columns(
    chunks: list[Any],
    names: list[str],
    decimal: str,
    notes: list[str],
    stored: Mapping[str, str] | None = None,
    plain: bool = False,
) -> list[Column]:
    """Convert and let go one column after the other; numbers share one block of memory.

    ``chunks`` (Arrow's columns) is emptied on the way. ``stored`` is what a model knows columns as;
    ``plain`` leaves text as it is written.
    """
    pa = need_arrow()
    numeric = [_is_number(pa, chunk.type) for chunk in chunks]
    rows = len(chunks[0]) if chunks else 0
    block = np.empty((rows, sum(numeric)), order="F")
    columns: list[Column] = []
    place = 0
    for name, is_number in zip(names, numeric, strict=True):
        chunk = chunks.pop(0)
        if is_number:
            kind = BOOL if pa.types.is_boolean(chunk.type) else NUMBER
            _fill(pa, chunk, block[:, place])
            columns.append(Column(name, kind, block[:, place]))
            place += 1
        else:
            known = TEXT if plain else (stored or {}).get(name, "")
            columns.append(_other(pa, name, chunk, decimal, notes, known))
    if not plain:  # of batches the pool is used again
        pa.default_memory_pool().release_unused()  # it would keep as much as the file
    return columns


def _is_number(pa: Any, kind: Any) -> bool:
    t = pa.types
    return bool(
        t.is_integer(kind) or t.is_floating(kind) or t.is_boolean(kind) or t.is_decimal(kind)
    )


def _fill(pa: Any, chunked: Any, out: NDArray[np.float64]) -> None:
    """Write an Arrow column into ``out``, NaN for gaps, piece by piece."""
    start = 0
    for piece in chunked.chunks:
        stop = start + len(piece)
        numbers = piece.cast(pa.float64(), safe=False)
        out[start:stop] = numbers.to_numpy(zero_copy_only=False)
        start = stop


def _other(pa: Any, name: str, chunked: Any, decimal: str, notes: list[str], stored: str) -> Column:
    kind, t = chunked.type, pa.types
    if t.is_null(kind):
        return Column(name, NUMBER, np.full(len(chunked), np.nan))
    if t.is_date(kind) or t.is_timestamp(kind):
        stamps = chunked.cast(pa.timestamp("us"), safe=False).combine_chunks()
        whole = stamps.cast(pa.int64()).cast(pa.float64(), safe=False)
        return Column(name, DATE, whole.to_numpy(zero_copy_only=False) / 1e6)
    if t.is_time(kind) or t.is_duration(kind):
        micro = pa.time64("us") if t.is_time(kind) else pa.duration("us")
        whole = chunked.combine_chunks().cast(micro, safe=False).cast(pa.int64())
        values = whole.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
        return Column(name, NUMBER, values / 1e6)
    if t.is_dictionary(kind):
        chunked = chunked.cast(kind.value_type)
        return take_columns([chunked], [name], decimal, notes, {name: stored})[0]
    if t.is_string(kind) or t.is_large_string(kind) or t.is_string_view(kind):
        return text_column(name, strings(pa, chunked), decimal, notes, stored)
    raise DataError(
        f"column '{name}' holds {kind}, which is not a number, a date or text.",
        "Flatten or leave out this column.",
    )


def strings(pa: Any, chunked: Any) -> NDArray[Any]:
    """Text as objects; equal texts of a column share one object, so categories stay small."""
    coded = chunked.combine_chunks().dictionary_encode()
    if isinstance(coded, pa.ChunkedArray):
        coded = coded.combine_chunks()
    texts = [word.strip() for word in coded.dictionary.to_pylist()]
    words = np.array([*(None if text in MISSING else text for text in texts), None], dtype=object)
    codes = coded.indices.fill_null(len(words) - 1).to_numpy(zero_copy_only=False)
    return words[codes]


def unique_names(names: list[str], notes: list[str]) -> list[str]:
    """Empty names get a number, repeated ones a suffix; single quotes around all of them go."""
    seen: dict[str, int] = {}
    result = []
    names = [name.strip() for name in names]
    if all(len(name) > 2 and name[0] == name[-1] == "'" for name in names):
        names = [name[1:-1] for name in names]
    for place, name in enumerate(names, start=1):
        name = name or f"column {place}"
        seen[name] = seen.get(name, 0) + 1
        result.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    repeated = [name for name, count in seen.items() if count > 1]
    if repeated:
        notes.append(f"several columns are called '{repeated[0]}'; they were numbered")
    return result
