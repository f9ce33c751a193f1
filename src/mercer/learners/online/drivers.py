"""Three ways to hand data to a learner: all at once, one after the other, or as it asks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state

from mercer._types import Estimator, Samples
from mercer.bounds import Certificate, Evidence, NotApplicable, Progressive, get
from mercer.learners._as_drawn import LEVEL, order_p
from mercer.learners._brief import Brief

Rows = NDArray[np.intp]


@dataclass(frozen=True, eq=False, repr=False)
class OnlineRun(Brief):
    """What happened while rows came one by one: each was predicted before its label was shown.

    Attributes
    ----------
    model : estimator
        The learner after the last row.
    predictions : ndarray
        Prediction of each row, made before its label was used.
    mistakes : ndarray of bool
        Whether it was wrong.
    warm_up : int
        Rows used before the first prediction.
    order_p : float
        How likely such an order of labels and inputs is for rows that were drawn. Below 0.01 the
        run is no evidence about new rows.
    """

    model: Any
    predictions: NDArray[Any]
    mistakes: NDArray[np.bool_]
    warm_up: int
    order_p: float = 1.0

    @property
    def n_mistakes(self) -> int:
        """Number of mistakes."""
        return int(self.mistakes.sum())

    def error_curve(self) -> NDArray[np.float64]:
        """Share of mistakes among the first 1, 2, … predictions."""
        return np.cumsum(self.mistakes) / np.arange(1, len(self.mistakes) + 1)

    def evidence(self) -> Evidence:
        """For bounds: every row tested a rule that had not seen it, if rows came as if drawn."""
        if self.order_p < LEVEL:
            return Evidence(len(self.mistakes) + self.warm_up)
        run = Progressive(
            len(self.mistakes), self.n_mistakes, models=len(self.mistakes), trained_on=self.warm_up
        )
        return Evidence(
            len(self.mistakes) + self.warm_up,
            learner=f"this run of {type(self.model).__name__}",
            progressive=run,
        )

    def certificate(self, delta: float = 0.05) -> Certificate:
        """Bound on the mean risk of the rules of the run: the risk of one drawn at random.

        Parameters
        ----------
        delta : float, default=0.05
            Probability with which it may be wrong.

        Returns
        -------
        Certificate
            From on-line mistakes to risk; rows must be independent draws.

        Raises
        ------
        NotApplicable
            If the rows came in an order that draws do not have.
        """
        if self.order_p < LEVEL:
            raise NotApplicable(
                f"the rows did not come as if drawn (p = {self.order_p:.2g}): neighbours are "
                "alike, so mistakes on them say little about new rows. Shuffle the rows, if their "
                "order is not time"
            )
        return get("progressive")().evaluate(self.evidence(), delta)


def learn_batch(learner: Estimator, X: Samples, y: ArrayLike) -> Any:
    """Off-line learning: a clone of the learner, fitted on everything at once."""
    return clone(learner).fit(X, y)


def learn_online(
    learner: Any, X: Any, y: Any, *, classes: Any = None, block: int = 1, warm_up: int = 0
) -> OnlineRun:
    """On-line learning: predict, look at the label, learn, and so on.

    Parameters
    ----------
    learner : estimator
        With ``partial_fit``, or any other: then it is refitted on all rows seen so far whenever
        they have grown by half.
    X, y : array-like
        The stream, in its order.
    classes : array-like, optional
        All class labels; by default those of y.
    block : int, default=1
        Rows predicted before their labels are shown together.
    warm_up : int, default=0
        Rows learned before the first prediction; learners without ``partial_fit`` need some of
        each class.

    Returns
    -------
    OnlineRun
        Predictions, mistakes, the final model.
    """
    table = X if hasattr(X, "tocsr") else np.asarray(X)
    labels = np.asarray(y)
    known = np.unique(labels) if classes is None else np.unique(classes)
    model = _Stream(clone(learner), known)
    model.learn(table[:warm_up], labels[:warm_up])
    predictions = np.empty(len(labels) - warm_up, dtype=labels.dtype)
    for start in range(warm_up, len(labels), block):
        part = slice(start, min(len(labels), start + block))
        predictions[part.start - warm_up : part.stop - warm_up] = model.predict(table[part])
        model.learn(table[part], labels[part])
    wrong = predictions != labels[warm_up:]
    return OnlineRun(model.finish(), predictions, wrong, warm_up, order_p(table, labels))


class _Stream:
    """A learner that takes rows as they come; one without ``partial_fit`` is refitted at times."""

    def __init__(self, learner: Any, classes: NDArray[Any]) -> None:
        self.learner, self.classes = learner, classes
        self.steady = hasattr(learner, "partial_fit")
        self.rows: list[Any] = []
        self.labels: list[Any] = []
        self.count, self.fitted_on = 0, 0

    def predict(self, X: Any) -> NDArray[Any]:
        if self.fitted_on == 0:  # nothing learned: the first class
            return np.full(X.shape[0], self.classes[0])
        return self.learner.predict(X)

    def learn(self, X: Any, y: NDArray[Any]) -> None:
        if not len(y):
            return
        self.count += len(y)
        if self.steady:
            self.learner.partial_fit(X, y, classes=self.classes)
            self.fitted_on = self.count
            return
        self.rows.append(X.toarray() if hasattr(X, "toarray") else X)
        self.labels.append(y)
        if self.count >= 1.5 * self.fitted_on:
            self._refit()

    def _refit(self) -> None:
        labels = np.concatenate(self.labels)
        if len(np.unique(labels)) > 1:
            self.learner.fit(np.concatenate(self.rows), labels)
            self.fitted_on = self.count

    def finish(self) -> Any:
        if not self.steady and self.fitted_on < self.count:
            self._refit()
        return self.learner


@dataclass(frozen=True, eq=False, repr=False)
class ActiveRun(Brief):
    """What happened while the learner chose the rows whose labels it wanted.

    Attributes
    ----------
    model : estimator
        The learner after the last query.
    queried : ndarray of int
        Rows whose labels were asked for, the first ones included, in order.
    errors : ndarray of float
        If ``X_test`` was given: error rate after each round.
    """

    model: Any
    queried: Rows
    errors: NDArray[np.float64]


def learn_actively(
    learner: Any,
    X: Any,
    oracle: Callable[[Rows], Any] | Any,
    *,
    queries: int,
    start: int = 10,
    batch: int = 1,
    strategy: str | Callable[[Any, Any, Rows], Rows] = "margin",
    random_state: Any = None,
    X_test: Any = None,
    y_test: Any = None,
) -> ActiveRun:
    """Active learning: the learner asks for the labels of the rows it is least sure about.

    The rows queried are no independent sample: certify the result with fresh rows
    (``mercer.certify``), not with those.

    Parameters
    ----------
    learner : estimator
        Any classifier; ``strategy="margin"`` needs ``decision_function`` or ``predict_proba``.
    X : array-like
        The pool of rows without labels.
    oracle : callable or array-like
        Labels on demand: a function from row numbers to labels, or the labels themselves.
    queries : int
        Labels to ask for in all.
    start : int, default=10
        Random rows to begin with; more are drawn until two classes are seen.
    batch : int, default=1
        Labels asked for in one round.
    strategy : {"margin", "random"} or callable, default="margin"
        Rows nearest to the boundary, random rows, or a function (model, X, candidates) that
        returns the candidates in the order of preference.
    random_state : int, RandomState instance or None, default=None
        For the first rows and the random strategy.
    X_test, y_test : array-like, optional
        Rows to measure the error on after each round.

    Returns
    -------
    ActiveRun
        The model, the rows queried, the errors.
    """
    table = X if hasattr(X, "tocsr") else np.asarray(X)
    rng = check_random_state(random_state)
    ask = oracle if callable(oracle) else (lambda rows: np.asarray(oracle)[rows])
    order = rng.permutation(table.shape[0])
    known = [int(row) for row in order[:start]]
    labels = list(np.asarray(ask(np.array(known, dtype=np.intp))))
    while len(set(labels)) < 2 and len(known) < min(queries, len(order)):
        known.append(int(order[len(known)]))
        labels += list(np.asarray(ask(np.array(known[-1:], dtype=np.intp))))
    model, errors = clone(learner), []
    while True:
        model.fit(table[known], np.asarray(labels))
        if X_test is not None:
            errors.append(float(np.mean(model.predict(X_test) != np.asarray(y_test))))
        open_rows = np.setdiff1d(np.arange(table.shape[0]), known)
        wanted = min(batch, queries - len(known), len(open_rows))
        if wanted <= 0:
            break
        chosen = _preferred(model, table, open_rows, strategy, rng)[:wanted]
        known += [int(row) for row in chosen]
        labels += list(np.asarray(ask(np.asarray(chosen, dtype=np.intp))))
    return ActiveRun(model, np.array(known, dtype=np.intp), np.array(errors))


def _preferred(model: Any, X: Any, rows: Rows, strategy: Any, rng: Any) -> Rows:
    if callable(strategy):
        return np.asarray(strategy(model, X, rows))
    if strategy == "random":
        return rng.permutation(rows)
    if strategy != "margin":
        raise ValueError(f"strategy must be 'margin', 'random' or a function, got {strategy!r}.")
    if hasattr(model, "decision_function"):
        values = np.asarray(model.decision_function(X[rows]))
        if values.ndim == 1:
            return rows[np.argsort(np.abs(values), kind="stable")]
    else:
        values = np.asarray(model.predict_proba(X[rows]))
    top = np.sort(values, axis=1)
    return rows[np.argsort(top[:, -1] - top[:, -2], kind="stable")]
