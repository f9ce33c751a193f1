"""Learning from a finite class: halving, and its noise-tolerant form, the weighted majority."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from mercer.bounds import Compression, Evidence, Mistakes
from mercer.learners._certified import Certified
from mercer.learners._parameters import Rule, check_parameters, number, positive_whole
from mercer.learners.margin.perceptron._stream import signed_classes, signs

Floats = NDArray[np.float64]


def halving_limit(size: int, wrong: int = 0, penalty: float = 0.0) -> float:
    """Most mistakes that are possible if one of ``size`` rules errs ``wrong`` times.

    log₂ size for halving with a rule that never errs; (ln size + wrong·ln(1/β))/ln(2/(1+β)) for the
    weighted majority with penalty β (Littlestone and Warmuth 1994).
    """
    if penalty == 0:
        return math.log2(size) if wrong == 0 else math.inf
    return (math.log(size) + wrong * math.log(1 / penalty)) / math.log(2.0 / (1.0 + penalty))


def two_classes(y: NDArray[Any], what: str) -> tuple[NDArray[Any], Floats]:
    """The classes and labels -1, +1; anything but two classes is refused."""
    check_classification_targets(y)
    kind = type_of_target(y)
    classes, codes = np.unique(y, return_inverse=True)
    if len(classes) > 2:
        raise ValueError(
            f"Only binary classification is supported. The type of the target is {kind}. "
            f"{what} separates two classes and got {len(classes)}: wrap it in "
            "mercer.learners.multiclass.OneVsRest, OneVsOne or DecisionDAG."
        )
    if len(classes) < 2:
        raise ValueError(
            "The number of classes has to be greater than one; got 1 class "
            f"({classes.tolist()[0]!r}): there is nothing to separate."
        )
    return classes, np.where(codes == 1, 1.0, -1.0)


class Stumps:
    """A finite class fixed before the data: each feature above or below a grid of thresholds.

    Parameters
    ----------
    low, high : float
        Ends of the grid.
    count : int
        Thresholds.
    """

    def __init__(self, low: float = -3.0, high: float = 3.0, count: int = 25) -> None:
        self.low, self.high, self.count = low, high, count

    def __call__(self, X: Floats) -> Floats:
        """Answers −1 or +1 of every rule, shape (n, rules)."""
        grid = np.linspace(self.low, self.high, self.count)
        above = np.where(X[:, :, None] > grid, 1.0, -1.0).reshape(len(X), -1)
        return np.hstack([above, -above])


class Halving(Certified, ClassifierMixin, BaseEstimator):
    r"""Majority of the rules of a finite class that have not erred; two classes.

    Rows come one by one. The rules vote, and after a mistake those that were wrong are removed
    (``penalty=0``) or their weight is multiplied by the penalty. If some rule of the class never
    errs, halving makes at most :math:`\log_2|H|` mistakes.

    Parameters
    ----------
    rules : callable or list of callables, default=None
        The class, fixed before the data: a function from X to an array (n, rules) of −1 and +1, or
        a list of functions from X to n such answers. Class labels are answers, too, unless 1 names
        the first class or −1 the second. None for :class:`Stumps`.
    penalty : float, default=0.0
        Factor on the weight of a rule that was wrong when the vote was wrong, in [0, 1).
    max_epochs : int, default=1
        Sweeps that ``fit`` makes at most; it stops after one without a mistake.
    certify : {"in-sample", "none"}, default="in-sample"
        Whether the model publishes certificates, see :class:`mercer.SVC`.
    delta : float, default=0.05
        Probability with which the certificate may be wrong.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The class labels.
    weights_ : ndarray
        Weight of each rule; the consistent ones have 1 if ``penalty=0``.
    n_mistakes_ : int
        Mistakes of the vote.
    mistaken_rows_ : ndarray of int
        Rows on which it erred.
    n_restarts_ : int
        How often every rule had erred, so that all were taken back.
    limit_ : float
        Most mistakes possible, given the errors of the best rule on the rows seen.
    evidence_, certificate_, certificates_, not_applicable_
        As in :class:`mercer.SVC`.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.learners.online import Halving
    >>> X = np.linspace(-2, 2, 9)[:, None]
    >>> model = Halving().fit(X, X[:, 0] > 0.1)
    >>> bool(model.n_mistakes_ <= model.limit_), model.predict([[-1.0], [1.5]])
    (True, array([False,  True]))
    """

    _rules: dict[str, Rule] = {  # noqa: RUF012 (never changed)
        "penalty": (number(lambda v: 0 <= v < 1), "a number in [0, 1)"),
        "max_epochs": positive_whole,
    }
    n_iter_: int
    _declared = ("compression", "scenario")

    def __init__(
        self,
        rules: Any = None,
        *,
        penalty: float = 0.0,
        max_epochs: int = 1,
        certify: Any = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.rules = rules
        self.penalty = penalty
        self.max_epochs = max_epochs
        self.certify = certify
        self.delta = delta

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.poor_score = True  # the best stump of a fixed grid
        return tags

    def fit(self, X: Any, y: Any) -> Any:
        """Sweep over the rows in their order.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Two class labels.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        check_parameters(self, self._rules)
        self._forget_certificates()
        X, y = validate_data(self, X, y, dtype=np.float64)
        self.classes_, sign = two_classes(y, type(self).__name__)
        answers = self._answers(X)
        self._begin(answers.shape[1])
        for _ in range(self.max_epochs):
            self.n_iter_ += 1
            before = self.n_mistakes_
            self._visit(answers, sign, 0)
            self._clean = self.n_mistakes_ == before
            if self._clean:
                break
        self._rows = len(sign)
        self._errors = int(np.count_nonzero(self._vote(answers) != sign))
        self._streamed = False
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Any:
        """Visit more rows, once and in the given order.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The next rows.
        y : array-like of shape (n_samples,)
            Their labels.
        classes : array-like of shape (2,), default=None
            Both class labels; needed at the first call.

        Returns
        -------
        self : object
            The estimator.
        """
        check_parameters(self, self._rules)
        fresh = not hasattr(self, "classes_")
        X, y = validate_data(self, X, y, dtype=np.float64, reset=fresh)
        self.classes_ = signed_classes(None if fresh else self.classes_, classes)
        sign = signs(y, self.classes_)
        answers = self._answers(X)
        if fresh:
            self._begin(answers.shape[1])
            self._rows = 0
        self._visit(answers, sign, self._rows)
        self._rows += len(sign)
        self._streamed, self._clean, self.n_iter_ = True, False, 1
        self._forget_certificates()
        return self

    def _begin(self, size: int) -> None:
        self.weights_, self._wrong = np.ones(size), np.zeros(size, dtype=np.intp)
        self.n_mistakes_, self.n_restarts_, self.n_iter_ = 0, 0, 0
        self.mistaken_rows_ = np.zeros(0, dtype=np.intp)

    def _answers(self, X: Floats) -> Floats:
        rules = Stumps() if self.rules is None else self.rules
        if callable(rules):
            answers = np.asarray(rules(X))
        elif isinstance(rules, str) or not hasattr(rules, "__iter__"):
            raise ValueError(f"rules must be a function or a list of functions, got {rules!r}")
        else:
            answers = np.column_stack([np.asarray(rule(X)) for rule in rules])
        if answers.ndim == 2 and len(answers) == len(X):
            if answers.dtype.kind in "if" and np.all(np.abs(answers) == 1):
                return answers.astype(np.float64)
            if not self._two_meanings() and np.isin(answers, self.classes_).all():
                return np.where(answers == self.classes_[1], 1.0, -1.0)
        labels = self.classes_.tolist()
        words = (
            f" (the labels {labels} would be mistaken for signs)"
            if self._two_meanings()
            else f", or with the labels {labels}"
        )
        raise ValueError(
            f"the rules must answer -1 or +1{words}, in an array of {len(X)} rows, one column per "
            f"rule; got shape {answers.shape} with {np.unique(answers)[:5].tolist()}."
        )

    def _two_meanings(self) -> bool:
        """Whether a sign is the label of the other class: rows that all get it could mean both."""
        first, second = self.classes_
        return bool(first == 1 or second == -1)

    def _visit(self, answers: Floats, sign: Floats, first: int) -> None:
        mistaken = []
        for row, (answer, label) in enumerate(zip(answers, sign, strict=True)):
            wrong = answer != label
            self._wrong += wrong
            if (1.0 if answer @ self.weights_ >= 0 else -1.0) == label:
                continue
            mistaken.append(first + row)
            self.weights_ = np.where(wrong, self.penalty * self.weights_, self.weights_)
            if not self.weights_.any():
                self.weights_ = np.ones_like(self.weights_)
                self.n_restarts_ += 1
            elif self.weights_.max() < 1e-100:
                self.weights_ = self.weights_ / self.weights_.max()
        self.n_mistakes_ += len(mistaken)
        self.mistaken_rows_ = np.append(self.mistaken_rows_, np.array(mistaken, dtype=np.intp))

    def _vote(self, answers: Floats) -> Floats:
        return np.where(answers @ self.weights_ >= 0, 1.0, -1.0)

    @property
    def limit_(self) -> float:
        """Most mistakes possible, given the errors of the best rule on the rows seen."""
        best = int(self._wrong.min())
        if self.penalty == 0 and best:
            return (best + 1.0) * (math.log2(len(self._wrong)) + 1.0)
        return halving_limit(len(self._wrong), best, self.penalty)

    def decision_function(self, X: Any) -> Floats:
        """Votes for the second class minus votes against it, as a share of the weight.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New points.

        Returns
        -------
        ndarray of shape (n_samples,)
            Between −1 and 1.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self._answers(X) @ self.weights_ / self.weights_.sum()

    def predict(self, X: Any) -> NDArray[Any]:
        """Predicted class of each point.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New points.

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels.
        """
        positive = self.decision_function(X) >= 0
        return self.classes_[positive.astype(np.intp)]

    def _publish_evidence(self) -> Evidence:
        """Mistake-driven: the mistaken rows, in their order, rebuild the weights."""
        kept = len(np.unique(self.mistaken_rows_))
        name = f"this {type(self).__name__}"
        if self._streamed:
            return Evidence(n=self._rows, learner=name, formulation="halving")
        settled = self._clean and self._errors == 0
        limited = settled and self.penalty == 0 and self.n_restarts_ == 0
        return Evidence(
            n=self._rows,
            learner=name,
            formulation="halving",
            errors=self._errors,
            compression=Compression(
                self._rows, kept, errors=min(self._errors, self._rows - kept), preferent=settled
            ),
            mistakes=(
                Mistakes(self._rows, kept, limit=math.log2(len(self.weights_))) if limited else None
            ),
            lost=() if limited or self.penalty else ("mistakes",),
        )
