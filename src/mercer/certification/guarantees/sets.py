"""Sets and intervals around single predictions, from the rows that were held out.

Every held-out row says how far an answer has to be stretched to reach the truth. Stretched to the
k-th smallest of m such numbers, the sets hold the truth of a new row with a chance that is at least
a Beta(k, m − k + 1) number. ``"pac"`` takes the k that makes this at least ``coverage`` but for
probability δ; ``"all"`` one that is right for every coverage at once; ``"marginal"`` is plain split
conformal, right on average over held-out rows and below the coverage for about half of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._storable import record
from mercer._types import Predictor, Samples
from mercer.bounds import Certificate
from mercer.bounds.numerics.order_statistics import (
    band_rank,
    marginal_rank,
    quantile_rank,
    rows_for_share,
)
from mercer.certification.core import arguments
from mercer.certification.core.confidence import class_scores
from mercer.certification.core.order import ONE_OF_EACH
from mercer.certification.core.task import Refused
from mercer.certification.guarantees.spread import Constant
from mercer.certification.guarantees.statement import ASSUMED, Statement, certificate

Floats = NDArray[np.float64]
Index = NDArray[np.intp]
KINDS = {
    "pac": ("order statistic of held-out scores", "Wilks 1941; Vovk 2012"),
    "all": ("uniform band around the law of held-out scores", "Massart 1990"),
    "marginal": ("split conformal prediction", "Papadopoulos et al. 2002; Vovk et al. 2005"),
}
EVERYWHERE = "all rows"


@record("held-out-scores")  # learners have calibrations of their own
@dataclass(frozen=True, eq=False)
class Calibration:
    """Scores of held-out rows: how far their sets must be stretched to hold the truth.

    ``label`` is the place of a row's class among ``classes`` (−1: a class the model does not know),
    ``by`` the kind of row that coverage may be asked for, ``spread`` the shape of intervals.
    """

    task: str
    scores: Floats
    delta: float = 0.05
    learner: str = "the model"
    label: Index | None = None
    classes: tuple[Any, ...] = ()
    by: NDArray[Any] | None = None
    spread: Any = None
    unit: str = "row"
    assumed: tuple[str, ...] = ()
    outputs: Floats | None = None  # of the same rows, what a monitor compares new ones with

    def intervals(self, model: Any, X: Any, asked: Asked) -> Floats:
        """Lower and upper ends for new rows."""
        if self.task != "regression":
            raise Refused("intervals are for regressions; a classifier has predict_set.")
        low, high, unit = (self.spread or Constant()).shape(model, X)
        limit = _per_row(self.thresholds(asked), asked, len(low), self.by)  # X may be any table
        ends = np.column_stack([low - limit * unit, high + limit * unit])
        lost = np.isnan(ends).any(axis=1)  # the model has no number there: nothing is excluded
        ends[lost] = -np.inf, np.inf
        return ends

    def sets(self, model: Any, X: Any, asked: Asked) -> NDArray[np.bool_]:
        """Which classes belong to the set of each new row, in the order of ``classes_``."""
        if self.task != "classification":
            raise Refused("sets of classes are for classifiers; a regression has predict_interval.")
        costs, limits = class_costs(model, X), self.thresholds(asked)
        if asked.per == "class":
            return ~(costs > np.array([limits[str(label)] for label in self.classes]))
        return ~(costs > _per_row(limits, asked, len(costs), self.by)[:, None])  # NaN excludes none

    def thresholds(self, asked: Asked) -> dict[str, float]:
        """How far to stretch, for every part of the rows that has its own coverage."""
        parts = self.parts(asked)
        delta = (self.delta if asked.delta is None else asked.delta) / len(parts)
        return {
            name: _threshold(np.sort(self.scores[mine]), asked, delta, name)
            for name, mine in parts.items()
        }

    def parts(self, asked: Asked) -> dict[str, NDArray[np.bool_]]:
        """The rows by class, by kind, or all of them."""
        if asked.per == "class":
            if self.label is None:
                raise Refused("per='class' is for classifiers.")
            return {str(c): self.label == i for i, c in enumerate(self.classes)}
        if asked.by is None:
            return {EVERYWHERE: np.ones(len(self.scores), dtype=bool)}
        if self.by is None:
            raise Refused("by=: the kinds of the held-out rows are not known; pass by= to fit too.")
        return {str(kind): self.by == kind for kind in np.unique(self.by).tolist()}

    def certificate(self, asked: Asked) -> Certificate:
        """What is promised about the sets, with what it rests on."""
        limits, title = self.thresholds(asked), KINDS[asked.kind]
        delta = self.delta if asked.delta is None else asked.delta
        what = "targets lie in the intervals" if self.task == "regression" else (
            "classes lie in the sets")  # fmt: skip
        where = {"class": " of every class", "all": ""}[asked.per]
        where = " of every kind of rows" if asked.by is not None else where
        share = f"{100 * asked.coverage:.4g} %"
        phrase = f"at least {share} of new {what} of {{who}}{where}"
        if asked.kind == "marginal":
            phrase = f"on average over held-out rows, not for these with confidence: {phrase}"
        if asked.kind == "all":
            phrase = f"{phrase}, at every coverage at once"
        extra = (ONE_OF_EACH,) if self.unit == "group" else ()
        found = Statement(
            value=asked.coverage,
            n=len(self.scores),
            counted=f"scores of {len(self.scores)} held-out rows"
            + (f" in {len(limits)} parts" if len(limits) > 1 else ""),
            paid={f"coverage, {name}": 1 / len(limits) for name in limits},
            assumptions=(*extra, *self.assumed),
            details={"thresholds": limits, "kind": asked.kind},
        )
        return certificate(
            found,
            code=f"coverage-{asked.kind}",
            title=title[0],
            reference=title[1],
            quantity="coverage",
            delta=None if asked.kind == "marginal" else delta,
            kind="estimate" if asked.kind == "marginal" else "bound",
            side="lower",
            phrase=phrase,
            learner=self.learner,
            assumed=ASSUMED,
        )


@record("asked-sets")
@dataclass(frozen=True)
class Asked:
    """Which coverage is asked for, and within which parts of the rows."""

    coverage: float = 0.9
    kind: str = "pac"
    delta: float | None = None
    per: str = "all"
    by: Any = None

    def __post_init__(self) -> None:
        arguments.share(self.coverage, "coverage")
        arguments.one_of(self.kind, "kind", KINDS)
        arguments.one_of(self.per, "per", ("all", "class"))
        if self.delta is not None:
            arguments.share(self.delta, "delta")
        if self.per == "class" and self.by is not None:
            raise ValueError("give either per='class' or by=, not both")


def class_costs(model: Any, X: Samples) -> Floats:
    """How strange each class would be for each row; labels alone if the model has no scores."""
    if hasattr(model, "predict_proba"):
        try:
            return -np.asarray(model.predict_proba(X), dtype=np.float64)
        except (AttributeError, NotImplementedError, ValueError):
            pass
    scores = class_scores(model, X)
    if scores is None:
        answers = np.asarray(model.predict(X)).astype(object)
        return np.column_stack([answers != label for label in model.classes_.tolist()]).astype(
            np.float64
        )
    best = np.sort(scores, axis=1)
    others = np.where(scores == best[:, -1:], best[:, -2:-1], best[:, -1:])
    return others - scores


def outputs_of(task: str, model: Predictor, X: Samples) -> Floats:
    """What is watched without labels: how sure a classifier is, or what a regression answers."""
    if task == "regression":
        return np.asarray(model.predict(X), dtype=np.float64).ravel()
    return -class_costs(model, X).min(axis=1)


def calibrate(
    task: str, model: Any, X: Any, truth: NDArray[Any], spread: Any, **facts: Any
) -> Calibration | None:
    """Scores of held-out rows; None for a model that has neither numbers nor classes."""
    if task == "regression":
        low, high, unit = spread.shape(model, X)
        y = np.asarray(truth, dtype=np.float64)
        scores = _no_gaps(np.maximum(low - y, y - high) / unit)
        return Calibration(task, scores, spread=spread, outputs=(low + high) / 2, **facts)
    labels = getattr(model, "classes_", None)
    if task != "classification" or labels is None or len(labels) < 2:
        return None
    places = {label: i for i, label in enumerate(np.asarray(labels).tolist())}
    mine = np.array([places.get(label, -1) for label in truth.tolist()], dtype=np.intp)
    costs = class_costs(model, X)
    scores = _no_gaps(np.where(mine >= 0, costs[np.arange(len(mine)), mine], np.inf))
    sure = -costs.min(axis=1)
    return Calibration(task, scores, label=mine, classes=tuple(places), outputs=sure, **facts)


def _no_gaps(scores: Floats) -> Floats:
    """A model without a number for a row would have to be stretched without end."""
    return np.where(np.isnan(scores), np.inf, scores)


def _threshold(scores: Floats, asked: Asked, delta: float, name: str) -> float:
    m = len(scores)
    if m == 0:
        raise Refused(f"no held-out row of {name!r}: nothing is known about it.")
    rank = {
        "pac": lambda: quantile_rank(m, asked.coverage, delta),
        "all": lambda: band_rank(m, asked.coverage, delta),
        "marginal": lambda: marginal_rank(m, asked.coverage),
    }[asked.kind]()
    if rank is None:
        needed = rows_for_share(asked.coverage, delta)
        raise Refused(
            f"{m} held-out rows ({name}) are too few for a coverage of {100 * asked.coverage:.4g} %"
            f" with {100 * (1 - delta):.4g} % confidence; at least {needed} are needed. Ask for a "
            "smaller coverage, or hold out more rows (mode='holdout', train_fraction=...)."
        )
    return float(scores[rank - 1])


def _per_row(limits: dict[str, float], asked: Asked, n: int, known: Any) -> Floats:
    """The threshold of every new row."""
    if asked.by is None:
        return np.full(n, limits[EVERYWHERE])
    kinds = [str(kind) for kind in arguments.column(asked.by, n, "by").tolist()]
    strange = next((kind for kind in kinds if kind not in limits), None)
    if strange is not None:
        raise Refused(f"by=: no row of kind {strange!r} was held out; known are {list(limits)}.")
    return np.array([limits[kind] for kind in kinds])
