"""Labels: from a file of their own, and in the type that a model knows them by."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.errors import DataError
from mercer.io.readers import read
from mercer.io.source import Source
from mercer.tables.columns import label_texts
from mercer.tables.dataset import Column, Dataset
from mercer.tables.frames import column_of


@dataclass(frozen=True)
class Labels:
    """The target of rows that stand elsewhere, and what else its file says about them.

    ``beside`` are the other columns, which may group or order the rows of a matrix; ``about`` is
    the name and the SHA-256 of the file, and what those columns are called.
    """

    column: Column
    beside: Dataset | None = None
    about: dict[str, Any] | None = None

    def without(self, lost: NDArray[np.bool_]) -> Labels:
        """Without some rows."""
        column = Column(self.column.name, self.column.kind, self.column.values[~lost])
        beside = None if self.beside is None else self.beside.drop(lost, "no value in the target")
        return replace(self, column=column, beside=beside)


def read_labels(path: str | Path | None, target: str | None = None) -> Labels | None:
    """Labels from a file of their own: its last column, or the one called ``target``."""
    if path is None:
        return None
    source = Source.of(str(path))
    found = read(source)
    if not found.columns:
        raise DataError(f"{path} is not a column of labels.")
    column = found.columns[-1] if target is None else found.column(target)
    others = [one for one in found.columns if one.name != column.name]
    names = [one.name for one in others]
    about = {"name": source.name, "sha256": source.sha256(), "columns": names}
    return Labels(column, replace(found, columns=others), about)


def labels_of(model: object, column: Column) -> NDArray[Any]:
    """Labels of a file as the model's classes are: text, or the numbers and truth values of Python.

    A label that is no class of the model stays a text, which is an error whatever is answered.
    """
    texts = np.asarray(label_texts(column))
    classes = np.asarray(getattr(model, "classes_", texts))
    if classes.dtype.kind not in "biuf":
        return texts
    names = label_texts(column_of("", classes, [])).tolist()
    known = dict(zip(names, classes.tolist(), strict=True))
    if known.keys() >= set(texts.tolist()):
        return np.array([known[text] for text in texts.tolist()], dtype=classes.dtype)
    return np.array([known.get(text, text) for text in texts.tolist()], dtype=object)
