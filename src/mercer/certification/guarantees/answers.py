"""Sets and intervals as methods of a certified model."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier, is_regressor
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from mercer._types import Samples
from mercer.bounds import Certificate
from mercer.certification.core.task import Refused
from mercer.certification.guarantees.sets import Asked, Calibration


def _regresses(self: Any) -> bool:
    """Whether there are numbers to put intervals around."""
    if is_regressor(self.estimator):
        return True
    raise AttributeError("intervals are for regressions; a classifier has predict_set")


def _classifies(self: Any) -> bool:
    """Whether there are classes to put into sets."""
    if is_classifier(self.estimator):
        return True
    raise AttributeError("sets of classes are for classifiers; a regression has predict_interval")


class SetsAndIntervals:
    """What a certified model says about single rows, from the rows that were held out.

    Who mixes it in has ``model_``, ``mode``, ``_view`` (rows as the model takes them), ``_ask``
    and ``_as_it_is`` (a certificate with what was found in the rows), and keeps ``_calibration``.
    """

    model_: Any
    mode: Any
    estimator: Any
    _view: Any
    _ask: Any
    _as_it_is: Any
    _calibration: Calibration | None

    @available_if(_regresses)
    def predict_interval(
        self, X: Samples, coverage: float | None = None, *, kind: str = "pac",
        delta: float | None = None, by: Any = None,
    ) -> NDArray[np.float64]:  # fmt: skip
        """Lower and upper ends that hold at least ``coverage`` of new targets.

        ``kind="pac"``: but for probability ``delta`` (that of the fit) over held-out rows, which is
        what `coverage_certificate` says; ``"all"``: for every coverage at once; ``"marginal"``:
        on average over held-out rows only, as plain split conformal prediction. ``by``: the kind of
        every row, for coverage within each kind given to ``fit``. Without held-out rows
        (another ``mode``) and without ``coverage`` the model's own intervals are returned.
        """
        if self._scores() is None and coverage is None:
            return self._ask("predict_interval", X)
        asked = Asked(0.9 if coverage is None else coverage, kind, delta, by=by)
        return self._calibrated().intervals(self.model_, self._view(X), asked)

    @available_if(_classifies)
    def predict_set(
        self, X: Samples, coverage: float = 0.9, *, kind: str = "pac",
        delta: float | None = None, per: str = "all", by: Any = None,
    ) -> NDArray[np.bool_]:  # fmt: skip
        """Which classes to expect: one column per class, in the order of ``classes_``.

        The set holds the true class of at least ``coverage`` of new rows, see `predict_interval`;
        ``per="class"``: of the new rows of every class.
        """
        asked = Asked(coverage, kind, delta, per, by)
        return self._calibrated().sets(self.model_, self._view(X), asked)

    def coverage_certificate(
        self, coverage: float = 0.9, *, kind: str = "pac",
        delta: float | None = None, per: str = "all", by: bool = False,
    ) -> Certificate:  # fmt: skip
        """What is promised about the sets or intervals with this coverage.

        Beside ``certificate_``, each at its own δ: they hold one by one.
        """
        asked = Asked(coverage, kind, delta, per, by or None)
        return self._as_it_is(self._calibrated().certificate(asked))

    def _scores(self) -> Calibration | None:
        check_is_fitted(self)
        return vars(self).get("_calibration")

    def _calibrated(self) -> Calibration:
        scores = self._scores()
        if scores is None:
            raise Refused(
                f"mode={self.mode!r} keeps no rows that the model never saw, from which sets and "
                "intervals are made: use mode='auto' or 'holdout', on classes or numbers."
            )
        return scores
