"""The certificate of a metric, for fresh rows and for rows that were held out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from mercer._types import Samples
from mercer.bounds import Certificate
from mercer.certification.core.order import ONE_OF_EACH, one_of_each
from mercer.certification.guarantees.metrics import CertifiedMetric, Unseen
from mercer.certification.guarantees.recompute import KEPT, what_was_counted
from mercer.certification.guarantees.statement import ASSUMED, certificate
from mercer.learners.describe import classes_of, name_of


def judged(model: object, X: Samples, truth: NDArray[Any], predicted: NDArray[Any]) -> Unseen:
    """What a metric may look at; labels the model does not know are classes too."""
    known = classes_of(model)
    labels = [] if known is None else known.tolist()
    return Unseen(model, X, truth, predicted, tuple(labels))


def check_metric(metric: CertifiedMetric, task: str) -> None:
    """Refuse a metric of another task."""
    if task not in metric.tasks:
        raise ValueError(f"metric={metric.name!r} is for {' and '.join(metric.tasks)}, not {task}")


def metric_certificate(
    metric: CertifiedMetric, rows: Unseen, delta: float, unit: NDArray[np.intp] | None = None
) -> Certificate:
    """The limit of a metric; of every group (``unit``) one row drawn by a fixed seed is counted."""
    assumed = (*ASSUMED, *metric.assumptions)
    if unit is not None:
        some = one_of_each(unit)
        rows = replace(
            rows,
            X=_safe_indexing(rows.X, some),
            truth=rows.truth[some],
            predicted=rows.predicted[some],
        )
        assumed = (*assumed, ONE_OF_EACH)
    made = stated(metric, rows, delta, assumed, name_of(rows.model))
    return replace(made, details={**made.details, KEPT: what_was_counted(metric, rows, delta)})


def stated(
    metric: CertifiedMetric, rows: Unseen, delta: float, assumed: tuple[str, ...],
    learner: str = "the model",
) -> Certificate:  # fmt: skip
    """The limit with the words of its metric."""
    return certificate(
        metric.state(rows, delta),
        code=f"metric-{metric.name.replace('_', '-')}",
        title=metric.title,
        reference=metric.reference,
        quantity=metric.quantity,
        side=metric.side,
        limits=metric.range,
        delta=delta,
        learner=learner,
        phrase=metric.words,
        assumed=assumed,
    )
