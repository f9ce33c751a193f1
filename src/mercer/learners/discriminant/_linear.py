"""Classifiers w·x + b on vectors: training, outputs and evidence."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mercer.bounds import Evidence
from mercer.learners._door import Door, TrainingSample
from mercer.learners._fitted import Fitted, rows_of
from mercer.learners._learner import Learner, Weighted
from mercer.learners._mixins import Classifies
from mercer.learners._publishes import Publishes
from mercer.learners._reasons import COORDINATES

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Plane:
    """w, b, and what else a learner found out."""

    w: Floats
    b: float
    attributes: dict[str, Any] = field(default_factory=dict)
    formulation: str = "linear"


@dataclass(frozen=True, kw_only=True)
class PlaneFitted(Fitted):
    """A plane, and its outputs at the training rows."""

    coef: Floats
    intercept: Floats
    output: Floats
    target: Floats
    formulation: str
    attributes: dict[str, Any]


class LinearClassifier(Weighted, Publishes, Classifies, Learner):
    """Two classes; a learner writes ``_learn(X, y, weight)``, which returns a `Plane`."""

    _two_only = True
    _door: ClassVar[Door] = Door(targets="labels", narrow=sys.maxsize, weights="drop")
    lacks: ClassVar[Mapping[str, str]] = COORDINATES
    _state_version: ClassVar[int] = 2
    fitted_: PlaneFitted
    coef_: Floats
    intercept_: Floats

    def _train(self, sample: TrainingSample) -> PlaneFitted:
        labels = self._labels(sample)
        rows, target = np.asarray(sample.X, dtype=np.float64), labels.signs
        plane = self._learn(rows, target, sample.weight)
        w = np.asarray(plane.w, dtype=np.float64)
        return PlaneFitted(
            **rows_of(sample),
            classes=labels.classes,
            coef=w.reshape(1, -1),
            intercept=np.array([float(plane.b)]),
            output=rows @ w + float(plane.b),
            target=target,
            formulation=plane.formulation,
            attributes=plane.attributes,
        )

    def _learn(self, X: Floats, y: Floats, weight: Floats) -> Plane:
        raise TypeError(f"{type(self).__name__} does not say how it learns")

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        assert isinstance(fitted, PlaneFitted)
        self.coef_, self.intercept_ = fitted.coef, fitted.intercept
        for name, value in fitted.attributes.items():
            setattr(self, name, value)

    def _outputs(self, X: Floats) -> Floats:
        values = np.asarray(X @ self.fitted_.coef.T, dtype=np.float64)
        return values[:, 0] + self.fitted_.intercept[0]

    def _publish_evidence(self) -> Evidence:
        fitted = self.fitted_
        wrong = np.where(fitted.output >= 0, 1.0, -1.0) != fitted.target
        size = fitted.coef.size
        return Evidence(
            fitted.n,
            learner=f"this {type(self).__name__}",
            formulation=fitted.formulation,
            errors=int(np.count_nonzero(wrong)),
            margins=fitted.output * fitted.target,
            norm=float(np.linalg.norm(fitted.coef)),
            offset=float(fitted.intercept[0]),
            dimension=float(size),
            rank=size,
            choices=fitted.choices(),
        )
