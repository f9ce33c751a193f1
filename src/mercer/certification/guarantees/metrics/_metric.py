"""What a metric states about itself, and what it is given to count."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mercer.certification.core.confidence import class_scores
from mercer.certification.core.task import Refused
from mercer.certification.guarantees.statement import Statement

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Unseen:
    """Rows the model never saw: the truth, its answers, and what it read them off."""

    model: Any
    X: Any
    truth: NDArray[Any]
    predicted: NDArray[Any]
    classes: tuple[Any, ...] = ()

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.truth)

    def positive(self, asked: Any = None) -> Any:
        """The label called positive: the one asked for, or the second of two."""
        labels = self.classes or tuple(np.unique(self.truth).tolist())
        if asked is not None:
            for label in labels:
                if label == asked or str(label) == str(asked):
                    return label
            raise Refused(f"there is no class {asked!r}; the model has {list(labels)}.")
        if len(labels) != 2:
            raise Refused(
                f"the model has {len(labels)} classes: name the one that counts as positive, "
                "positive=..., or ask for average='macro'."
            )
        return labels[1]

    def hits(self, positive: Any) -> tuple[Flags, Flags]:
        """Which rows are positive, and which are called so."""
        return _equal(self.truth, positive), _equal(self.predicted, positive)

    def scores(self, positive: Any) -> Floats:
        """How much the model believes in the positive class."""
        scores = class_scores(self.model, self.X)
        if scores is None:
            raise Refused(
                f"{type(self.model).__name__} has neither decision_function nor predict_proba, so "
                "its rows cannot be ranked."
            )
        return scores[:, list(self.classes).index(positive)]

    def numbers(self) -> tuple[Floats, Floats]:
        """Targets and predictions of a regression."""
        return np.asarray(self.truth, dtype=np.float64), np.asarray(self.predicted, np.float64)


def _equal(values: NDArray[Any], label: Any) -> Flags:
    return np.asarray(values.astype(object) == label, dtype=bool)


@dataclass(frozen=True)
class CertifiedMetric(ABC):
    """One metric with an exact or at least valid limit; options are dataclass fields.

    ``state`` may look at all of `Unseen`: nothing in it was used to make the model.
    """

    name: ClassVar[str] = ""
    title: ClassVar[str] = ""  # the theorem
    reference: ClassVar[str] = ""
    quantity: ClassVar[str] = ""
    side: ClassVar[str] = "lower"
    tasks: ClassVar[tuple[str, ...]] = ("classification",)
    limits: ClassVar[tuple[float, float]] = (0.0, 1.0)
    assumptions: ClassVar[tuple[str, ...]] = ()
    phrase: ClassVar[str] = ""
    reads: ClassVar[str] = "answers"  # what a certificate keeps: also "scores", "certainty", ...

    @abstractmethod
    def state(self, rows: Unseen, delta: float) -> Statement:
        """The limit at failure probability ``delta``."""

    @classmethod
    def read(cls, option: str, text: str) -> Any:
        """An option as it is typed."""
        try:
            return float(text)
        except ValueError:
            return text

    @property
    def range(self) -> tuple[float, float]:
        """Smallest and largest value."""
        return self.limits

    @property
    def words(self) -> str:
        """The statement in words of its own, if it has any."""
        return self.phrase
