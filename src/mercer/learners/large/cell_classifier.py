"""Classification of very many rows: exact machines in cells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if

from mercer.learners._door import TrainingSample
from mercer.learners._learner import Weighted
from mercer.learners._mixins import Classifies
from mercer.learners.large._in_cells import InCells
from mercer.learners.margin.svm.svc import SVC

Floats = NDArray[np.float64]


def _has_probabilities(model: Any) -> bool:
    learner = model._learner()
    asked = learner.get_params(deep=False).get("probability", True)
    return bool(asked) and hasattr(learner, "predict_proba")


class CellClassifier(Weighted, Classifies, InCells):
    """An exact classifier in each cell of rows that are near each other.

    The rows are cut by nearest centres until no cell has more than ``cell_size`` of them; a clone
    of the learner is trained in each, and a new row asks the one of its cell. Time and memory grow
    linearly with the rows, and a machine still sees every row near its boundary, which a few
    hundred landmarks do not: better where classes lie in many places, worse where one smooth
    function of many columns tells them apart. Decomposition into cells is that of local support
    vector machines (Thomann, Blaschzyk, Meister and Steinwart 2017).

    Parameters
    ----------
    estimator : estimator, default=None
        Any classifier of rows with coordinates; None for :class:`mercer.SVC`. What its kernel means
        (``gamma="scale"``) is read off all rows, not off each cell.
    cell_size : int, default=4000
        Most rows of a cell.
    n_cuts : int, default=1
        Independent cuts whose outputs are averaged: a row at the border of a cell is inside one of
        another cut. Costs as many times the time.
    random_state : int, generator or None, default=None
        Draws the rows that the centres start from.
    certify : {"in-sample"} or None, default="in-sample"
        Whether the model publishes evidence, see :class:`mercer.SVC`.
    delta : float, default=0.05
        Probability with which a certificate may be wrong.

    Attributes
    ----------
    classes_ : ndarray
        The class labels.
    cells_ : CellTree
        The centres; ``cells_.assign(X)`` are the numbers of cells.
    n_cells_ : int
        How many.
    estimators_ : sequence
        The machine of each cell, None where all rows had one label. Machines with support vectors
        keep what answers need, and nothing of their training.
    evidence_, certificate_, certificates_, not_applicable_
        As in :class:`mercer.SVC`.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import SVC
    >>> from mercer.learners import CellClassifier
    >>> X = np.random.default_rng(0).normal(size=(3000, 2))
    >>> y = X[:, 0] * X[:, 1] > 0
    >>> model = CellClassifier(SVC(C=10), cell_size=500, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.9)
    True
    """

    lacks: ClassVar[Mapping[str, str]] = {"proba": ""}

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
        learner = SVC(probability=True, random_state=0)
        return [cls(learner), cls(SVC(), cell_size=12, random_state=0)]

    def _learner(self) -> Any:
        return SVC() if self.estimator is None else self.estimator

    def _targets(self) -> Any:
        return "labels"

    def _labels_of(self, sample: TrainingSample) -> Any:
        return self._labels(sample)

    def _outputs(self, X: Any) -> Floats:
        """One number per row for two classes, else one per class; ±1 where a cell has one label."""
        many = len(self.fitted_.classes)
        values = np.zeros((X.shape[0], many))
        for cell, model, rows, part in self._cells_of(X):
            if model is None:
                values[rows] -= 1.0
                values[rows, self.fitted_.only[cell]] += 2.0
                continue
            found = np.asarray(_signed(model, part), dtype=np.float64)
            here = np.asarray(model.classes_, dtype=np.intp)
            if found.ndim == 1:
                found = np.column_stack([-found, found])
            less = found.min(axis=1, keepdims=True) - 1.0  # of classes that are not there
            whole = np.repeat(less, many, axis=1)
            whole[:, here] = found
            values[rows] += whole
        values /= self.fitted_.tree.roots
        return values[:, 1] if many == 2 else values

    def predict(self, X: Any) -> NDArray[Any]:
        """Predicted class of each point.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New points.

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels.
        """
        X = self._query(X)
        if self.fitted_.tree.roots > 1:
            values = self._outputs(X)
            several = values.ndim > 1
            return self.classes_[values.argmax(axis=1) if several else (values > 0).astype(np.intp)]
        codes = np.zeros(X.shape[0], dtype=np.intp)
        for cell, model, rows, part in self._cells_of(X):
            codes[rows] = self.fitted_.only[cell] if model is None else model.predict(part)
        return self.classes_[codes]

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> Floats:
        """Probabilities of the learner in the cell; 1 where a cell has one label.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New points.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``.
        """
        X = self._query(X)
        shares = np.zeros((X.shape[0], len(self.classes_)))
        for cell, model, rows, part in self._cells_of(X):
            if model is None:
                shares[rows, self.fitted_.only[cell]] += 1.0
            else:
                here = np.asarray(model.classes_, dtype=np.intp)
                shares[np.ix_(rows, here)] += model.predict_proba(part)
        return shares / self.fitted_.tree.roots


def _signed(model: Any, X: Any) -> Any:
    if hasattr(model, "decision_function"):
        return model.decision_function(X)
    if hasattr(model, "predict_proba"):
        found = np.asarray(model.predict_proba(X))
        return found[:, 1] - found[:, 0] if found.shape[1] == 2 else found
    return 2.0 * (np.asarray(model.predict(X))[:, None] == model.classes_) - 1.0
