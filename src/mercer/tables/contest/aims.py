"""What the contest is about: the error rate, or something that rare classes count in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

OVERALL = "overall"
AIMS = (OVERALL, "balanced", "f1")


@dataclass(frozen=True)
class Aim:
    """How answers are judged while learners are chosen.

    ``name`` is one of `AIMS`; ``positive`` is the label that F1 is about, as text (of two classes
    the second, if it is not given). With more than two classes F1 is judged by the balanced error.
    """

    name: str = OVERALL
    positive: str = ""

    @classmethod
    def read(cls, text: str) -> Aim:
        """``"balanced"``, ``"f1"`` or ``"f1:LABEL"``."""
        name, _, positive = text.partition(":")
        if name not in AIMS:
            raise ValueError(f"aim must be one of {AIMS}, got {text!r}")
        return cls(name, positive)

    @property
    def weighted(self) -> bool:
        """Whether learners are also tried with classes of equal weight."""
        return self.name != OVERALL

    @property
    def words(self) -> str:
        """What the losses are."""
        return {"balanced": "balanced error rate", "f1": "1 - F1"}.get(self.name, "share of errors")

    def label(self, classes: NDArray[Any]) -> Any:
        """The positive label; None where the aim is the balanced error."""
        if self.name != "f1" or len(classes) != 2:
            return None
        return next((c for c in classes.tolist() if str(c) == self.positive), classes[1])

    def scoring(self, classes: NDArray[Any]) -> Any:
        """The same for searches, as one of scikit-learn's scorers; None: as usual."""
        from sklearn.metrics import f1_score, make_scorer

        if not self.weighted:
            return None
        label = self.label(classes)
        if label is None:
            return "balanced_accuracy"
        return make_scorer(f1_score, pos_label=label, zero_division=0)

    def losses(self, truth: NDArray[Any], predicted: NDArray[Any]) -> NDArray[np.float64]:
        """One number per row; their mean is the error rate, the balanced error rate or 1 - F1.

        F1 is a ratio of means, so a row's number is what the row adds to it to first order: the
        mean is exact, and so is the standard error of a difference for many rows.
        """
        wrong = (predicted != truth).astype(np.float64)
        if not self.weighted or not len(truth):
            return wrong
        classes, code, counts = np.unique(truth, return_inverse=True, return_counts=True)
        label = self.label(classes)
        if label is None:
            return wrong * (len(truth) / (len(classes) * counts))[code]
        size = (truth == label).astype(np.float64) + (predicted == label)
        total = size.mean()
        rate = wrong.mean() / total if total else 0.0
        return np.asarray(rate + (wrong - rate * size) / (total or 1.0))
