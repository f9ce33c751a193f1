"""Classifiers w·x + b on vectors: data, labels, outputs and evidence."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_is_fitted, validate_data

from mercer.bounds import Evidence
from mercer.learners._certified import Certified
from mercer.learners._data import DTYPES, check_magnitude
from mercer.learners._expansion import row_weights
from mercer.learners._parameters import Rule, check_parameters
from mercer.learners._two_classes import TwoClasses

Floats = NDArray[np.float64]


class LinearClassifier(Certified, TwoClasses, BaseEstimator):
    """Two classes; a learner writes ``_learn(X, y, weight)`` and sets ``coef_``, ``intercept_``."""

    _rules: ClassVar[dict[str, Rule]] = {}
    _told: dict[str, Any]
    coef_: Floats
    intercept_: Floats

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Train on the given data.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training points.
        y : array-like of shape (n_samples,)
            Labels of two classes.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each sample counts. Samples of weight zero are left out.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        check_parameters(self, self._rules)
        self._forget_certificates()
        X, y = validate_data(self, X, y, dtype=DTYPES)
        check_magnitude(X)
        weight = row_weights(sample_weight, X)
        target = self._targets(y)
        used = weight > 0
        self._check_targets(target[used])
        rows = np.asarray(X, dtype=np.float64)[used]
        self._learn(rows, target[used], weight[used])
        output = rows @ self.coef_.ravel() + float(self.intercept_[0])
        self._told = {"output": output, "target": target[used], "dropped": int(np.sum(~used))}
        return self

    def _learn(self, X: Floats, y: Floats, weight: Floats) -> None:
        raise TypeError(f"{type(self).__name__} does not say how it learns")

    def _set_plane(self, w: Floats, b: float) -> None:
        self.coef_ = np.asarray(w, dtype=np.float64).reshape(1, -1)
        self.intercept_ = np.array([float(b)])

    def _values(self, X: Any) -> Floats:
        check_is_fitted(self)
        X = validate_data(self, X, dtype=DTYPES, accept_sparse="csr", reset=False)
        values = safe_sparse_dot(X, self.coef_.T, dense_output=True)
        values = values.toarray() if sparse.issparse(values) else values
        return np.asarray(values, dtype=np.float64)[:, 0] + self.intercept_[0]

    def _publish_evidence(self) -> Evidence:
        told = self._told
        wrong = np.where(told["output"] >= 0, 1.0, -1.0) != told["target"]
        size = self.coef_.size
        return Evidence(
            len(wrong),
            learner=f"this {type(self).__name__}",
            formulation="linear",
            errors=int(np.count_nonzero(wrong)),
            margins=told["output"] * told["target"],
            norm=float(np.linalg.norm(self.coef_)),
            offset=float(self.intercept_[0]),
            dimension=float(size),
            rank=size,
        )
