"""What the two-class learners share: labels −1 and +1 inside, the user's labels outside."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

Floats = NDArray[np.float64]


class TwoClasses(ClassifierMixin):
    """Mixin over ``_values(X)``: ``decision_function`` and ``predict``."""

    classes_: NDArray[Any]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _targets(self, y: NDArray[Any]) -> Floats:
        """Labels as −1 and +1; sets ``classes_``."""
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) > 2:
            raise ValueError(
                f"Only binary classification is supported by {type(self).__name__}. The type of "
                f"the target is multiclass: {len(self.classes_)} classes. Wrap it in "
                "mercer.learners.multiclass.OneVsRest, OneVsOne or DecisionDAG."
            )
        return np.asarray(2.0 * codes - 1.0, dtype=np.float64)

    def _check_targets(self, target: Floats) -> None:
        if len(np.unique(target)) < 2:
            names = self.classes_.tolist()
            only = names[int(target[0] > 0)] if len(names) > 1 else names[0]
            raise ValueError(
                "The number of classes has to be greater than one; got 1 class "
                f"({only!r}) among the rows of positive weight: there is nothing to separate."
            )

    def decision_function(self, X: Any) -> Floats:
        """Output of the machine; positive for ``classes_[1]``.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            New points.

        Returns
        -------
        ndarray of shape (n_samples,)
            The outputs.
        """
        check_is_fitted(self)
        return self._values(X)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predicted class of each point.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            New points.

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels.
        """
        positive = self.decision_function(X) >= 0
        return self.classes_[positive.astype(int)]
