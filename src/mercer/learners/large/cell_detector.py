"""Outliers among very many rows: exact one-class machines in cells, one level for all."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import OutlierMixin

from mercer._types import Samples
from mercer.learners._door import TrainingSample
from mercer.learners._parameters import RULES, Rule
from mercer.learners._passes import Block, Streamed
from mercer.learners._unlabelled import UnlabelledWeighted
from mercer.learners.large._in_cells import CellsFitted, InCells
from mercer.learners.large._quantile import counted_quantile
from mercer.learners.margin.svm.one_class import OneClassSVM

Floats = NDArray[np.float64]


class CellDetector(UnlabelledWeighted, OutlierMixin, InCells):
    """A one-class machine in each cell; which outputs are outliers is decided over all cells.

    Each cell's outputs are measured from its own boundary in units of the height of that boundary,
    and the level is the quantile of those of all training rows that leaves the share ``nu``
    outside, by an exact count. Machines on their own would leave out that share in every cell.

    Parameters
    ----------
    estimator : estimator, default=None
        Any detector with ``decision_function``; None for :class:`mercer.OneClassSVM`.
    nu : float, default=0.5
        Share of the training rows that are outside.
    cell_size, random_state, certify, delta
        As in :class:`CellClassifier`.

    Attributes
    ----------
    offset_ : float
        The level.
    cells_, n_cells_, estimators_
        As in :class:`CellClassifier`.
    evidence_, certificate_, certificates_, not_applicable_
        As in :class:`mercer.SVC`.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.learners import CellDetector
    >>> X = np.random.default_rng(0).normal(size=(2000, 2))
    >>> model = CellDetector(nu=0.05, cell_size=400, random_state=0).fit(X)
    >>> model.predict([[0.0, 0.0], [9.0, 9.0]])
    array([ 1, -1])
    """

    _rules: ClassVar[dict[str, Rule]] = InCells._rules | {"nu": RULES["nu"]}

    def __init__(
        self,
        estimator: Any = None,
        *,
        nu: float = 0.5,
        cell_size: int = 4000,
        random_state: Any = None,
        certify: Any = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.estimator = estimator
        self.nu = nu
        self.cell_size = cell_size
        self.random_state = random_state
        self.certify = certify
        self.delta = delta

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [cls(), cls(OneClassSVM(nu=0.2), nu=0.2, cell_size=12, random_state=0)]

    def _learner(self) -> Any:
        return OneClassSVM(nu=self.nu) if self.estimator is None else self.estimator

    def _train(self, sample: TrainingSample) -> CellsFitted:
        fitted = super()._train(sample)
        values = _outputs_of(fitted, sample.X)
        order = np.argsort(values, kind="stable")
        outside = np.cumsum(sample.weight[order]) / sample.weight.sum()
        place = int(np.searchsorted(outside, self.nu * (1.0 + 1e-12), side="right"))
        return replace(fitted, threshold=float(values[order[min(place, len(order) - 1)]]))

    def _train_in_files(self, rows: Streamed, folder: str) -> CellsFitted:
        fitted = super()._train_in_files(rows, folder)
        task = partial(_weights_of_values, fitted=fitted)
        return replace(fitted, threshold=counted_quantile(rows, task, self.nu * (1.0 + 1e-12)))

    def _publish(self, fitted: Any) -> None:
        super()._publish(fitted)
        self.offset_ = fitted.threshold

    def _outputs(self, X: Samples) -> Floats:
        return _outputs_of(self.fitted_, X) - self.fitted_.threshold

    def decision_function(self, X: Samples) -> Floats:
        """Output less the level: not negative inside.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New points.

        Returns
        -------
        ndarray of shape (n_samples,)
            ``score_samples(X) - offset_``.
        """
        return self._outputs(self._query(X))

    def score_samples(self, X: Samples) -> Floats:
        """Outputs of the machines of the cells; larger is more typical.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New points.

        Returns
        -------
        ndarray of shape (n_samples,)
            The outputs.
        """
        return self.decision_function(X) + self.offset_

    def predict(self, X: Any) -> NDArray[np.intp]:
        """+1 for points inside the region, -1 for outliers.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New points.

        Returns
        -------
        ndarray of shape (n_samples,)
            +1 or -1.
        """
        return np.where(self.decision_function(X) >= 0, 1, -1).astype(np.intp)


def _weights_of_values(block: Block, fitted: CellsFitted) -> tuple[Floats, Floats]:
    return _outputs_of(fitted, block.X), block.weight


def _outputs_of(fitted: CellsFitted, X: Any) -> Floats:
    values = np.full(X.shape[0], -np.inf)
    for cell, rows in enumerate(fitted.tree.members(X)):
        if len(rows) and (model := fitted.models[cell]) is not None:
            height = float(np.ravel(getattr(model, "offset_", 1.0))[0])
            found = np.asarray(model.decision_function(X[rows]), dtype=np.float64).ravel()
            values[rows] = found / (abs(height) or 1.0)
    return values
