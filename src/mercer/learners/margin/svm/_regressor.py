"""What the learners with a single machine share, and the two regressions among them."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from mercer.learners._data import Sample
from mercer.learners.margin.svm._base import MarginMachine
from mercer.learners.margin.svm.training import Budget

Floats = NDArray[np.float64]


class SingleMachine(MarginMachine):
    """One problem over all rows."""

    def _tasks(self, sample: Sample) -> list[tuple[NDArray[np.intp], Floats, Floats]]:
        return [(np.arange(sample.n), sample.y.astype(np.float64, copy=False), sample.weight)]

    def _publish(self, sample: Sample, gram: Any, budget: Budget) -> None:
        machine = self._machines[0]
        packed = machine.coef[machine.coef != 0][None, :]
        self._publish_support(sample.X, machine.support, packed)
        self._n_support = np.array([packed.shape[1]], dtype=np.int32)
        self.intercept_ = np.array([machine.intercept])
        self.n_iter_ = int(machine.solution.n_iter)


class MarginRegressor(RegressorMixin, SingleMachine):
    """Predictions are the machine's outputs."""

    _kind = "regressor"
    has_tube: ClassVar[bool] = True  # mercer.certification may count targets outside it

    def predict(self, X: Any) -> Floats:
        """Predicted target of each point.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            New points; with ``kernel="precomputed"`` their values against the training rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            The predictions.
        """
        return self._values(X)[:, 0]
