"""Miss at most 5 % of the positives, at the best precision: a threshold with a promise."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_consistent_length

from mercer._types import Samples
from mercer.bounds import Certificate
from mercer.bounds.numerics.checks import check_delta
from mercer.bounds.numerics.order_statistics import lower_quantile_rank, rows_for_share
from mercer.certification.checks.gate import examine, warn
from mercer.certification.core import arguments, looks
from mercer.certification.core.confidence import class_scores
from mercer.certification.core.fingerprint import fingerprint, what_changed
from mercer.certification.core.rows import Rows, as_labels
from mercer.certification.core.task import Refused
from mercer.certification.guarantees.independent import rows_to_count
from mercer.certification.guarantees.statement import ASSUMED, Statement, certificate
from mercer.learners.describe import check_model, is_pairwise, name_of


class RecallClassifier(ClassifierMixin, BaseEstimator):
    """A fitted two-class model that calls a row positive from a threshold of its own on.

    Made by :func:`keep_recall`; ``certificate_`` says which share of the positives it finds. If
    the model or the threshold was changed since, its first words say so.
    """

    _issued: Certificate
    _probe: dict[str, Any]

    def __init__(self, model: Any, threshold: float, positive: Any) -> None:
        self.model = model
        self.threshold = threshold
        self.positive = positive

    def __sklearn_is_fitted__(self) -> bool:
        return True

    @property
    def certificate_(self) -> Certificate:
        """The statement about this threshold of this model."""
        changed = what_changed(self, self._probe)
        if not changed:
            return self._issued
        words = f"the model was changed after it was certified ({changed}), DOES NOT COVER that"
        return dataclasses.replace(self._issued, found=(words, *self._issued.found))

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels of the model."""
        return self.model.classes_

    def fit(self, X: Samples, y: ArrayLike) -> RecallClassifier:
        """Refuse: a new model would have no certificate."""
        raise TypeError("use mercer.certification.keep_recall to make a new one")

    def decision_function(self, X: Samples) -> NDArray[np.float64]:
        """How far a row's score is above the threshold; negative where its label is the first."""
        above = _scores(self.model, X, self.positive) - self.threshold
        return above if self.positive == self.classes_[1] else -above

    def predict(self, X: Any) -> NDArray[Any]:
        """The positive label from the threshold on, the other one below."""
        other = next(label for label in self.classes_.tolist() if label != self.positive)
        found = np.full(len(scores := _scores(self.model, X, self.positive)), other)
        return np.where(scores >= self.threshold, np.asarray(self.positive), found)


def keep_recall(
    model: object, X: Samples, y: ArrayLike, recall: float = 0.95, delta: float = 0.05, *,
    positive: Any = None, ledger: Any = None, budget: float | None = None,
) -> RecallClassifier:  # fmt: skip
    """The highest threshold at which at least ``recall`` of the positives are found.

    The recall falls as the threshold rises, so no list of thresholds has to be fixed. Of m
    positives sorted by score, the k-th smallest misses at most a share q of new ones but for
    probability P(Bin(m, q) < k), the exact law of an order statistic. The largest k with at most δ
    is taken: every fresh positive counts, and the highest threshold has the best precision.

    Parameters
    ----------
    model : fitted classifier of two classes with scores
    X, y : array-like
        Fresh rows.
    recall : float, default=0.95
        Share of the positives that must be found.
    delta : float, default=0.05
        Probability with which that may be wrong.
    positive : label, default=None
        The class not to be missed; None: the second of ``classes_``.
    ledger, budget
        Looks at these rows in a file, and a failure probability that all of them share, as for
        :func:`mercer.certify`.

    Every call is a look at the rows, as :func:`mercer.certify` is. Of rows that hang together
    (copies) one is counted.

    Returns
    -------
    RecallClassifier
        With ``certificate_`` about itself.
    """
    delta, recall = check_delta(delta), arguments.share(recall, "recall")
    check_model(model)
    truth = as_labels(y, warn=True)
    check_consistent_length(X, truth)
    labels = getattr(model, "classes_", np.unique(truth)).tolist()
    if len(labels) != 2:
        raise Refused(f"a threshold needs two classes, the model has {len(labels)}.")
    positive = labels[1] if positive is None else positive
    if positive not in labels:
        raise Refused(f"there is no class {positive!r}; the model has {labels}.")
    scores, mine = _scores(model, X, positive), truth.astype(object) == positive
    if not mine.any():
        raise Refused(f"class {positive!r} never occurred among the {len(truth)} fresh rows.")
    some, case, looked = rows_to_count(model, X, truth)
    taking, delta = looks.begin_counting(
        "recall", X, truth, (scores,), (recall, positive), delta,
        pairwise=is_pairwise(model), ledger=ledger, budget=budget,
    )  # fmt: skip
    ours = np.sort(scores[some][mine[some]])
    threshold = highest_threshold(ours, 1.0 - recall, delta)
    if threshold is None:
        raise Refused(
            f"no threshold finds {100 * recall:.3g} % of the positives for sure: {len(ours)} were "
            f"counted, at least {rows_for_share(recall, delta)} are needed."
        )
    missed = int((ours < threshold).sum())
    model_ = RecallClassifier(model, threshold, positive)
    made = _certificate(model, recall, delta, len(ours), missed, positive)
    verdict = examine(made, rows=case, model=model, looked=looked)
    warn(verdict)
    model_._issued = taking.done(verdict.stamp(made))
    rows = Rows(X, truth, None, pairwise=False)  # kernel values are rows of another model's
    model_._probe = fingerprint(model_, rows, np.empty(0, dtype=np.intp))
    return model_


def highest_threshold(scores: ArrayLike, miss: float, delta: float) -> float | None:
    """Below which at most a share ``miss`` of the law of ``scores`` lies, but for probability δ."""
    ours = np.sort(np.asarray(scores, dtype=np.float64))
    rank = lower_quantile_rank(len(ours), miss, delta)
    return None if rank is None else float(ours[rank - 1])


def _certificate(
    model: object, recall: float, delta: float, rows: int, missed: int, positive: Any
) -> Certificate:
    found = Statement(
        recall,
        rows,
        1 - missed / rows,
        f"{rows - missed} of {rows} unseen rows of class {positive!r} are found",
    )
    return certificate(
        found,
        code="kept-recall",
        title="order statistic of the scores of positives",
        reference="Wilks, Annals of Mathematical Statistics 12, 1941",
        quantity=f"recall for class {positive!r}",
        delta=delta,
        side="lower",
        learner=name_of(model),
        assumed=ASSUMED,
    )


def _scores(model: Any, X: Any, positive: Any) -> NDArray[np.float64]:
    scores = class_scores(model, X)
    if scores is None:
        raise Refused(f"{type(model).__name__} gives no scores, so there is no threshold to move.")
    mine = scores[:, model.classes_.tolist().index(positive)]
    return np.where(np.isnan(mine), -np.inf, mine)  # never called positive
