"""Regression on very many rows: exact machines in cells."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from mercer.learners._learner import Weighted
from mercer.learners._mixins import Regresses
from mercer.learners.large._in_cells import InCells
from mercer.learners.margin.svm.svr import SVR

Floats = NDArray[np.float64]


class CellRegressor(Weighted, Regresses, InCells):
    """An exact regression in each cell of rows that are near each other.

    As :class:`CellClassifier`. The learner inside says what is estimated: means by
    :class:`mercer.KernelRidge`, medians by :class:`mercer.SVR` with ``epsilon=0``, quantiles by
    ``RegularizedRiskRegressor(loss=Quantile(0.9))``. The function may jump where cells meet.

    Parameters
    ----------
    estimator : estimator, default=None
        Any regression of rows with coordinates; None for :class:`mercer.SVR`.
    cell_size, n_cuts, random_state, certify, delta
        As in :class:`CellClassifier`.

    Attributes
    ----------
    cells_, n_cells_, estimators_
        As in :class:`CellClassifier`.
    evidence_, certificate_, certificates_, not_applicable_
        As in :class:`mercer.SVC`.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import KernelRidge
    >>> from mercer.learners import CellRegressor
    >>> X = np.random.default_rng(0).uniform(0, 20, size=(2000, 1))
    >>> y = np.sin(X[:, 0])
    >>> learner = KernelRidge(alpha=0.01, kernel="rbf", gamma=1.0)
    >>> bool(CellRegressor(learner, cell_size=300, random_state=0).fit(X, y).score(X, y) > 0.99)
    True
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        cell_size: int = 4000,
        n_cuts: int = 1,
        random_state: Any = None,
        certify: Any = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.estimator = estimator
        self.cell_size = cell_size
        self.n_cuts = n_cuts
        self.random_state = random_state
        self.certify = certify
        self.delta = delta

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        from mercer.learners.regression.kernel_ridge import KernelRidge

        ridge = KernelRidge(kernel="rbf", gamma=0.5)
        return [cls(ridge), cls(SVR(gamma=0.5), cell_size=12, random_state=0)]

    def _learner(self) -> Any:
        return SVR() if self.estimator is None else self.estimator

    def _targets(self) -> Any:
        from sklearn.utils import get_tags

        return "numbers" if get_tags(self._learner()).target_tags.multi_output else "number"

    def _outputs(self, X: Any) -> Floats:
        values: Floats | None = None
        answers = np.zeros(X.shape[0])
        for _, model, rows, part in self._cells_of(X):
            if model is None:  # nothing was ever seen here
                continue
            found = np.asarray(model.predict(part), dtype=np.float64)
            if values is None:
                values = np.zeros((X.shape[0], *found.shape[1:]))
            values[rows] += found
            answers[rows] += 1.0
        if values is None:
            return answers
        return (values.T / np.maximum(1.0, answers)).T
