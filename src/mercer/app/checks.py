"""Look at the data before learning: what would make a model useless or a certificate untrue."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.app.group_signs import group_signs
from mercer.app.levels import level_codes
from mercer.tables.dataset import DATE, NUMBER, TEXT, Column

NOTE, WARNING = "note", "warning"
MUCH_MISSING = 0.3
LARGE = 1e100
MANY_TEXTS = 100_000  # values of a column that are looked at
MANY_ALIKE = 4  # columns with nothing in them that get a note each
FEW_WORDS = 5  # among numbers: codes for "missing", or open ends such as 90+
LONG_WORD, FEW_LETTERS = 20, 25  # of sequences: DNA has 4 letters, proteins have 20
_NUMBER_OR_DATE = re.compile(
    r"^\s*[+-]?\d+([.,' ]\d+)*([eE][+-]?\d+)?\s*%?\s*$|^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}([ T].*)?$"
)


@dataclass(frozen=True)
class Finding:
    """One thing worth knowing about the data."""

    code: str
    level: str
    message: str
    columns: tuple[str, ...] = ()
    rows: tuple[int, ...] = field(default=())

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON types."""
        return asdict(self) | {"columns": list(self.columns), "rows": list(self.rows)}


def check_columns(
    columns: list[Column], rows: NDArray[np.intp], keys: dict[str, str]
) -> list[Finding]:
    """Everything that can be said without looking at the target; ``keys`` only name the rows."""
    found: list[Finding] = []
    for column in columns:
        found += _look_at(column, rows)
        if column.name in keys:
            words = (
                f"column '{column.name}' only names the rows and is ignored: {keys[column.name]} "
                f"(--keep '{column.name}' uses it)"
            )
            found.append(Finding("identifier", WARNING, words, (column.name,)))
    for name, sign in group_signs(columns, keys):
        words = f"{sign}: if they belong together, use --group '{name}'"
        found.append(Finding("groups", WARNING, words, (name,)))
    found = _together(found)
    found += _said_twice([column for column in columns if column.name not in keys])
    found += _duplicates([column for column in columns if column.name not in keys], rows)
    return found


def _together(found: list[Finding]) -> list[Finding]:
    """One note for many columns that say nothing: an image has a hundred dark pixels."""
    for code, words in (("empty", "have no values"), ("constant", "are constant")):
        alike = [one for one in found if one.code == code]
        if len(alike) <= MANY_ALIKE:
            continue
        names = tuple(name for one in alike for name in one.columns)
        listed = ", ".join(f"'{name}'" for name in names[:MANY_ALIKE])
        text = f"{len(names)} columns {words} and are ignored: {listed}, ..."
        place = found.index(alike[0])
        found = [one for one in found if one.code != code]
        found.insert(place, Finding(code, NOTE, text, names))
    return found


def _said_twice(columns: list[Column]) -> Iterator[Finding]:
    """Columns whose values stand for each other one to one, in words or in numbers."""
    first: dict[bytes, str] = {}
    for column in columns:
        codes = level_codes(Column(column.name, column.kind, column.values[:MANY_TEXTS]))
        if 1 < int(codes.max()) + 1 <= 0.9 * len(codes):
            known = first.setdefault(codes.tobytes(), column.name)
            if known != column.name:
                words = f"columns '{known}' and '{column.name}' say the same in other words"
                yield Finding("twice", NOTE, words, (known, column.name))


def _look_at(column: Column, rows: NDArray[np.intp]) -> Iterator[Finding]:
    name, missing = column.name, column.missing
    n, gaps = len(missing), int(missing.sum())
    if gaps == n:
        yield Finding("empty", NOTE, f"column '{name}' has no values and is ignored", (name,))
        return
    present = column.values[~missing]
    first = present[0]
    if gaps == 0 and np.all(present == first):
        yield Finding("constant", NOTE, f"column '{name}' is constant and is ignored", (name,))
        return
    if gaps > MUCH_MISSING * n:
        words = f"column '{name}' has no value in {gaps / n:.0%} of the rows"
        yield Finding("missing", NOTE, words, (name,))
    if column.kind == NUMBER:
        yield from _strange_numbers(column, present, rows)
    elif column.kind == TEXT:
        yield from _strange_texts(column, present)
    if column.kind == DATE:
        words = f"column '{name}' holds dates: if new data come later, use --order '{name}'"
        yield Finding("time", NOTE, words, (name,))


