"""The work behind ``mercer monitor``: a stream of rows, a state that outlives the process."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.app.apply import new_rows
from mercer.app.labels import labels_of
from mercer.app.reading import reader_options
from mercer.certification import Monitor
from mercer.certification.guarantees.sets import outputs_of
from mercer.errors import DataError, UserError
from mercer.io.atomic import write_text
from mercer.io.model_file import ModelFile, open_model
from mercer.io.readers import read
from mercer.learners.describe import answering
from mercer.tables.dataset import Column

# certified quantities that the share of wrong rows of a stream can be held against
RATES = ("error rate on a random row", "rate of new points rejected", "rate of targets further")
LANDMARKS = 50  # rows of a stream by which it is known again
ALIKE = 1e-3  # outputs of the same row may differ in last digits


@dataclass(frozen=True)
class Watched:
    """What is counted: wrong labels, or numbers further off than ``tolerance``; and how often."""

    limit: float
    tolerance: float | None = None


def watched(stored: ModelFile, limit: float | None, tolerance: float | None) -> Watched:
    """The certified statement as a rate of errors among all rows that come."""
    regression = stored.about.get("task") == "regression"
    if limit is not None and (tolerance is not None or not regression):
        return Watched(limit, tolerance)
    found = getattr(stored.model, "certificate_", None)
    if found is None or found.side == "lower" or found.vacuous:
        raise UserError("the model carries no limit of its error.", "Give one with --limit R.")
    if found.code == "holdout-quantile":
        share = float(found.details["share"])
        return Watched(1 - share if limit is None else limit, float(found.value))
    if found.quantity != "error rate" and not found.quantity.startswith(RATES):
        raise UserError(
            f"the model is certified by its {found.quantity}, which is not the share of wrong rows "
            "in a stream.",
            f"Say what share to watch for: --limit R{' and --tolerance T' if regression else ''}.",
        )
    if not regression:
        return Watched(float(found.value))
    own = getattr(answering(stored.model), "tolerance_", None)
    if own is None or f"further than {own:.4g} away" not in found.quantity:
        raise UserError("how far off is wrong?", "Say so with --tolerance T and --limit R.")
    return Watched(float(found.value), float(own))


def run_monitor(values: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Take in the rows of a stream that are new, batch by batch; the state is written after each.

    A process that is killed goes on with the first row that was not yet in the state.
    """
    stored = open_model(values["model"])
    what = watched(stored, values["limit"], values["tolerance"])
    place = Path(values["state"] or f"{values['model']}.monitor.json")
    state = _state(place)
    monitor = _monitor(stored, what, values, state)
    wrong, outputs = _news(stored, what, values)
    key = _stream(values["stream"], state["read"])
    done = int(state["read"].get(key, 0))
    _same_stream(key, outputs, done, state["marks"].get(key, []))
    for start in range(done, len(outputs), values["batch"]):
        part = slice(start, start + values["batch"])
        known = ~np.isnan(wrong[part])
        line = monitor.update(wrong[part][known], outputs[part])
        state["read"][key] = read_now = min(part.stop, len(outputs))
        state["marks"][key] = _landmarks(outputs[:read_now])
        state["history"].append({k: line[k] for k in ("labels", "risk_seen", "risk_at_least",
                                                      "risk_at_most", "log_evidence")})  # fmt: skip
        state["monitor"] = monitor.to_dict()
        write_text(place, json.dumps(state))
        yield {"stream": key, "read": read_now, **line}
    if done >= len(outputs):
        yield {"stream": key, "read": done, **monitor.summary()}


def _stream(named: str, read_before: dict[str, int]) -> str:
    """By what a stream is known again: its whole path; standard input is new at every call."""
    if named == "-":
        return f"standard input {1 + sum(key.startswith('standard input') for key in read_before)}"
    path = Path(named).resolve()
    if path.name in read_before:  # states of before knew the name of the file only
        read_before[str(path)] = read_before.pop(path.name)
    return str(path)


