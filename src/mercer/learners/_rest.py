"""Several classes for a learner of two: one machine per class, that class against all others.

A learner that says ``_against_rest`` trains on labels 0 and 1 and need not know: the template asks
here when there are more classes. The machines, ``estimators_``, are models of its own class.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._types import Estimator, Samples
from mercer.bounds import Evidence
from mercer.learners._door import TrainingSample
from mercer.learners._fitted import Fitted, rows_of

Floats = NDArray[np.float64]

_SEEN = ("n_features_in_", "feature_names_in_")
_STACKED = ("coef_", "intercept_")


@dataclass(frozen=True, kw_only=True)
class RestFitted(Fitted):
    """A model for each class, and how often the largest output is wrong on rows that count."""

    models: list[Any]
    counted: int
    errors: int


def against_rest(learner: object, sample: TrainingSample, classes: NDArray[Any]) -> RestFitted:
    """Train the learner once for each class; all machines see all rows."""
    codes = np.searchsorted(classes, sample.y)
    models = [
        _model(learner, worker, replace(sample, y=(codes == k).astype(np.intp)))
        for k, worker in enumerate(_starts(learner, len(classes)))
    ]
    counts = sample.weight > 0
    wrong = outputs(models, sample.X).argmax(axis=1) != codes
    return RestFitted(
        **rows_of(sample),
        classes=classes,
        models=models,
        counted=int(counts.sum()),
        errors=int(np.count_nonzero(wrong & counts)),
    )


def _starts(learner: Any, count: int) -> list[Any]:
    """Who trains each machine: with ``warm_start`` somebody who knows the machine of before."""
    before = learner.__dict__.get("fitted_")
    known = isinstance(before, RestFitted) and len(before.models) == count
    if not (getattr(learner, "warm_start", False) and known):
        return [learner] * count
    return [_bare(learner, model.__dict__) for model in before.models]


def _bare(learner: Estimator, known: dict[str, Any]) -> Any:
    """The learner with its arguments as they are now, and what else is known."""
    bare = object.__new__(type(learner))
    bare.__dict__.update(known | learner.get_params(deep=False))
    return bare


def _model(learner: Any, worker: Any, sample: TrainingSample) -> Any:
    model = _bare(learner, {name: v for name, v in vars(learner).items() if name in _SEEN})
    model._settle(worker._train(sample))
    if "_issued" in vars(model):  # what stands around the fit is noted once, by the whole
        model._issued["noted"] = ()
    return model


def outputs(models: list[Any], X: Samples) -> Floats:
    """Outputs at checked rows, one column per class."""
    return np.column_stack([model._outputs(X) for model in models])


def publish(learner: Any, fitted: RestFitted) -> None:
    """Attributes of the whole: the classes, the machines, and what of theirs can be stacked."""
    learner.classes_, learner.estimators_ = fitted.classes, fitted.models
    for name in _STACKED:
        if all(name in vars(model) for model in fitted.models):
            stacked = [np.atleast_1d(getattr(model, name)) for model in fitted.models]
            setattr(learner, name, np.concatenate(stacked))
    if all(hasattr(model, "n_iter_") for model in fitted.models):
        learner.n_iter_ = max(int(np.max(model.n_iter_)) for model in fitted.models)


def evidence(learner: object, fitted: RestFitted) -> Evidence:
    """The machines, all over all rows: an error of the whole needs one of them to err."""
    machines = tuple(model._publish_evidence() for model in fitted.models)
    chosen = [choice for machine in machines for choice in machine.choices]
    return Evidence(
        n=fitted.counted,
        learner=f"this {type(learner).__name__}",
        formulation="ovr",
        n_classes=len(fitted.models),
        errors=fitted.errors,
        machines=machines,
        choices=tuple(dict.fromkeys([*fitted.choices(), *chosen])),
    )
