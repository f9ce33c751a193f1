"""Accuracy and balanced accuracy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.bounds.numerics import clopper_lower
from mercer.certification.core.task import Refused
from mercer.certification.guarantees.metrics._metric import CertifiedMetric, Unseen, _equal
from mercer.certification.guarantees.statement import Statement


class Accuracy(CertifiedMetric):
    """The share of right answers: the mirror image of the error rate."""

    name, quantity = "accuracy", "accuracy"
    title, reference = "exact binomial limit", "Clopper and Pearson 1934"

    def state(self, rows: Unseen, delta: float) -> Statement:
        """Right answers among all rows."""
        right = int(np.sum(rows.truth.astype(object) == rows.predicted.astype(object)))
        return Statement(
            clopper_lower(right, rows.n, delta),
            rows.n,
            right / rows.n,
            f"{right} right of {rows.n} unseen rows",
        )


@dataclass(frozen=True)
class BalancedAccuracy(CertifiedMetric):
    """The mean over the classes of the share that is recognised: the mean of limits at δ/K."""

    name, quantity = "balanced_accuracy", "balanced accuracy"
    title = "exact binomial limits of every class, union bound"
    reference = "Clopper and Pearson 1934"

    def state(self, rows: Unseen, delta: float) -> Statement:
        """One exact limit per class."""
        labels = rows.classes or tuple(np.unique(rows.truth).tolist())
        values, seen = {}, []
        for label in labels:
            mine = _equal(rows.truth, label)
            if not mine.any():
                raise Refused(f"no counted row of class {label!r}: nothing is known about it.")
            right = int((_equal(rows.predicted, label) & mine).sum())
            values[str(label)] = clopper_lower(right, int(mine.sum()), delta / len(labels))
            seen.append(right / mine.sum())
        return Statement(
            float(np.mean(list(values.values()))),
            rows.n,
            float(np.mean(seen)),
            f"{rows.n} unseen rows of {len(labels)} classes",
            paid={f"class {label}": 1 / len(labels) for label in values},
            details={"classes": values},
        )
