"""Learning from a finite class: halving, and its noise-tolerant form, the weighted majority."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from mercer.bounds import Compression, Evidence, Mistakes
from mercer.learners._door import Door, TrainingSample
from mercer.learners._fitted import Fitted, rows_of
from mercer.learners._learner import Learner, Plain
from mercer.learners._mixins import Classifies
from mercer.learners._parameters import Rule, number, positive_whole
from mercer.learners._publishes import Publishes
from mercer.learners._reasons import COORDINATES, SWEEPS
from mercer.learners.margin.perceptron._stream import signed_classes, signs
from mercer.learners.online._vote import VoteOfRules, answers_of
from mercer.solvers.watch import Watch

Floats = NDArray[np.float64]


def halving_limit(size: int, wrong: int = 0, discount: float = 0.0) -> float:
    """Most mistakes that are possible if one of ``size`` rules errs ``wrong`` times.

    log₂ size for halving with a rule that never errs; (ln size + wrong·ln(1/β))/ln(2/(1+β)) for the
    weighted majority with discount β (Littlestone and Warmuth 1994).
    """
    if discount == 0:
        return math.log2(size) if wrong == 0 else math.inf
    return (math.log(size) + wrong * math.log(1 / discount)) / math.log(2.0 / (1.0 + discount))


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


@dataclass(frozen=True, kw_only=True)
class HalvingFitted(Fitted):
    """The vote after the last row, and the rules that vote; ``n`` counts the rows of a stream."""

    rules: Any  # None for `Stumps`
    penalty: float
    vote: VoteOfRules
    n_iter: int
    clean: bool  # whether the last sweep made no mistake
    errors: int | None  # on the training rows; None after a stream, whose rows are gone


class Halving(Plain, Publishes, Classifies, Learner):
    r"""Majority of the rules of a finite class that have not erred; two classes.

    Rows come one by one. The rules vote, and after a mistake those that were wrong are removed
    (``discount=0``) or their weight is multiplied by the discount. If some rule of the class never
    errs, halving makes at most :math:`\log_2|H|` mistakes.

    Parameters
    ----------
    rules : callable or list of callables, default=None
        The class, fixed before the data: a function from X to an array (n, rules) of −1 and +1, or
        a list of functions from X to n such answers. Class labels are answers, too, unless 1 names
        the first class or −1 the second. None for :class:`Stumps`.
    discount : float, default=0.0
        Factor on the weight of a rule that was wrong when the vote was wrong, in [0, 1).
    max_iter : int, default=1
        Sweeps that ``fit`` makes at most; it stops after one without a mistake.
    time_limit : float or None, default=None
        Seconds after which no further sweep begins; then a certificate is lost that needs the run
        to be repeated.
    certify; delta : …

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The class labels.
    weights_ : ndarray
        Weight of each rule; the consistent ones have 1 if ``discount=0``.
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

    _rules: ClassVar[dict[str, Rule]] = {
        "discount": (number(lambda v: 0 <= v < 1), "a number in [0, 1)"),
        "max_iter": positive_whole,
    }
    _two_only = True
    lacks: ClassVar[Mapping[str, str]] = (
        COORDINATES
        | SWEEPS
        | {
            "partial_fit": "",
            "classes": "rules answer yes or no: OneVsRest asks them about each class",
            "weights": "after a mistake a rule was right or wrong: there is no part of a mistake",
            "copies": "after a mistake a rule was right or wrong: fit takes no weights",
            "proba": "a vote of rules is no law of the labels",
            "warm_start": "a run goes on over more rows by partial_fit",
            "progress": "a sweep is one pass, max_iter at most",
        }
    )
    _door: ClassVar[Door] = Door(targets="labels", narrow=sys.maxsize, dtype=np.float64)
    _state_version: ClassVar[int] = 2
    _declared = ("compression", "scenario")
    fitted_: HalvingFitted
    n_iter_: int

    def __init__(
        self,
        rules: Any = None,
        *,
        discount: float = 0.0,
        max_iter: int = 1,
        time_limit: float | None = None,
        certify: Any = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.rules = rules
        self.discount = discount
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.certify = certify
        self.delta = delta

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [cls(discount=0.5)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # the best stump of a fixed grid
        return tags

    def _train(self, sample: TrainingSample) -> HalvingFitted:
        """Sweep over the rows in their order."""
        labels = self._labels(sample)
        sign = labels.signs
        answers = _answers(self.rules, sample.X, labels.classes)
        vote, epoch, clean = VoteOfRules.of(answers.shape[1]), 0, False
        watch = Watch(self.time_limit)
        while epoch < self.max_iter and not clean and not (epoch and watch.spent):
            before = len(vote.mistaken_rows)
            vote, epoch = vote.after(answers, sign, self.discount), epoch + 1
            clean = len(vote.mistaken_rows) == before
        return HalvingFitted(
            **rows_of(sample),
            classes=labels.classes,
            rules=self.rules,
            penalty=self.discount,
            vote=vote,
            n_iter=epoch,
            clean=clean,
            errors=vote.errors(answers, sign),
        )

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
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
        before: HalvingFitted | None = self.__dict__.get("fitted_")
        absorb = partial(self._absorb, before, classes)
        return self._run(absorb, X, y, None, reset=before is None)

    def _absorb(
        self, before: HalvingFitted | None, classes: Any, sample: TrainingSample
    ) -> HalvingFitted:
        known = signed_classes(None if before is None else before.classes, classes)
        sign, answers = signs(sample.y, known), _answers(self.rules, sample.X, known)
        vote, seen = (
            (VoteOfRules.of(answers.shape[1]), 0) if before is None else (before.vote, before.n)
        )
        return HalvingFitted(
            n=seen + sample.n,
            kind=sample.kind,
            classes=known,
            rules=self.rules,
            penalty=self.discount,
            vote=vote.after(answers, sign, self.discount, seen),
            n_iter=1,
            clean=False,
            errors=None,
        )

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        assert isinstance(fitted, HalvingFitted)
        vote = fitted.vote
        self.weights_, self.mistaken_rows_ = vote.weights, vote.mistaken_rows
        self.n_mistakes_, self.n_restarts_ = len(vote.mistaken_rows), vote.n_restarts
        self.n_iter_ = fitted.n_iter

    @property
    def limit_(self) -> float:
        """Most mistakes possible, given the errors of the best rule on the rows seen."""
        wrong, penalty = self.fitted_.vote.wrong, self.fitted_.penalty
        best = int(wrong.min())
        if penalty == 0 and best:
            return (best + 1.0) * (math.log2(len(wrong)) + 1.0)
        return halving_limit(len(wrong), best, penalty)

    def _outputs(self, X: Floats) -> Floats:
        """Votes for the second class minus votes against it, as a share of the weight."""
        fitted, weights = self.fitted_, self.fitted_.vote.weights
        shares: Floats = _answers(fitted.rules, X, self.classes_) @ weights / weights.sum()
        return shares

    def _publish_evidence(self) -> Evidence:
        """Mistake-driven: the mistaken rows, in their order, rebuild the weights."""
        fitted, vote, n = self.fitted_, self.fitted_.vote, self.fitted_.n
        name, errors = f"this {type(self).__name__}", fitted.errors
        if errors is None:
            return Evidence(n=n, learner=name, formulation="halving")
        kept = len(np.unique(vote.mistaken_rows))
        settled = fitted.clean and errors == 0
        timed = not fitted.clean and fitted.n_iter < self.max_iter  # cannot be repeated from rows
        limited = settled and fitted.penalty == 0 and vote.n_restarts == 0
        return Evidence(
            n=n,
            learner=name,
            formulation="halving",
            errors=errors,
            compression=None
            if timed
            else Compression(n, kept, errors=min(errors, n - kept), preferent=settled),
            mistakes=Mistakes(n, kept, limit=math.log2(len(vote.weights))) if limited else None,
            lost=(
                *(() if limited or fitted.penalty else ("mistakes",)),
                *(("compression",) if timed else ()),
            ),
        )


def _answers(rules: Any, X: Floats, classes: NDArray[Any]) -> Floats:
    return answers_of(Stumps() if rules is None else rules, X, classes)
