"""What the two support vector regressions share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from mercer.learners._door import Door
from mercer.learners._reasons import ONE_TARGET
from mercer.learners.margin.svm._base import MarginMachine

Floats = NDArray[np.float64]


class MarginRegressor(RegressorMixin, MarginMachine):
    """Predictions are the machine's outputs."""

    _kind = "regressor"
    lacks: ClassVar[Mapping[str, str]] = ONE_TARGET
    _door: ClassVar[Door] = Door(asks="kernel", targets="number")
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
