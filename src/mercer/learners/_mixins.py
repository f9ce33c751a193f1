"""What answers of a kind have in common: numbers, and labels of two or more classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from mercer._types import Samples
from mercer.learners import _rest
from mercer.learners._door import TrainingSample
from mercer.learners._fitted import Fitted

Floats = NDArray[np.float64]


class Regresses(RegressorMixin):
    """``predict`` from ``_outputs``."""

    def predict(self, X: Any) -> Floats:
        """Predicted targets of each point.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New points; of a precomputed kernel their values against the training rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
            The predictions.
        """
        return self._outputs(self._query(X))


@dataclass(frozen=True)
class Labels:
    """Classes in order, and for each row the place of its class."""

    classes: NDArray[Any]
    codes: NDArray[np.intp]

    @property
    def signs(self) -> Floats:
        """−1 for the first of two classes, +1 for the second."""
        return np.asarray(2.0 * self.codes - 1.0, dtype=np.float64)


class Labelled(ClassifierMixin):
    """Labels in; a learner that is no function with a sign writes ``predict`` itself.

    One that knows only two classes says ``_two_only``. More are refused, or, if it says
    ``_against_rest`` too, each is learned against the rest.
    """

    _two_only: ClassVar[bool] = False
    _against_rest: ClassVar[bool] = False
    _fewest_classes: ClassVar[int] = 2
    classes_: NDArray[Any]
    fitted_: Any

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self._against_rest or not self._two_only
        return tags

    def _trained(self, sample: TrainingSample) -> Fitted:
        if self._against_rest:
            check_classification_targets(sample.y)
            classes = np.unique(sample.y)
            if len(classes) > 2:
                return _rest.against_rest(self, sample, classes)
        return self._train(sample)

    def _labels(self, sample: TrainingSample) -> Labels:
        """The classes among the rows; each of them needs rows of positive weight."""
        check_classification_targets(sample.y)
        classes, codes = np.unique(sample.y, return_inverse=True)
        if self._two_only and len(classes) > 2:
            raise ValueError(
                f"Only binary classification is supported by {type(self).__name__}. The type of "
                f"the target is multiclass: {len(classes)} classes. Wrap it in "
                "mercer.learners.multiclass.OneVsRest, OneVsOne or DecisionDAG."
            )
        there = np.flatnonzero(np.bincount(codes[sample.weight > 0], minlength=len(classes)))
        if len(there) < self._fewest_classes:
            raise ValueError(
                "The number of classes has to be greater than one; got 1 class "
                f"({classes[there].tolist()[0]!r}) among the rows of positive weight: there is "
                "nothing to separate."
            )
        return Labels(classes, codes)

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        assert fitted.classes is not None
        self.classes_ = fitted.classes


class Classifies(Labelled):
    """Labels in, labels out; ``decision_function`` and ``predict`` from ``_outputs``.

    ``_outputs`` gives one number per row for two classes, positive for the second, or one per row
    and class, the largest wins.
    """

    def decision_function(self, X: Samples) -> Floats:
        """Output of the machine; positive for ``classes_[1]``, or one column per class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New points; of a precomputed kernel their values against the training rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            The outputs.
        """
        return self._decision(X)

    def _decision(self, X: Samples) -> Floats:
        """Outputs of one machine, or of one for each class."""
        check_is_fitted(self)
        fitted = self.fitted_
        if isinstance(fitted, _rest.RestFitted):
            return _rest.outputs(fitted.models, fitted.models[0]._query(X))
        return self._outputs(self._query(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """Predicted class of each point.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New points; of a precomputed kernel their values against the training rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels.
        """
        values = self._decision(X)
        places = values >= 0 if values.ndim == 1 else values.argmax(axis=1)
        return self.classes_[np.asarray(places, dtype=np.intp)]
