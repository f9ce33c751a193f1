"""Metric certificates keep what they counted, so that their number can be derived again.

Answers are kept as a table of counts (true class by answer), scores as columns without the rows
they belong to, distances of regressions without the targets. A metric that would need the targets
themselves (R²) keeps nothing, and many rows are not kept either: the reason stands in their place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.bounds import Certificate
from mercer.certification.core.confidence import class_scores
from mercer.certification.guarantees.metrics import CertifiedMetric, Unseen, available

KEPT = "counted again"  # the entry of a certificate's details
MOST = 20_000  # numbers


def what_was_counted(metric: CertifiedMetric, rows: Unseen, delta: float) -> dict[str, Any]:
    """Plain data from which `recomputed` makes the same number."""
    made: dict[str, Any] = {
        "metric": metric.name,
        "options": {name: _plain(value) for name, value in asdict(metric).items()},
        "delta": float(delta),
    }
    if metric.reads == "distances":
        y, f = rows.numbers()
        return made | _columns({"distances": np.abs(y - f)})
    if metric.reads not in ("answers", "scores", "certainty"):
        return made | {"why not": "the targets themselves would have to be kept"}
    known = list(rows.classes)
    others = {*rows.truth.tolist(), *rows.predicted.tolist()} - set(known)
    labels = known + sorted(others, key=str)
    places = {label: i for i, label in enumerate(labels)}
    truth, said = (
        np.array([places[label] for label in column.tolist()])
        for column in (rows.truth, rows.predicted)
    )
    made |= {"labels": labels, "known": len(known)}
    if metric.reads == "answers":
        table = np.zeros((len(labels), len(labels)), dtype=int)
        np.add.at(table, (truth, said), 1)
        return made | {"table": table.tolist()}
    if metric.reads == "scores":
        values = class_scores(rows.model, rows.X)
    else:
        values = np.asarray(rows.model.predict_proba(rows.X), dtype=np.float64).max(axis=1)
    assert values is not None  # the metric has just read them
    return made | _columns({"truth": truth, "said": said, "values": values})


def recomputed(certificate: Certificate) -> Certificate | None:
    """The certificate with its number derived again; None if it kept nothing for that."""
    kept = certificate.details.get(KEPT)
    if kept is None or "why not" in kept:
        return None
    from mercer.certification.guarantees.any_metric import stated

    metric = available()[kept["metric"]](**kept["options"])
    return stated(metric, _rows(kept), float(kept["delta"]), certificate.assumptions)


def why_not_again(certificate: Certificate) -> str:
    """Why a certificate of a metric cannot be derived again; empty if it can."""
    return str((certificate.details.get(KEPT) or {}).get("why not", ""))


class _Remembered:
    """In place of the model: what it said of the rows."""

    def __init__(self, labels: list[Any], values: NDArray[np.float64] | None) -> None:
        self.classes_, self.values = np.array(labels, dtype=object), values

    def decision_function(self, _: Any) -> Any:
        """The scores that were kept."""
        return self.values

    def predict_proba(self, _: Any) -> Any:
        """How sure the model was of its answers."""
        assert self.values is not None
        return self.values[:, None]


def _rows(kept: Mapping[str, Any]) -> Unseen:
    if "distances" in kept:
        far = np.asarray(kept["distances"], dtype=np.float64)
        return Unseen(_Remembered([], None), None, far, np.zeros(len(far)))
    labels, values = list(kept["labels"]), None
    if "table" in kept:
        table = np.asarray(kept["table"], dtype=np.intp)
        truth, said = (np.repeat(place.ravel(), table.ravel()) for place in np.indices(table.shape))
    else:
        truth, said = np.asarray(kept["truth"]), np.asarray(kept["said"])
        values = np.asarray(kept["values"], dtype=np.float64)
    every = np.empty(len(labels), dtype=object)
    every[:] = labels
    known = labels[: int(kept["known"])]
    return Unseen(_Remembered(known, values), None, every[truth], every[said], tuple(known))


def _columns(columns: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
    if sum(column.size for column in columns.values()) > MOST:
        return {"why not": f"more than {MOST:,} numbers would have to be kept"}
    return {name: column.tolist() for name, column in columns.items()}


def _plain(value: object) -> Any:
    return np.asarray(value).tolist() if isinstance(value, np.ndarray | np.generic) else value
