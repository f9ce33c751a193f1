"""One search in the making: the data, the estimator and what it is judged by."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.pipeline import Pipeline
from sklearn.utils.multiclass import type_of_target

from mercer.selection._folds import Fold

MANY_CLASSES = 30


@dataclass
class SearchTask:
    """Everything a route may look at."""

    estimator: Any  # as the user gave it, or the default
    X: Any
    y: NDArray[Any]
    weight: NDArray[np.float64] | None
    folds: list[Fold]
    criterion: Any
    scoring: Any
    random_state: Any = None
    n_threads: int | None = None
    memory_limit: Any = None
    delta: float = 0.05
    fit_params: dict[str, Any] = field(default_factory=dict)

    @property
    def final(self) -> Any:
        """The estimator itself, or the last step of a Pipeline."""
        return last_step(self.estimator)

    @property
    def prefix(self) -> str:
        """What parameters of the final step are called from outside."""
        return f"{self.estimator.steps[-1][0]}__" if isinstance(self.estimator, Pipeline) else ""

    @property
    def classifier(self) -> bool:
        """Whether labels are classes."""
        return is_classifier(self.estimator)


def last_step(estimator: object) -> Any:
    """The estimator itself, or the last step of a Pipeline."""
    return estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator


def default_estimator(y: ArrayLike) -> Any:
    """``SVC`` for classes, ``SVR`` for numbers."""
    from mercer.learners.margin import SVC, SVR

    kind = type_of_target(y, input_name="y")
    if kind == "continuous":
        return SVR(certify=None)
    if kind in ("binary", "multiclass"):
        values = np.unique(y)
        if len(values) > MANY_CLASSES and np.asarray(y).dtype.kind in "iuf":
            raise ValueError(
                f"y has {len(values)} different whole numbers: that may be a count to predict or "
                f"{len(values)} classes. Pass KernelSearch(SVR()) or KernelSearch(SVC())."
            )
        return SVC(certify=None)
    raise ValueError(
        f"y looks like {kind!r}; KernelSearch needs one label or one number per row. Search each "
        "output by itself."
    )


def check_estimator_kind(estimator: object) -> None:
    """Refuse what cannot be judged by its predictions."""
    if not hasattr(estimator, "fit") or isinstance(estimator, type):
        raise TypeError(
            f"estimator must be an object with fit, got {estimator!r}"
            + ("; write it with brackets" if isinstance(estimator, type) else "")
        )
    if not (is_classifier(estimator) or is_regressor(estimator)):
        raise TypeError(
            f"KernelSearch chooses classifiers and regressors by their predictions; "
            f"{type(estimator).__name__} is neither."
        )


def preprocessed(estimator: Any, X: Any, y: Any = None) -> Any:
    """The rows after the steps before the last one, fitted without labels; None if that fails.

    Steps that need labels would carry those of the test rows into the training, so they are
    trained inside every fold instead.
    """
    try:
        return clone(estimator[:-1]).fit_transform(X, y)
    except Exception:  # whatever is wrong shows when the pipeline itself is trained
        return None
