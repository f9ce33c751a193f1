"""Which columns a kernel machine can do without: recursive elimination by its weight vector."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, TransformerMixin, clone
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted, check_X_y

from mercer.selection.machines import cases_of

__all__ = ["FeatureElimination"]


class FeatureElimination(SelectorMixin, MetaEstimatorMixin, TransformerMixin, BaseEstimator):
    """Train, drop the column that ‖w‖² misses least, train again (Guyon et al. 2002).

    Without column j, the coefficients as they are, ‖w‖² = β'Kβ becomes β'K₍₋ⱼ₎β; the column with
    the smallest change goes. For a linear kernel the change is w_j², for others the kernel is asked
    about the rows without the column. Several classes: the sum over their machines.

    Parameters
    ----------
    estimator : estimator
        A classifier that is a sum of kernel values, see `mercer.selection.cases_of`.
    n_features_to_select : int, default=1
        Columns to keep.
    step : int, default=1
        Columns to drop between two trainings.

    Attributes
    ----------
    ranking_ : ndarray of shape (n_features,)
        1 for the kept columns, then in reverse order of elimination.
    support_ : ndarray of bool
        The columns kept.
    estimator_ : estimator
        Trained on them.
    n_features_in_ : int
        Number of columns seen.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import SVC
    >>> from mercer.selection.features import FeatureElimination
    >>> X = np.random.default_rng(0).normal(size=(80, 5))
    >>> y = X[:, 1] * X[:, 3] > 0
    >>> FeatureElimination(SVC(C=10.0), n_features_to_select=2).fit(X, y).support_.nonzero()[0]
    array([1, 3])
    """

    def __init__(self, estimator: Any, *, n_features_to_select: int = 1, step: int = 1) -> None:
        self.estimator = estimator
        self.n_features_to_select = n_features_to_select
        self.step = step

    def fit(self, X: Any, y: Any) -> Self:
        """Eliminate columns.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows of numbers.
        y : array-like of shape (n_samples,)
            Classes.

        Returns
        -------
        self : object
            The fitted selector.
        """
        X, y = check_X_y(X, y, dtype=np.float64)
        self.n_features_in_ = d = X.shape[1]
        if not 1 <= self.n_features_to_select <= d or self.step < 1:
            raise ValueError(
                f"n_features_to_select must lie between 1 and {d}, the columns, and step be >= 1; "
                f"got {self.n_features_to_select} and {self.step}"
            )
        left, ranking = np.arange(d), np.ones(d, dtype=int)
        dropped: list[int] = []
        model = clone(self.estimator).fit(X, y)
        while len(left) > self.n_features_to_select:
            count = min(self.step, len(left) - self.n_features_to_select)
            order = np.argsort(loss_of_columns(model, X[:, left], y), kind="stable")
            dropped += left[order[:count]].tolist()
            left = np.sort(left[order[count:]])
            model = clone(self.estimator).fit(X[:, left], y)
        for place, column in enumerate(reversed(dropped)):
            ranking[column] = place + 2
        self.ranking_, self.support_ = ranking, ranking == 1
        self.estimator_ = model
        return self

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        found: NDArray[np.bool_] = self.support_
        return found

    def predict(self, X: Any) -> Any:
        """Classes of new rows, from the kept columns."""
        return self.estimator_.predict(self.transform(X))


def loss_of_columns(model: Any, X: Any, y: Any) -> NDArray[np.float64]:
    """|change of ‖w‖²| without each column, the coefficients left as they are."""
    found = np.zeros(X.shape[1])
    for case in cases_of(model, X, y):
        if case.kernel is None:
            raise ValueError("the columns of a precomputed kernel are not features")
        rows = X if case.n == len(X) else X[_rows_of(model, case)]
        coef = case.coef
        used = np.flatnonzero(coef)
        whole = float(coef @ (case.output - case.intercept))
        for j in range(X.shape[1]):
            part = np.delete(rows[used], j, axis=1)
            without = coef[used] @ case.kernel(part) @ coef[used] if part.shape[1] else 0.0
            found[j] += abs(whole - float(without))
    return found


def _rows_of(model: Any, case: Any) -> NDArray[np.intp]:
    machine = next(m for m in model.fitted_.machines if m.coef is case.coef)
    rows: NDArray[np.intp] = machine.rows
    return rows
