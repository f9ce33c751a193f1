"""Readers of models that were not trained by Mercer, one family per file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mercer.bounds import Evidence
from mercer.certification.outside import linear, neighbors, processes, ridge, support

Reader = Callable[[Any, Any, Any], Evidence]

# By the names of scikit-learn's classes and whatever derives from them; the first match counts.
READERS: dict[str, Reader] = {
    "SVC": support.classifier,
    "NuSVC": support.classifier,
    "SVR": support.regressor,
    "LinearSVC": linear.classifier,
    "LogisticRegression": linear.classifier,
    "LinearClassifierMixin": linear.classifier,
    "KernelRidge": ridge.regressor,
    "GaussianProcessClassifier": processes.classifier,
    "GaussianProcessRegressor": processes.regressor,
    "KNeighborsClassifier": neighbors.classifier,
}


def reader_of(model: object) -> Reader | None:
    """The reader for this kind of model, None if there is none."""
    for cls in type(model).__mro__:
        if cls.__module__.startswith("sklearn.") and cls.__name__ in READERS:
            return READERS[cls.__name__]
    return None
