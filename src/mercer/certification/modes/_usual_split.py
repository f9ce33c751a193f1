"""The usual 80/20 split, to be shown beside a certificate."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.bounds import Evidence
from mercer.bounds.numerics import clopper_upper, mixed_upper
from mercer.bounds.words import names_a_rate
from mercer.certification.core.task import Task
from mercer.certification.guarantees.any_metric import judged
from mercer.certification.modes._held_out import count, state

NO_BAR: dict[str, Any] = {}  # a projection at the rate that was seen is for errors and losses
BAR_BY_CLASS: dict[str, Any] = {
    "kind": "unknown",
    "words": "the limit by class of an 80/20 split is not known without one, and its error rate is "
    "another number; compare=True fits it.",
}


def projected_bar(evidence: Evidence, n: int, delta: float) -> dict[str, Any]:
    """What an 80/20 split would have given at the rate that was seen; nothing is fitted."""
    rows, part = max(1, n - round(0.8 * n)), evidence.holdout
    tail = "(projected, no model was fitted for it; not part of delta)."
    if part is not None and part.losses is not None and evidence.loss_range is None:
        return NO_BAR
    if part is not None and part.losses is not None and part.unit == "row":
        low, high = evidence.loss_range or (0.0, 1.0)
        value = mixed_upper(np.resize(part.losses, rows), delta, low=low, high=high)
        words = (
            f"an 80/20 split would give a mean loss of about {value:.4g} at the same losses {tail}"
        )
        return {"value": value, "kind": "projected", "words": words}
    rate = _seen_rate(evidence)
    if rate is None:
        words = (
            "the limit of an 80/20 split is not known without held-out rows; compare=True fits it."
        )
        return {"kind": "unknown", "words": words}
    value = clopper_upper(min(rows, round(rate * rows)), rows, delta)
    words = f"an 80/20 split would give about {100 * value:.3g} % at the same error rate {tail}"
    return {"value": value, "kind": "projected", "words": words}


def _seen_rate(evidence: Evidence) -> float | None:
    """Rate of errors on rows that were not trained on when they were counted."""
    part, picked, run = evidence.holdout, evidence.pick, evidence.progressive
    if part is not None and part.errors is not None:
        return part.errors / part.rows
    if picked is not None and not picked.thresholds:
        return picked.kept / picked.rows
    if run is not None and run.mean_loss is None:
        return run.errors / run.rows
    drawn = evidence.posterior or evidence.vote
    return None if drawn is None else drawn.gibbs


def measured_bar(task: Task) -> dict[str, Any]:
    """The 80/20 hold-out limit on the same shuffled rows, with a model fitted for it."""
    position = task.order.cut(0.8)
    train, test = task.first(position), task.first(task.n, position)
    model = task.fit(train, "comparison")
    with task.timed("comparison"):
        predicted = task.rows.predict(model, test, train)
    judge = task.judge.for_model(model)
    part = count(task, model, judge, test, predicted, position)
    evidence = Evidence(len(train), task=judge.task, holdout=part, loss_range=judge.limits)
    seen = judged(model, task.rows.take(test, train), task.rows.labels(test), predicted)
    bar = state(task, judge, evidence, seen)
    shown = f"{100 * bar.value:.3g} %" if names_a_rate(bar.quantity) else f"{bar.value:.4g}"
    return {
        "value": bar.value,
        "kind": "measured",
        "errors": part.errors,
        "rows": part.rows,
        "words": f"the plain 80/20 split gives {shown} ({bar.counted}; a comparison, not part of "
        "delta and not about the returned model).",
    }
