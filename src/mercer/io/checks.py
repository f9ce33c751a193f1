"""Look at the data before learning: what would make a model useless or a certificate untrue."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.io.dataset import DATE, NUMBER, TEXT, Column

NOTE, WARNING = "note", "warning"
MUCH_MISSING = 0.3
LARGE = 1e100
_GROUP_NAME = re.compile(
    r"(^|[_\W])(patient|subject|user|customer|person|group|batch|site|id)", re.I
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


def check_columns(columns: list[Column], rows: NDArray[np.intp]) -> list[Finding]:
    """Everything that can be said without looking at the target."""
    found: list[Finding] = []
    for column in columns:
        found += _look_at(column, rows)
    found += _duplicates(columns, rows)
    return found


def identifiers(columns: list[Column]) -> list[str]:
    """Columns that only number or name the rows; a model could learn nothing from them."""
    return [column.name for column in columns if is_identifier(column)]


def is_identifier(column: Column) -> bool:
    """All values different, and whole numbers in even steps or words without blanks."""
    values, n = column.values, len(column.values)
    if n < 20 or column.missing.any():
        return False
    if column.kind == NUMBER:
        whole = np.all(values == np.floor(values)) and np.all(np.abs(values) < 2**53)
        steps = np.diff(values)
        named = bool(
            re.search(r"(^|[_\W])(id|nr|no|index|key|row|unnamed)([_\W\d]|$)", column.name, re.I)
        )
        even = n > 1 and bool(np.all(steps == steps[0])) and steps[0] != 0
        return bool(whole) and (even or (named and len(np.unique(values)) == n))
    if column.kind != TEXT or len(set(values.tolist())) < n:
        return False
    return float(np.mean([" " in v for v in values[:1000]])) < 0.5 and _codes(values)


def _codes(values: NDArray[Any]) -> bool:
    """Whether texts look like keys rather than like sentences, sequences or measurements."""
    lengths = np.array([len(v) for v in values[:1000]])
    digits = np.mean([any(c.isdigit() for c in v) for v in values[:1000]])
    return bool(lengths.max() <= 40 and (digits > 0.9 or np.ptp(lengths) == 0))


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
        yield Finding("missing", NOTE, f"column '{name}' has no value in {gaps / n:.0%} of the rows",
                      (name,))  # fmt: skip
    if column.kind == NUMBER:
        infinite = np.flatnonzero(np.isinf(column.values))
        if len(infinite):
            yield Finding("infinite", WARNING, f"column '{name}' is infinite in {len(infinite)} rows "
                          "(treated as gaps)", (name,), tuple(rows[infinite[:20]].tolist()))  # fmt: skip
        huge = np.flatnonzero(
            np.abs(np.where(np.isfinite(column.values), column.values, 0)) > LARGE
        )
        if len(huge):
            yield Finding("huge", WARNING, f"column '{name}' has values such as "
                          f"{column.values[huge[0]]:.3g}", (name,), tuple(rows[huge[:20]].tolist()))  # fmt: skip
        codes = [v for v in (-999.0, -9999.0, 999.0, 9999.0) if np.mean(present == v) > 0.01]
        if codes and abs(codes[0]) > 5 * float(np.median(np.abs(present)) + 1e-12):
            yield Finding("gap-code", WARNING, f"column '{name}' holds {codes[0]:g} in many rows: if "
                          "that means 'missing', leave the field empty", (name,))  # fmt: skip
    if is_identifier(column):
        yield Finding("identifier", WARNING, f"column '{name}' only names the rows and is ignored "
                      f"(--keep '{name}' uses it)", (name,))  # fmt: skip
    elif column.kind == DATE:
        yield Finding("time", NOTE, f"column '{name}' holds dates: if new data come later, "
                      f"use --order '{name}'", (name,))  # fmt: skip
    elif _GROUP_NAME.search(name) and n >= 20:
        levels = len(np.unique(present.astype(str)))
        if n / 20 < levels < 0.9 * n:
            yield Finding("groups", WARNING, f"several rows share one '{name}': if they belong "
                          f"together, use --group '{name}'", (name,))  # fmt: skip


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
    """Positions of rows equal to an earlier one in all columns."""
    if not columns:
        return np.zeros(0, dtype=np.intp)
    code = np.zeros(len(columns[0].values), dtype=np.int64)
    for column in columns:
        values = column.values
        if column.kind == TEXT:
            values = np.array(["\x00" if v is None else v for v in values.tolist()], dtype=object)
        _, inverse = np.unique(values, return_inverse=True)
        # renumbered every time, so that the pair of codes never overflows
        _, code = np.unique(code * (int(inverse.max()) + 1) + inverse, return_inverse=True)
    _, first = np.unique(code, return_index=True)
    again = np.ones(len(code), dtype=bool)
    again[first] = False
    return np.flatnonzero(again)


def check_target(columns: list[Column], y: NDArray[Any], task: str, name: str) -> list[Finding]:
    """Columns that give the target away. They are reported, never removed: see the docs."""
    found = []
    for column in columns:
        if _leaks(column, y, task):
            found.append(
                Finding(
                    "leak",
                    WARNING,
                    f"column '{column.name}' tells '{name}' almost exactly: will it be known before "
                    f"the answer is? If not, --ignore '{column.name}'",
                    (column.name,),
                )
            )
    return found


def _leaks(column: Column, y: NDArray[Any], task: str) -> bool:
    present = ~column.missing
    if present.sum() < 10 or is_identifier(column):
        return False
    values, target = column.values[present], y[present]
    if task == "regression":
        if column.kind == TEXT:
            return False
        values = values.astype(float)
        if np.ptp(values) == 0 or np.ptp(target) == 0 or not np.all(np.isfinite(values)):
            return False
        return bool(abs(np.corrcoef(values, target.astype(float))[0, 1]) > 0.9999)
    levels, code = np.unique(values.astype(str), return_inverse=True)
    classes, label = np.unique(target, return_inverse=True)
    if len(levels) > max(20, 4 * len(classes)) or len(levels) < 2 or len(classes) < 2:
        return False
    table = np.zeros((len(levels), len(classes)), dtype=np.int64)
    np.add.at(table, (code, label), 1)
    hits, n = int(table.max(axis=1).sum()), int(table.sum())
    majority = int(table.sum(axis=0).max())
    return hits >= 0.999 * n and majority < 0.95 * n