def _strange_numbers(
    column: Column, present: NDArray[Any], rows: NDArray[np.intp]
) -> Iterator[Finding]:
    name, values = column.name, column.values
    infinite = np.flatnonzero(np.isinf(values))
    if len(infinite):
        words = f"column '{name}' is infinite in {len(infinite)} rows (treated as gaps)"
        yield Finding("infinite", WARNING, words, (name,), tuple(rows[infinite[:20]].tolist()))
    huge = np.flatnonzero(np.abs(np.where(np.isfinite(values), values, 0)) > LARGE)
    if len(huge):
        words = f"column '{name}' has values such as {values[huge[0]]:.3g}"
        yield Finding("huge", WARNING, words, (name,), tuple(rows[huge[:20]].tolist()))
    codes = [v for v in (-999.0, -9999.0, 999.0, 9999.0) if np.mean(present == v) > 0.01]
    if codes and abs(codes[0]) > 5 * float(np.median(np.abs(present)) + 1e-12):
        words = (
            f"column '{name}' holds {codes[0]:g} in many rows: if that means 'missing', say "
            f"--missing {codes[0]:g}"
        )
        yield Finding("gap-code", WARNING, words, (name,))


def _strange_texts(column: Column, present: NDArray[Any]) -> Iterator[Finding]:
    """Numbers that a few words made text, and sequences of letters."""
    name = column.name
    counts = Counter(present[:MANY_TEXTS].tolist())
    words = [text for text in counts if not _NUMBER_OR_DATE.match(text)]
    rows = sum(counts[word] for word in words)
    if 0 < len(words) <= FEW_WORDS and rows <= 0.2 * counts.total() and counts.total() - rows >= 10:
        shown = ", ".join(f"'{word}'" for word in words)
        options = " ".join(f"--missing '{word}'" for word in words)
        yield Finding(
            "gap-code",
            WARNING,
            f"column '{name}' was read as text because of {shown} ({rows} rows): all other values "
            f"are numbers or dates. If that means 'missing', say {options}",
            (name,),
        )
    lengths = [len(text) for text in counts]
    if min(lengths) >= LONG_WORD and not any(" " in text for text in counts):
        letters = sorted(set().union(*counts))
        if len(letters) <= FEW_LETTERS:
            yield Finding(
                "sequences",
                WARNING,
                f"column '{name}' holds sequences ({' '.join(letters)}): --strings '{name}' "
                "compares them by kernels of strings",
                (name,),
            )


def _duplicates(columns: list[Column], rows: NDArray[np.intp]) -> list[Finding]:
    repeated = duplicate_rows(columns)
    if not len(repeated):
        return []
    kept = tuple(rows[repeated[:20]].tolist())
    return [
        Finding(
            "duplicates",
            WARNING if len(repeated) > 0.05 * len(rows) else NOTE,
            f"{len(repeated)} rows repeat an earlier row and are kept; the certificate needs "
            "independent rows",
            (),
            kept,
        )
    ]


def duplicate_rows(columns: list[Column]) -> NDArray[np.intp]:
    """Positions of rows equal to an earlier one in all columns.

    Rows are compared by a 64-bit fingerprint: among a million rows, a false twin has a chance of
    about one in 10^7.
    """
    if not columns:
        return np.zeros(0, dtype=np.intp)
    mark = np.zeros(len(columns[0].values), dtype=np.uint64)
    for column in columns:
        mark = _mixed(mark ^ _bits(column))
    _, first = np.unique(mark, return_index=True)
    again = np.ones(len(mark), dtype=bool)
    again[first] = False
    return np.flatnonzero(again)


def _bits(column: Column) -> NDArray[np.uint64]:
    """A number that differs where values differ."""
    if column.kind != TEXT:
        return np.ascontiguousarray(column.values + 0.0).view(np.uint64)
    codes: dict[Any, int] = {}
    found = [codes.setdefault(value, len(codes)) for value in column.values.tolist()]
    return np.array(found, dtype=np.uint64)


def _mixed(mark: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The finaliser of splitmix64: every bit depends on every other."""
    mark = mark + np.uint64(0x9E3779B97F4A7C15)
    mark = (mark ^ (mark >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mark = (mark ^ (mark >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mark ^ (mark >> np.uint64(31))
