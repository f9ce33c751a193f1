"""Classifiers whose scores are linear in features of a row, for two classes and for many."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax

from mercer._types import Samples
from mercer.learners._door import Door
from mercer.learners._fitted import Fitted
from mercer.learners._learner import Learner, Weighted
from mercer.learners._mixins import Classifies
from mercer.learners._publishes import Publishes
from mercer.learners._reasons import COORDINATES
from mercer.solvers.softmax import softmax

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class ScoresFitted(Fitted):
    """Weights, and the scores of the rows of positive weight: one column for two classes."""

    coef: Floats
    intercept: Floats
    codes: NDArray[np.intp]
    scores: Floats
    attributes: dict[str, Any]

    @property
    def two(self) -> bool:
        """Whether there are two classes."""
        return self.coef.shape[0] == 1

    def errors(self) -> int:
        """Training errors, rows of weight zero left out."""
        guess = self.scores[:, 0] >= 0 if self.two else self.scores.argmax(axis=1)
        return int(np.count_nonzero(guess != self.codes))

    def margins(self) -> Floats | None:
        """Signed scores of two classes."""
        margins: Floats = self.scores[:, 0] * (2.0 * self.codes - 1.0)
        return margins if self.two else None


class LinearScores(Weighted, Publishes, Classifies, Learner):
    """A learner writes ``_train``; ``_features(X)`` is what the weights multiply."""

    _door: ClassVar[Door] = Door(targets="labels", either=True)
    lacks: ClassVar[Mapping[str, str]] = COORDINATES
    _state_version: ClassVar[int] = 1
    fitted_: ScoresFitted
    coef_: Floats
    intercept_: Floats

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        assert isinstance(fitted, ScoresFitted)
        self.coef_, self.intercept_ = fitted.coef, fitted.intercept
        for name, value in fitted.attributes.items():
            setattr(self, name, value)

    def _features(self, X: Samples) -> Any:
        return X

    def _scores(self, X: Samples) -> Floats:
        """One column for two classes, at checked rows."""
        values = np.asarray(self._features(X) @ self.fitted_.coef.T, dtype=np.float64)
        return values + self.fitted_.intercept

    def _outputs(self, X: Samples) -> Floats:
        scores = self._scores(X)
        return scores[:, 0] if self.fitted_.two else scores


class ClassProbabilities:
    """Mixin: outputs are logarithms of odds, or of probabilities up to a constant."""

    def _log_odds(self, X: Samples) -> Floats:
        return self.decision_function(X)  # type: ignore[attr-defined]

    def predict_proba(self, X: Samples) -> Floats:
        """Class probabilities under the model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            New points; of a precomputed kernel their values against the training rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``.
        """
        return softmax(with_first_class(self._log_odds(X)))

    def predict_log_proba(self, X: Samples) -> Floats:
        """Logarithms of ``predict_proba``, without underflow.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            New points; of a precomputed kernel their values against the training rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``.
        """
        scores = with_first_class(self._log_odds(X))
        return np.asarray(log_softmax(scores, axis=1))


def with_first_class(outputs: Floats) -> Floats:
    """Scores of all classes; of two classes the first one's is zero."""
    return outputs if outputs.ndim == 2 else np.column_stack([np.zeros(len(outputs)), outputs])
