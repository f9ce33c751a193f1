"""``Certified`` models: every mode, and every kind of answer around other learners and rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer
from freezing import samples as s
from freezing.case import Case
from mercer.certification import modes
from mercer.learners import discriminant, metric, multiclass

OPTIONS: dict[str, dict[str, Any]] = {
    "progressive": {"blocks": 4},
    "vote": {"members": 4},
    "selective": {"coverage": 0.7},
}


def every_mode() -> Iterator[Case]:
    """All modes around a scaler and a machine, or around the search that they need."""
    for name, mode in modes.available().items():
        estimator: Any = make_pipeline(StandardScaler(), mercer.SVC(gamma=0.5))
        if "search" in mode.needs:
            estimator = mercer.KernelSearch(mercer.SVC(), param_grid={"C": [1.0, 3.0]}, cv=2)
        pool = s.Q if "pool" in mode.needs else None
        yield _case(name, estimator, s.y, mode=name, pool=pool, **OPTIONS.get(name, {}))
    yield _case("none", mercer.SVC(gamma=0.5), s.y, mode=None)
    yield _case("holdout+compress", mercer.SVC(gamma=0.5), s.y, mode=["holdout", "compress"])


def other_answers() -> Iterator[Case]:
    """Answers of several models about numbers, three classes, groups, and the worst class."""
    rest = multiclass.OneVsRest(discriminant.FisherDiscriminant())
    progressive, vote = {"mode": "progressive", "blocks": 3}, {"mode": "vote", "members": 3}
    yield _case("numbers-progressive", mercer.SVR(gamma=0.5), s.target, **progressive)
    yield _case("numbers-transfer", mercer.SVR(gamma=0.5), s.target, mode="transfer", pool=s.Q)
    yield _case("three-progressive", rest, s.three, **progressive)
    yield _case("three-vote", mercer.SVC(gamma=0.5), s.three, pool=s.Q, **vote)
    yield _case("neighbours-vote", metric.KNNClassifier(3), s.names, **vote)
    yield _case("logistic-selective", discriminant.LogisticClassifier(), s.names,
                mode="selective", coverage=0.7)  # fmt: skip
    yield _case("classes-holdout", mercer.SVC(gamma=0.5), s.y, mode="holdout", error="classes")
    yield _case("groups-with-checks", mercer.SVC(gamma=0.5), s.y, mode="holdout",
                groups=[i // 2 for i in range(s.TRAIN)], checks=True, compare=True)  # fmt: skip
    yield Case("certified/second-look", _twice, s.near)
    matrix = mercer.SVC(kernel="precomputed")
    yield Case("certified/precomputed-vote", _fit(matrix, s.linear_gram(s.X), s.y, vote),
               s.linear_gram(s.near))  # fmt: skip


def _twice() -> Any:
    """Rows that were counted before, which the certificate says."""
    for seed in (0, 1):
        model = mercer.certified_fit(mercer.SVC(), s.X, s.y, mode="holdout", random_state=seed)
    return model


def _case(name: str, estimator: Any, labels: Any, **options: Any) -> Case:
    return Case(f"certified/{name}", _fit(estimator, s.X, labels, options), s.near)


def _fit(estimator: Any, X: Any, y: Any, options: dict[str, Any]) -> Callable[[], Any]:
    return lambda: mercer.certified_fit(estimator, X, y, random_state=0, **options)
