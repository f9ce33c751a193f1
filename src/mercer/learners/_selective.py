"""After ``certify="selective"``: which rows the certificate speaks about."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if


def _abstains(estimator: Any) -> bool:
    if getattr(estimator, "_abstention", None) is None:
        raise AttributeError("accepts is available after fit with certify='selective'")
    return True


class Selective:
    """Mixin for classifiers with a ``decision_function``."""

    _abstention: Any

    @available_if(_abstains)
    def accepts(self, X: Any) -> NDArray[np.bool_]:
        """Rows the classifier is sure enough about; after ``certify="selective"`` only.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            New points.

        Returns
        -------
        ndarray of bool of shape (n_samples,)
            The certificate speaks about the rows marked True.
        """
        return self._abstention.accepts(self, X)
