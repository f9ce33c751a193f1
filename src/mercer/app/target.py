"""What is to be learned: classes or numbers, and whether that is possible at all."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.errors import DataError
from mercer.tables.columns import label_texts, typed_labels
from mercer.tables.dataset import BOOL, DATE, NUMBER, TEXT, Column

FEW_VALUES = 10  # so few different whole numbers are classes
SOME_VALUES = 20
MOST_CLASSES = 200
MANY_VALUES = 50  # so few whole numbers might be classes


@dataclass(frozen=True)
class Target:
    """The target as learners take it, and in words."""

    name: str
    task: str
    y: NDArray[Any]
    counts: dict[str, int]  # of the classes; empty for numbers
    words: str

    def summary(self) -> dict[str, Any]:
        """For the run record."""
        found: dict[str, Any] = {"name": self.name, "task": self.task, "words": self.words}
        if self.task == "classification":
            return found | {"classes": self.counts}
        y = self.y.astype(float)
        places = {
            "min": y.min(),
            "median": np.median(y),
            "max": y.max(),
            "mean": y.mean(),
            "std": y.std(),
        }
        return found | {"summary": {key: float(value) for key, value in places.items()}}


def make_target(column: Column, wish: str | None = None, typed: bool = False) -> Target:
    """Read the target column (without gaps) as classes or as numbers.

    ``typed`` leaves the labels of classes what they are: whole numbers, truth values or text.
    """
    task = wish or detect(column)
    if task == "regression":
        return _numbers(column)
    if task != "classification":
        raise DataError(f"there is no task '{task}'.", "Use classification or regression.")
    found = _classes(column)
    return replace(found, y=typed_labels(column)) if typed else found


def said_about(column: Column, task: str, wish: str | None) -> str:
    """Whole numbers may be classes or amounts: which rule decided, and how to change it."""
    if wish is not None or column.kind != NUMBER:
        return ""
    distinct = np.unique(column.values)
    if not np.all(distinct == np.floor(distinct)) or not 2 < len(distinct) <= MANY_VALUES:
        return ""
    many = f"the target holds {len(distinct)} different whole numbers and is taken as"
    if task == "classification":
        return f"{many} classes; if they are amounts, say --task regression"
    return f"{many} amounts; if they are classes, say --task classification"


def detect(column: Column) -> str:
    """Text is classes; so are a few different whole numbers; the rest is numbers."""
    if column.kind in (TEXT, BOOL):
        return "classification"
    if column.kind == DATE:
        return "regression"
    values = column.values
    distinct = np.unique(values)
    whole = bool(np.all(distinct == np.floor(distinct)))
    few = len(distinct) <= FEW_VALUES or (len(distinct) <= SOME_VALUES and len(values) >= 500)
    if (whole and few) or len(distinct) <= 2:
        return "classification"
    return "regression"


def _numbers(column: Column) -> Target:
    if column.kind == TEXT:
        raise DataError(
            f"the target '{column.name}' holds text such as '{column.values[0]}', not numbers.",
            "Leave out --task regression to learn classes.",
        )
    y = column.values.astype(np.float64)
    bad = np.flatnonzero(~np.isfinite(y))
    if len(bad):
        raise DataError(f"the target '{column.name}' is infinite in {len(bad)} rows.")
    if float(y.min()) == float(y.max()):
        raise DataError(f"the target '{column.name}' is {y[0]:g} in every row: nothing to learn.")
    words = f"numbers from {y.min():.6g} to {y.max():.6g}, median {np.median(y):.6g}"
    return Target(column.name, "regression", y, {}, words)


def _classes(column: Column) -> Target:
    labels = label_texts(column)
    names, counts = np.unique(labels, return_counts=True)
    table = {str(k): int(v) for k, v in zip(names.tolist(), counts.tolist(), strict=True)}
    if len(table) < 2:
        raise DataError(
            f"the target '{column.name}' has a single class, {names[0]}, in all "
            f"{len(labels)} rows.",
            "A classifier needs examples of at least two.",
        )
    if len(table) > MOST_CLASSES or (len(labels) > 20 and len(table) > len(labels) / 2):
        hint = "Is it a name or an id?" if column.kind == TEXT else "Say --task regression?"
        raise DataError(
            f"the target '{column.name}' has {len(table)} different values in {len(labels)} rows, "
            "too many to be classes.",
            hint,
        )
    return Target(column.name, "classification", labels, table, class_words(table))


def class_words(table: dict[str, int]) -> str:
    """The classes and their rows, the largest first."""
    shown = sorted(table.items(), key=lambda item: -item[1])
    some = ", ".join(f"{name} {count}" for name, count in shown[:5])
    more = f" and {len(shown) - 5} more" if len(shown) > 5 else ""
    kinds = "two" if len(table) == 2 else str(len(table))
    return f"{kinds} classes: {some}{more}"
