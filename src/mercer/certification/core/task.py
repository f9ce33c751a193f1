"""One certified fit in the making: what every mode receives and what it returns."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.bounds import Certificate, Choice, Evidence
from mercer.certification.core.loss import Loss
from mercer.certification.core.order import Order
from mercer.certification.core.rows import Rows
from mercer.learners.describe import classes_of, name_of, outer_choices, own_evidence

Index = NDArray[np.intp]


class Refused(ValueError):
    """A mode does not fit the data or the estimator; the message says why and what to do."""


@dataclass
class Task:
    """Everything a mode may look at."""

    estimator: Any
    rows: Rows
    order: Order
    judge: Loss
    delta: float
    options: Mapping[str, Any]
    seconds: dict[str, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    found: list[Any] = field(default_factory=list)  # findings of the mode's own checks
    uncovered: tuple[Choice, ...] = ()  # what was fitted around the estimator
    by: NDArray[Any] | None = None  # kinds of rows that coverage may be asked for

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.rows.n

    def first(self, stop: int, start: int = 0) -> Index:
        """Rows at the positions ``start`` to ``stop`` of the order of spending."""
        return self.order.rows[start:stop]

    def fit(self, index: Index, what: str = "training") -> Any:
        """A new model trained on some rows, timed."""
        with self.timed(what):
            return self.rows.fit(self.estimator, index)

    def fit_trial(self, index: Index, what: str) -> Any:
        """A model that is not kept: of an estimator that has one, its quicker kind."""
        quicker = getattr(self.estimator, "for_trials", None)
        with self.timed(what):
            return self.rows.fit(self.estimator if quicker is None else quicker(), index)

    def predict(self, model: Any, index: Index, trained: Index) -> NDArray[Any]:
        """Predictions for some rows, timed."""
        with self.timed("counting"):
            return self.rows.predict(model, index, trained)

    def scores(self, model: object, index: Index, trained: Index) -> NDArray[np.float64]:
        """Losses of some rows on a scale from 0 to 1."""
        predicted = self.predict(model, index, trained)
        return self.judge.for_model(model).scores(self.rows.labels(index), predicted)

    @contextmanager
    def timed(self, what: str) -> Iterator[None]:
        """Add the time spent inside to ``seconds[what]``."""
        start = time.perf_counter()
        yield
        self.seconds[what] = self.seconds.get(what, 0.0) + time.perf_counter() - start

    def evidence(
        self, model: object, trained: int, *, own: bool = True, **records: Any
    ) -> Evidence:
        """The records of this mode, beside what the model publishes about itself (if ``own``)."""
        # bounds on the training rows need independent ones, which groups and times are not
        published = own_evidence(model) if own and self.order.kind == "random" else None
        facts = {"task": self.judge.task, "loss_range": self.judge.limits, **records}
        if published is not None:
            if not self.judge.limits_of(published.loss):
                facts["C"] = None  # the range is not that of the training loss: no stability bound
            return replace(published, choices=(*published.choices, *self.uncovered), **facts)
        classes = classes_of(model) if self.judge.task == "classification" else None
        return Evidence(
            trained,
            learner=name_of(model),
            n_classes=2 if classes is None else max(2, len(classes)),
            choices=(*outer_choices(model), *self.uncovered),
            **facts,
        )

    def only(self, *kinds: str, mode: str) -> None:
        """Refuse orders under which the mode's theorem does not hold."""
        if self.order.kind in kinds:
            return
        what = {
            "groups": "rows of one group are not independent (groups= was given)",
            "time": "the rows have an order in time (order= was given)",
            "random": "",
        }
        raise Refused(
            f"mode={mode!r} does not apply: {what[self.order.kind]}. Use mode='holdout' or 'auto', "
            "which keep groups whole and train on the past."
        )


@dataclass(frozen=True)
class Result:
    """What a mode returns. ``everything`` overrides the table of all applicable certificates."""

    model: Any
    certificate: Certificate
    evidence: Evidence
    train: Index
    counted: Index
    split: Mapping[str, Any] = field(default_factory=dict)
    everything: tuple[dict[str, Certificate], dict[str, str]] | None = None
    other_model: Any = None
    calibration: Any = None  # scores of the held-out rows, from which sets and intervals are made
