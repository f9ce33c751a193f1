"""Models that rows were spent on: by the learner's own ``certify=`` and by ``certified_fit``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer
from freezing import samples as s
from freezing.case import Case
from mercer.certification import MODES
from mercer.learners import discriminant, margin, metric, multiclass, online

OWN = ("in-sample", "none", "auto", "holdout", "compress", "selective", "progressive")
# Learners that answer with more than their last model: every family that may hold a mixture.
MIXED: list[Any] = [
    mercer.SVR(gamma=0.5),
    margin.Perceptron(),
    margin.KernelPerceptron(gamma=0.5),
    discriminant.RegularisedRiskClassifier(gamma=0.5),
    discriminant.KernelFisher(gamma=0.5),
    discriminant.ParzenClassifier(gamma=0.5),
    discriminant.FiniteClassERM(),
    discriminant.FisherDiscriminant(),
    discriminant.LogisticClassifier(),
    discriminant.ExponentialFamilyClassifier(),
    multiclass.OneVsRest(discriminant.FisherDiscriminant()),
    online.Halving(),
]
ABSTAINING: list[Any] = [
    discriminant.FisherDiscriminant(),
    discriminant.RegularisedRiskClassifier(gamma=0.5),
    discriminant.ParzenClassifier(gamma=0.5),
    discriminant.LogisticClassifier(),
    discriminant.ExponentialFamilyClassifier(),
    metric.LipschitzClassifier(),
]


def own_modes() -> Iterator[Case]:
    """``certify=`` of the learners."""
    for mode in (*OWN, ["holdout", "compress"]):
        name = mode if isinstance(mode, str) else "+".join(mode)
        yield _case(f"certify/SVC-{name}", mercer.SVC(gamma=0.5, certify=mode), s.y)
    for mode, learners in (("progressive", MIXED), ("selective", ABSTAINING)):
        for learner in learners:
            name = f"certify/{type(learner).__name__}-{mode}"
            machine = clone(learner).set_params(certify=mode)
            yield _case(name, machine, s.target if _numbers(learner) else s.y)


def _numbers(learner: Any) -> bool:
    return learner.__sklearn_tags__().estimator_type == "regressor"


def _case(name: str, machine: Any, labels: Any) -> Case:
    return Case(name, lambda: machine.fit(s.X, labels), s.near)


def around_pipelines() -> Iterator[Case]:
    """Every mode of ``certified_fit``, around a scaler and a machine."""
    scaled = make_pipeline(StandardScaler(), mercer.SVC(gamma=0.5))
    options = {"random_state": 0, "blocks": 4, "members": 4, "pool": s.Q}
    for mode in MODES:
        yield Case(
            f"certified_fit/{mode}",
            lambda mode=mode: mercer.certified_fit(scaled, s.X, s.y, mode=mode, **options),
            s.near,
        )
    yield Case(
        "certified_fit/regression-progressive",
        lambda: mercer.certified_fit(
            make_pipeline(StandardScaler(), mercer.SVR(gamma=0.5)),
            s.X, s.target, mode="progressive", random_state=0, blocks=4,
        ),
        s.near,
    )  # fmt: skip
    yield Case(
        "certified_fit/groups-with-checks",
        lambda: mercer.certified_fit(
            scaled, s.X, s.y, mode="holdout", random_state=0, groups=[i // 2 for i in range(30)],
            checks=True, compare=True,
        ),
        s.near,
    )  # fmt: skip