def _landmarks(outputs: NDArray[np.float64]) -> list[tuple[int, float]]:
    """Some rows with what the model says of them, spread over all that were read."""
    rows = np.unique(np.linspace(0, len(outputs) - 1, LANDMARKS).astype(int)).tolist()
    return [(row, float(outputs[row])) for row in rows]


def _same_stream(
    key: str, outputs: NDArray[np.float64], done: int, marks: list[tuple[int, float]]
) -> None:
    """Refuse a file that is shorter than what was read of it, or begins with other rows."""
    if done > len(outputs):
        raise DataError(
            f"{key} has {len(outputs)} rows, but {done} of it were read before.",
            "A stream only grows; name another state with --state to start anew.",
        )
    scale = 1.0 + max((abs(output) for _, output in marks), default=0.0)
    for row, output in marks:
        if abs(outputs[row] - output) > ALIKE * scale:
            raise DataError(
                f"{key} is another file than before: row {row + 1} is not the one that was read.",
                "Rows are added at the end. Give other rows a file of their own: their first ones "
                "would not be counted here.",
            )


def _state(place: Path) -> dict[str, Any]:
    if not place.exists():
        return {"mercer_watch": 1, "read": {}, "marks": {}, "history": [], "monitor": None}
    try:
        state = json.loads(place.read_text("utf-8"))
    except (OSError, json.JSONDecodeError, UnicodeDecodeError) as problem:
        raise DataError(f"{place} is no state of a monitor: {problem}.") from None
    if not isinstance(state, dict) or state.get("mercer_watch") != 1:
        raise DataError(f"{place} is no state of a monitor.", "Name another with --state.")
    state.setdefault("marks", {})
    return state


def _monitor(
    stored: ModelFile, what: Watched, values: dict[str, Any], state: dict[str, Any]
) -> Monitor:
    """The watch as it was left, or a new one; what it watches stays what it was."""
    alpha, said = values["alpha"], getattr(stored.model, "certificate_", None)
    watching = {
        "model": None if said is None else (said.about or {}).get("model"),
        "tolerance": what.tolerance,
        "target": str(values["target"] or stored.about.get("target")),
    }
    if state["monitor"] is None:
        state["watching"] = watching
        kept = vars(stored.model).get("_calibration")
        return Monitor(what.limit, alpha, None if kept is None else kept.outputs)
    monitor = Monitor.from_dict(state["monitor"])
    if (monitor.limit, monitor.alpha) != (what.limit, alpha):
        raise UserError(
            f"the state was begun with the limit {monitor.limit:g} and alpha {monitor.alpha:g}.",
            "Changing them on the way would break the promise: name another state with --state.",
        )
    for name, before in state.get("watching", watching).items():
        if before != watching[name]:
            raise UserError(
                f"the state was begun with another {name} ({before}, now {watching[name]}).",
                "Its errors are not those of today's: name another state with --state.",
            )
    return monitor


def _news(
    stored: ModelFile, what: Watched, values: dict[str, Any]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """For every row of the stream whether it was wrong (NaN without a label), and the output."""
    data = read(values["stream"], reader_options(values, stored.about))
    name = str(values["target"] or stored.about.get("target"))
    X, task = new_rows(stored, data), str(stored.about.get("task"))
    predicted, outputs = np.asarray(stored.model.predict(X)), outputs_of(task, stored.model, X)
    wrong = np.full(len(predicted), np.nan)
    if name not in data.names:
        return wrong, outputs
    column = data.column(name)
    known = ~column.missing
    if what.tolerance is not None:
        apart = np.abs(column.values[known].astype(float) - predicted[known].astype(float))
        wrong[known] = apart > what.tolerance
    else:
        there = Column(column.name, column.kind, column.values[known])
        wrong[known] = labels_of(stored.model, there) != predicted[known]
    return wrong, outputs
