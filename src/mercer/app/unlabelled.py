"""Rows without a target for ``mercer embed`` and ``mercer cluster``, and the page they write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.app.checks import check_columns
from mercer.app.inspect_matrix import guess_kind
from mercer.app.keys import identifiers
from mercer.app.reading import reader_options
from mercer.app.roles import square_matrix
from mercer.errors import DataError
from mercer.io.readers import read
from mercer.io.source import Source
from mercer.tables.columns import shown, table_array
from mercer.tables.dataset import TEXT, Column, Dataset
from mercer.tables.preparation import TablePreparation

MOST_TEXTS = 5000  # every pair of them is compared
MOST_AXES = 50
MOST_WORDS = 6  # columns shown when the pointer rests on a point


@dataclass
class Unlabelled:
    """Coordinates (or a matrix of pairs), the file's row numbers, and words for people."""

    Z: NDArray[np.float64]
    rows: NDArray[Any]
    words: list[str]
    colour: list[str] | None
    notes: list[str]


def load(
    path: str, colour: str | None, ignore: Sequence[str], values: dict[str, Any]
) -> Unlabelled:
    """Read a file and turn its columns into coordinates, as a fit would."""
    data = read(Source.of(path), reader_options(values))
    if values.get("precomputed"):
        Z = square_matrix(data, values["precomputed"])
        words = [f"row {i + 1}" for i in range(len(Z))]
        return Unlabelled(Z, np.arange(1, len(Z) + 1), words, None, [])
    if data.matrix is not None:
        matrix = data.matrix.toarray() if hasattr(data.matrix, "toarray") else data.matrix
        Z = np.asarray(matrix, dtype=float)
        if not np.isfinite(Z).all():
            raise DataError("the matrix has gaps or infinite values.", "Fill or drop these rows.")
        return Unlabelled(Z, np.asarray(data.rows), [f"row {r}" for r in data.rows], None, [])
    if data.objects is not None and len(data.objects):
        return _from_texts(data, [str(text) for text in data.objects])
    found = _from_columns(data, colour, ignore)
    kind = guess_kind(data)
    if kind is not None:
        found.notes.append(f"this looks like a matrix of {kind} values: --precomputed {kind}")
    return found


def _from_texts(data: Dataset, texts: list[str]) -> Unlabelled:
    """Coordinates in which distances are those of the 3-letter spectrum kernel."""
    from mercer.kernels import Spectrum
    from mercer.learners.spectral import KernelPCA

    n = len(texts)
    if n < 3:
        raise DataError(f"{n} texts cannot be compared.", "At least three are needed.")
    if n > MOST_TEXTS:
        raise DataError(f"{n:,} texts are too many.", f"At most {MOST_TEXTS:,} are compared.")
    model = KernelPCA(min(MOST_AXES, n - 1), kernel=Spectrum(3).normalized()).fit(texts)
    Z = model.eigenvectors_ * np.sqrt(np.maximum(model.eigenvalues_, 0.0))
    share = 100.0 * float(model.explained_variance_ratio_.sum())
    notes = [f"texts compared by the 3-letter pieces they share; {share:.0f} % of that is used"]
    words = [
        f"row {row}: {text[:40]}{'…' if len(text) > 40 else ''}"
        for row, text in zip(data.rows, texts, strict=True)
    ]
    return Unlabelled(Z, np.asarray(data.rows), words, None, notes)


def _from_columns(data: Dataset, colour: str | None, ignore: Sequence[str]) -> Unlabelled:
    names = None if colour is None else _texts(data.column(colour))
    for name in ignore:
        data.column(name)  # an unknown name is an error with a suggestion
    used = [c for c in data.columns if c.name not in {*ignore, colour}]
    found = identifiers(used)
    keys = list(found)
    warned = [f.message for f in check_columns(used, data.rows, found) if f.code == "gap-code"]
    used = [c for c in used if c.name not in keys]
    if not used:
        raise DataError("no column is left to learn from.")
    prepare = TablePreparation([c.name for c in used], [c.kind for c in used])
    Z = prepare.fit_transform(table_array(used))
    notes = [f"{prepare.names_[j]}: not used, {why}" for j, why in prepare.reasons_.items()]
    notes += [f"{name}: not used, it only names the rows" for name in keys] + warned
    if len(data.columns) == 1 and used and used[0].kind == TEXT:
        notes.append(
            f"one column of text, named {used[0].name!r} by the first line; if that is a row, too, "
            "and letters matter, say --format lines"
        )
    if Z.shape[1] == 0:
        raise DataError("no column is left to learn from.", "; ".join(notes))
    first = [(c.name, _texts(c)) for c in data.columns[:MOST_WORDS]]
    words = [
        f"row {row}: " + ", ".join(f"{name} {texts[i]}" for name, texts in first)
        for i, row in enumerate(data.rows)
    ]
    return Unlabelled(np.asarray(Z, dtype=float), np.asarray(data.rows), words, names, notes)


def _texts(column: Column) -> list[str]:
    missing = column.missing
    return [
        "–" if gap else shown(value, column.kind)
        for value, gap in zip(column.values, missing, strict=True)
    ]
