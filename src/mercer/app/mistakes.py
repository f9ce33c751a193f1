"""Where the model errs: single rows, classes and slices of the rows it had not seen."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta

from mercer.app.roles import FitData
from mercer.report.run_record import RunRecord
from mercer.tables.columns import shown
from mercer.tables.dataset import TEXT

LISTED = 20
SHOWN_COLUMNS = 6
FEWEST = 20  # rows of a slice
MOST_LEVELS, PIECES = 12, 4
LEVEL = 0.05  # of all limits of slices together


def errors_of(record: RunRecord) -> NDArray[np.bool_]:
    """Which of the recorded predictions are wrong (numbers: outside the tolerance)."""
    found = record.predictions
    truth, said = np.asarray(found["truth"]), np.asarray(found["predicted"])
    if record.target["task"] == "classification":
        return np.asarray(truth != said)
    far = np.abs(truth.astype(float) - said.astype(float))
    return np.asarray(far > float(record.model.get("tolerance") or 0.0))


def wrong_rows(
    record: RunRecord, data: FitData, fresh: NDArray[np.intp], columns: list[str]
) -> dict[str, Any]:
    """The worst answers: the surest of the wrong ones, or the farthest from the truth."""
    found, wrong = record.predictions, errors_of(record)
    truth, said = found["truth"], found["predicted"]
    if record.target["task"] == "classification":
        sure = np.ones(len(wrong))
        if found.get("probability"):
            sure = np.asarray(found["probability"], dtype=float).max(axis=1)
        order = np.argsort(-np.where(wrong, sure, -1.0), kind="stable")
    else:
        order = np.argsort(-np.abs(np.asarray(truth, float) - np.asarray(said, float)))
    places = [int(i) for i in order[:LISTED] if wrong[i]]
    names = [name for name in columns if name in data.names][:SHOWN_COLUMNS]
    rows = [
        {
            "row": int(found["row"][i]),
            "truth": truth[i],
            "predicted": said[i],
            "values": [_cell(data, fresh[i], name) for name in names],
        }
        for i in places
    ]
    return {"columns": names, "rows": rows, "wrong": int(wrong.sum()), "of": len(wrong)}


def _cell(data: FitData, row: int, name: str) -> str:
    j = data.names.index(name)
    value, kind = data.X[row, j], data.stored[j].partition(":")[0]
    if value is None or (kind != TEXT and value != value):
        return "–"
    return shown(value, kind)


def slices(
    record: RunRecord, data: FitData, fresh: NDArray[np.intp], alone: NDArray[np.bool_]
) -> list[dict[str, Any]]:
    """Error rates by levels and quarters of every column, with limits that hold all together.

    A slice is ``worse`` if even its lower limit is above the rate of all rows. Only rows drawn
    independently of each other (``alone``) are counted.
    """
    wrong = errors_of(record)[alone]
    fresh = fresh[: len(alone)][alone]
    parts = [
        (name, words, mask)
        for name, values, kind in _columns(data)
        for words, mask in _parts(values[fresh], kind)
        if mask.sum() >= FEWEST
    ]
    overall = float(wrong.mean()) if len(wrong) else 0.0
    found = []
    for name, words, mask in parts:
        low, high = limits(int(wrong[mask].sum()), int(mask.sum()), LEVEL / len(parts))
        found.append(
            {"column": name, "slice": words, "rows": int(mask.sum()), "low": low, "high": high,
             "errors": int(wrong[mask].sum()), "rate": float(wrong[mask].mean()),
             "worse": low > overall, "better": high < overall}
        )  # fmt: skip
    return sorted(found, key=lambda one: -one["rate"])


def _columns(data: FitData) -> Iterator[tuple[str, NDArray[Any], str]]:
    """Names, values and kinds: of a table, or of the file that the labels of a matrix are from."""
    for j, name in enumerate(data.names):
        yield name, data.X[:, j], data.stored[j].partition(":")[0]
    for column in data.beside:
        yield column.name, column.values, column.kind


def limits(errors: int, rows: int, level: float) -> tuple[float, float]:
    """Exact two-sided limits of a rate (Clopper and Pearson)."""
    low = 0.0 if errors == 0 else float(beta.ppf(level / 2, errors, rows - errors + 1))
    high = 1.0 if errors == rows else float(beta.ppf(1 - level / 2, errors + 1, rows - errors))
    return low, high


def _parts(values: NDArray[Any], kind: str) -> list[tuple[str, NDArray[np.bool_]]]:
    if kind == TEXT:
        texts = np.array(["" if v is None else str(v) for v in values.tolist()], dtype=object)
        levels = sorted(set(texts.tolist()))
        if not 2 <= len(levels) <= MOST_LEVELS:
            return []
        return [(f"= {level or '(no value)'}", texts == level) for level in levels]
    numbers = np.asarray(values, dtype=np.float64)
    seen = np.isfinite(numbers)
    distinct = np.unique(numbers[seen])
    if len(distinct) < 2:
        return []
    made: list[tuple[str, NDArray[np.bool_]]] = []
    if len(distinct) <= PIECES:
        made = [(f"= {shown(value, kind)}", numbers == value) for value in distinct]
    else:
        cuts = np.unique(np.quantile(numbers[seen], np.linspace(0, 1, PIECES + 1)))
        for k, (a, b) in enumerate(pairwise(cuts)):
            inside = (numbers >= a) & ((numbers < b) | (k == len(cuts) - 2) & (numbers <= b))
            made.append((f"{shown(a, kind)} to {shown(b, kind)}", inside))
    return [*made, ("(no value)", ~seen)]
