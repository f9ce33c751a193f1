"""Batches as a model takes them: prepared rows, targets, and the part each row plays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.app.streams.survey import group_marks, group_names
from mercer.io.readers import Options
from mercer.io.streams import batches
from mercer.rows import Partition, Split, marks_of_places
from mercer.rows.marks import LEARN, Marks, mixed
from mercer.tables.columns import matched, table_array
from mercer.tables.dataset import TEXT, Column, Dataset


@dataclass(frozen=True)
class Reading:
    """What every task needs to know about the rows; small, and goes along with each."""

    options: Options
    columns: tuple[tuple[str, str], ...]  # names and kinds of what the model takes
    target: str
    task: str
    split: Split
    prepared: Any
    group: str | None = None
    mean: float = 0.0
    spread: float = 1.0

    def batches(self, part: Partition) -> Iterator[Batch]:
        """The rows that have a target, prepared."""
        wanted = [name for name, _ in self.columns]
        more = [self.target] if self.group is None else [self.target, self.group]
        names = list(dict.fromkeys([*wanted, *more]))
        for data in batches(part, self.options, names):
            column = data.column(self.target)
            marks = (
                marks_of_places(part.name, int(data.rows[0]) - 1, data.n, self.split.seed)
                if self.group is None
                else group_marks(data, self.group, self.split.seed)
            )
            keep = np.flatnonzero(~column.missing)
            raw = table_array([matched(data, name, kind) for name, kind in self.columns])
            yield Batch(
                self.prepared.transform(raw[keep]).astype(np.float32),
                self._target(Column(column.name, column.kind, column.values[keep])),
                self.split.roles(marks)[keep],
                marks[keep],
                data.n - len(keep),
                None if self.group is None else group_names(data.column(self.group))[keep],
            )

    def _target(self, column: Column) -> NDArray[Any]:
        if self.task == "regression":
            return (column.values.astype(np.float64) - self.mean) / self.spread
        return label_texts_of_batch(column)


@dataclass
class Batch:
    """Prepared rows of a batch; ``untold`` rows had no target."""

    Z: NDArray[np.float32]
    y: NDArray[Any]
    roles: NDArray[np.int8]
    marks: Marks
    untold: int
    groups: Any = None

    def only(self, role: int, share: float = 1.0) -> tuple[NDArray[np.float32], NDArray[Any]]:
        """Rows of one role, or a random share of them."""
        rows = self.roles == role
        if share < 1.0:
            rows &= mixed(self.marks) < share * 2.0**64
        return self.Z[rows], self.y[rows]

    def judging(self) -> Batch:
        """Without the rows that learn."""
        rows = self.roles != LEARN
        groups = None if self.groups is None else self.groups[rows]
        return Batch(
            self.Z[rows], self.y[rows], self.roles[rows], self.marks[rows], self.untold, groups
        )


def gathered(batches: Iterable[Batch], most: int) -> Iterator[Batch]:
    """Batches of about so many rows each, the last of them of fewer."""
    held: list[Batch] = []
    for batch in batches:
        held.append(batch)
        if sum(len(one.y) for one in held) >= most:
            yield _together(held)
            held = []
    if held:
        yield _together(held)


def _together(held: list[Batch]) -> Batch:
    if len(held) == 1:
        return held[0]
    groups = None
    if held[0].groups is not None:
        groups = np.concatenate([one.groups for one in held])
    Z, y, roles, marks = (
        np.concatenate([getattr(one, name) for one in held])
        for name in ("Z", "y", "roles", "marks")
    )
    return Batch(Z, y, roles, marks, sum(one.untold for one in held), groups)


def label_texts_of_batch(column: Column) -> NDArray[Any]:
    """Labels as text, each by itself: what a label is called must not depend on its batch."""
    if column.kind == TEXT:
        return column.values.astype(str)
    if column.kind == "bool":
        return np.where(column.values > 0, "true", "false")
    found, code = np.unique(column.values, return_inverse=True)
    texts = np.array([str(int(v)) if v == int(v) else f"{v:.12g}" for v in found.tolist()])
    return texts[code] if len(texts) else np.zeros(0, dtype=str)


def complete(data: Dataset, names: list[str]) -> None:
    """Every column that the model needs is there, or an error names it."""
    for name in names:
        data.column(name)
