"""Accuracy and balanced accuracy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.bounds.numerics import clopper_lower
from mercer.bounds.numerics.randomized import drawn, stevens_lower
from mercer.certification.core.task import Refused
from mercer.certification.guarantees.metrics._metric import CertifiedMetric, Unseen, _equal
from mercer.certification.guarantees.statement import Statement


@dataclass(frozen=True)
class Accuracy(CertifiedMetric):
    """The share of right answers: the mirror image of the error rate.

    With ``randomise``, a seed fixed before counting, the limit fails with probability δ and not
    less, and is never worse: of 100 rows without an error it shows 0.979 on average, not 0.970.
    """

    randomise: Any = None

    name, quantity = "accuracy", "accuracy"
    title, reference = "exact binomial limit", "Clopper and Pearson 1934"

    def __post_init__(self) -> None:
        if self.randomise is not None:  # another theorem
            object.__setattr__(self, "title", "exact binomial limit, randomised")
            object.__setattr__(self, "reference", "Stevens 1950")

    def state(self, rows: Unseen, delta: float) -> Statement:
        """Right answers among all rows."""
        right = int(np.sum(rows.truth.astype(object) == rows.predicted.astype(object)))
        counted = f"{right} right of {rows.n} unseen rows"
        if self.randomise is None:
            value = clopper_lower(right, rows.n, delta)
            return Statement(value, rows.n, right / rows.n, counted)
        seed = _seed(self.randomise)
        return Statement(
            stevens_lower(right, rows.n, delta, u := drawn(seed)),
            rows.n,
            right / rows.n,
            f"{counted}; randomised limit, seed {seed}",
            assumptions=(f"the seed {seed} was fixed before counting, and no other was tried",),
            details={"seed": seed, "u": u, "plain": clopper_lower(right, rows.n, delta)},
        )


def _seed(given: Any) -> int:
    if isinstance(given, bool | str) or not given >= 0 or given != round(given):
        raise ValueError(f"randomise must be a seed, a whole number of at least 0, got {given!r}")
    return int(given)


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
