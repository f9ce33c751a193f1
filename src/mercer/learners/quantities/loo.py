"""Exact leave-one-out errors: by a closed form where there is one, by few refits or by all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone, is_classifier
from sklearn.utils import get_tags
from sklearn.utils.validation import _num_samples

from mercer._types import Estimator, Samples
from mercer.learners._brief import Brief
from mercer.learners.margin.svm.svc import SVC


@dataclass(frozen=True, repr=False)
class LeaveOneOut(Brief):
    """What each row is predicted to be by the model of all the others.

    Attributes
    ----------
    predictions : ndarray
        One per row.
    losses : ndarray
        1 for a wrong class, or the squared residual.
    n_refits : int
        Models trained to find out.
    route : str
        "closed form", "support vectors only" or "refits".
    """

    predictions: NDArray[Any]
    losses: NDArray[np.float64]
    n_refits: int
    route: str

    @property
    def error(self) -> float:
        """Mean loss."""
        return float(np.mean(self.losses))


def exact_leave_one_out(estimator: Estimator, X: Samples, y: ArrayLike) -> LeaveOneOut:
    """The leave-one-out error itself, with as little training as possible.

    Learners that know their left-out predictions (nearest neighbours, kernel ridge) are fitted
    once. A support vector machine does not change when a row beyond its margin leaves, so only the
    rows on or inside the margin are left out for real; this needs a kernel with fixed parameters
    and prices that do not depend on the sample. Every other learner is refitted for each row.

    Parameters
    ----------
    estimator : estimator
        Any scikit-learn classifier or regressor; it is cloned, not changed.
    X, y : array-like
        Training rows and targets.

    Returns
    -------
    LeaveOneOut
        Predictions, losses and how they were found.
    """
    target = np.asarray(y)
    model = clone(estimator)
    if hasattr(model, "certify"):
        model.set_params(certify=None)
    if hasattr(model, "left_out_predictions"):
        found = model.fit(X, y).left_out_predictions()
        return _result(estimator, target, found, 1, "closed form")
    if hasattr(type(model), "loo_predictions_"):
        found = np.asarray(model.fit(X, y).loo_predictions_)
        return _result(estimator, target, found, 1, "closed form")
    numbers = not is_classifier(model)  # whole targets have predictions between them
    rows, start = np.arange(len(target)), target.astype(np.float64 if numbers else target.dtype)
    route = "refits"
    if isinstance(model, SVC) and _row_by_row(model):
        model.fit(X, y)
        evidence = model.evidence_
        margins, alphas = evidence.margins, evidence.alphas
        if evidence.compression is not None and margins is not None and alphas is not None:
            accuracy = 2.0 * max(model.tol, evidence.gap or 0.0)
            rows = np.flatnonzero((margins <= 1.0 + accuracy) | (alphas > 0))
            start = np.asarray(model.predict(X))
            route = "support vectors only"
    for row in rows:
        start[row] = _without(model, X, target, int(row))
    return _result(estimator, target, start, len(rows) + (route != "refits"), route)


def _row_by_row(model: SVC) -> bool:
    """Whether the problem without a row is the same problem with that row's terms missing."""
    fixed = model.kernel == "linear" or not isinstance(model.kernel, str)
    fixed = fixed or not isinstance(model.gamma, str) or model.gamma == "auto"
    if model.kernel == "precomputed":
        fixed = True
    fixed &= not getattr(model.kernel, "data_dependent", False)
    return fixed and not isinstance(model.class_weight, str)


def _without(model: Any, X: Any, y: NDArray[Any], row: int) -> Any:
    rest = np.delete(np.arange(len(y)), row)
    left = y[rest]
    if is_classifier(model) and len(np.unique(left)) < 2:
        return left[0]
    if get_tags(model).input_tags.pairwise:
        K = np.asarray(X)
        return clone(model).fit(K[np.ix_(rest, rest)], left).predict(K[[row]][:, rest])[0]
    if hasattr(X, "shape"):
        table = X.tocsr() if hasattr(X, "tocsr") else np.asarray(X)
        return clone(model).fit(table[rest], left).predict(table[[row]])[0]
    others = [X[int(i)] for i in rest]
    return clone(model).fit(others, left).predict([X[row]])[0]


def _result(
    estimator: object, y: NDArray[Any], found: NDArray[Any], refits: int, route: str
) -> LeaveOneOut:
    if len(found) != _num_samples(y):
        raise ValueError("the learner left out a different number of rows than were given.")
    if is_classifier(estimator):
        losses = (found != y).astype(np.float64)
    else:
        losses = np.asarray((found - y) ** 2, dtype=np.float64)
    return LeaveOneOut(found, losses, refits, route)
