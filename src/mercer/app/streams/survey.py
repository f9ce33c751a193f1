"""The first pass: what the columns hold, copies, and a random sample of the rows that learn."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from mercer.app.streams.keep import kept_models, name_of
from mercer.engine.tree import tree_sum
from mercer.errors import DataError
from mercer.io.readers import Options
from mercer.io.streams import batches
from mercer.rows import ColumnSketch, Partition, RowSketch, Split, marks_of_groups, marks_of_places
from mercer.rows.marks import fingerprints
from mercer.solvers.sums import merge
from mercer.tables.dataset import TEXT, Column, Dataset

PILOT = 40_000  # rows of the sample


@dataclass
class Survey:
    """Sketches of all rows."""

    names: list[str]
    kinds: list[str]
    columns: list[ColumnSketch]
    rows: RowSketch

    def merge(self, other: Survey) -> Survey:
        """Of both parts."""
        kinds = [
            _either(a, b, n) for a, b, n in zip(self.kinds, other.kinds, self.names, strict=True)
        ]
        columns = [a.merge(b) for a, b in zip(self.columns, other.columns, strict=True)]
        return Survey(self.names, kinds, columns, self.rows.merge(other.rows))

    def plain(self) -> dict[str, Any]:
        """As values that a file may hold; `back` is the way back."""
        columns = [vars(column) for column in self.columns]
        return {**vars(self), "columns": columns, "rows": vars(self.rows)}

    @classmethod
    def back(cls, found: dict[str, Any]) -> Survey:
        """From what `plain` gave."""
        columns = [ColumnSketch(**column) for column in found["columns"]]
        return cls(found["names"], found["kinds"], columns, RowSketch(**found["rows"]))

    def pilot(self) -> Dataset:
        """The sample as a data set."""
        columns = [
            Column(name, kind, values)
            for name, kind, values in zip(self.names, self.kinds, self.rows.sample, strict=True)
        ]
        return Dataset("table", "stream", columns=columns)


def _either(one: str, other: str, name: str) -> str:
    if one == other:
        return one
    if TEXT in (one, other):
        raise DataError(f"column '{name}' holds text in one file and {one} or {other} in another.")
    return one if one != "bool" else other


def survey(
    engine: Any,
    parts: list[Partition],
    options: Options,
    split: Split,
    group: str | None,
    keep: str | None = None,
    done: Any = None,
) -> Survey:
    """One pass over all partitions."""
    task = partial(kept_survey, options=options, split=split, group=group, most=PILOT, keep=keep)
    return engine.reduce(task, parts, merge, done)


def kept_survey(
    part: Partition,
    options: Options,
    split: Split,
    group: str | None,
    most: int,
    keep: str | None,
) -> Survey:
    """Of one partition, or what an earlier run found."""
    part.check()
    name = name_of("survey", part, options, split, group, most)
    return Survey.back(
        kept_models(name, lambda: survey_part(part, options, split, group, most).plain(), keep)
    )


def survey_part(
    part: Partition, options: Options, split: Split, group: str | None, most: int
) -> Survey:
    """Of one partition."""
    names = [name for name, _ in part.columns]
    found = (_of_batch(part, data, names, split, group, most) for data in batches(part, options))
    try:
        return tree_sum(found, merge)
    except ValueError:
        raise DataError(f"{part.words} has no rows.") from None


def _of_batch(
    part: Partition, data: Dataset, names: list[str], split: Split, group: str | None, most: int
) -> Survey:
    columns = [data.column(name) for name in names]
    marks = marks_of_places(part.name, int(data.rows[0]) - 1, data.n, split.seed)
    roles = split.roles(marks if group is None else group_marks(data, group, split.seed))
    prints = fingerprints([(c.kind == TEXT, c.values) for c in columns])
    values = [c.values for c in columns]
    return Survey(
        names,
        [c.kind for c in columns],
        [ColumnSketch.of(c.values, c.kind == TEXT) for c in columns],
        RowSketch.of(values, marks, prints, roles, most),
    )


def group_marks(data: Dataset, group: str, seed: int) -> Any:
    """Marks of the groups of a batch; every row needs one."""
    column = data.column(group)
    if column.missing.any():
        row = int(data.rows[np.flatnonzero(column.missing)[0]])
        raise DataError(f"column '{group}' has no value in row {row}, so its group is not known.")
    return marks_of_groups(group_names(column), seed)


def group_names(column: Column) -> Any:
    """The groups as texts, the same in every batch."""
    if column.kind == TEXT:
        return column.values.astype(str)
    return np.array([f"{value:.15g}" for value in column.values.tolist()])


def without_bad(
    parts: list[Partition], bad: list[tuple[str, str]], skip: bool
) -> tuple[list[Partition], list[tuple[str, str]]]:
    """The partitions to use; a file that cannot be read stops all, unless it may be skipped."""
    if bad and not skip:
        words = bad[0][1]
        more = f" (and {len(bad) - 1} more files)" if len(bad) > 1 else ""
        raise DataError(f"{words}{more}", "Repair it, or leave such files out by --skip-bad-files.")
    gone = {path for path, _ in bad}
    kept = [replace(part) for part in parts if part.path not in gone]
    if not kept:
        raise DataError("no file can be read.", bad[0][1] if bad else "")
    return kept, bad
