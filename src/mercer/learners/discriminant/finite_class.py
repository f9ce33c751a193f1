"""The best of finitely many classifiers."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from mercer.bounds import Evidence
from mercer.learners._door import Door, TrainingSample
from mercer.learners._fitted import Fitted, rows_of
from mercer.learners._learner import Learner, Weighted
from mercer.learners._mixins import Labelled
from mercer.learners._publishes import Publishes
from mercer.learners._reasons import COORDINATES

Floats = NDArray[np.float64]
Rule = Callable[[Any], Any]


@dataclass(frozen=True)
class RiskSplit:
    """L(chosen) − L* = estimation + approximation."""

    risk: float  # of the chosen rule
    best: float  # smallest risk in the class
    bayes: float

    @property
    def estimation(self) -> float:
        """What choosing by the sample cost."""
        return self.risk - self.best

    @property
    def approximation(self) -> float:
        """What the class cannot do."""
        return self.best - self.bayes


@dataclass(frozen=True, kw_only=True)
class FiniteClassFitted(Fitted):
    """The rules, their risks and the place of the best one."""

    rules: tuple[Any, ...]
    best: int
    risks: Floats
    errors: int | None  # of the best one, if all rows count alike
    named_before: bool  # whether the rules were there before the rows


class FiniteClassERM(Weighted, Publishes, Labelled, Learner):
    """Of the given rules, the one with the fewest training errors; the first of equals.

    Parameters
    ----------
    rules : sequence or None, default=None
        Functions from rows (dense: sparse ones are filled) to labels, or objects with ``predict``,
        fixed before the data were seen. None means one constant rule per label, which is the
        majority vote.
    certify; delta : …

    Attributes
    ----------
    best_ : int
        Place of the chosen rule.
    risks_ : ndarray of shape (n_rules,)
        Empirical risk of every rule.
    classes_ : ndarray
        The labels seen.
    evidence_, certificate_, certificates_, not_applicable_; n_features_in_; feature_names_in_ : …

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.learners.discriminant import FiniteClassERM
    >>> rules = [lambda X, t=t: np.where(X[:, 0] > t, 1, -1) for t in (0.0, 1.0, 2.0)]
    >>> FiniteClassERM(rules).fit([[0.5], [1.5], [2.5]], [-1, 1, 1]).best_
    1
    """

    lacks: ClassVar[Mapping[str, str]] = COORDINATES | {
        "proba": "errors are counted: no law of the labels is modelled",
        "decision": "a rule answers with a label: no number belongs to it",
        "saved": "rules are functions, and a model file holds no code",
        "warm_start": "every rule is tried once: nothing is searched for",
        "time_limit": "every rule is tried once: a rule left out might be the best",
        "progress": "every rule is tried once, in one pass",
    }
    _fewest_classes = 1
    _door: ClassVar[Door] = Door(targets="labels", narrow=sys.maxsize, dtype="numeric")
    _state_version: ClassVar[int] = 1
    fitted_: FiniteClassFitted
    _declared: ClassVar[tuple[str, ...]] = ("finite-class",)

    def __init__(
        self,
        rules: Sequence[Any] | None = None,
        *,
        certify: str | None = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.rules = rules
        self.certify = certify
        self.delta = delta

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = self.rules is None
        return tags

    def _train(self, sample: TrainingSample) -> FiniteClassFitted:
        classes, weight = self._labels(sample).classes, sample.weight
        rules = self._all_rules(classes)
        wrong = np.stack([np.asarray(_answer(rule, sample.X) != sample.y) for rule in rules])
        risks = wrong @ weight / weight.sum()
        best = int(risks.argmin())
        return FiniteClassFitted(
            **rows_of(sample),
            classes=classes,
            rules=rules,
            best=best,
            risks=risks,
            errors=int(wrong[best].sum()) if np.ptp(weight) == 0 else None,
            named_before=self.rules is not None,
        )

    def _all_rules(self, classes: NDArray[Any]) -> tuple[Any, ...]:
        if self.rules is None:
            # of the labels' own type: a text shorter than the longest label would change it
            return tuple(classes[i : i + 1] for i in range(len(classes)))
        if isinstance(self.rules, str) or not hasattr(self.rules, "__len__"):
            raise ValueError(f"rules must be a list of rules, got {self.rules!r}")
        if len(self.rules) == 0:
            raise ValueError("rules is empty: there is nothing to choose from")
        return tuple(self.rules)

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        assert isinstance(fitted, FiniteClassFitted)
        self.best_, self.risks_ = fitted.best, fitted.risks

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels given by the chosen rule.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New points.

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels.
        """
        rows = self._query(X)
        return _answer(self.fitted_.rules[self.fitted_.best], rows)

    def split(self, law: Any, **options: Any) -> RiskSplit:
        """How much of the excess risk is due to the sample and how much to the class.

        Parameters
        ----------
        law : mercer.datasets.Law
            The truth: it knows its Bayes risk and the risk of any rule.
        **options
            For ``law.risk``.
        """
        check_is_fitted(self)
        fitted = self.fitted_
        risks = [
            law.risk(lambda X, rule=rule: _answer(rule, X), **options) for rule in fitted.rules
        ]
        return RiskSplit(risks[fitted.best], min(risks), law.bayes_risk)

    def _publish_evidence(self) -> Evidence:
        fitted = self.fitted_
        return Evidence(
            fitted.n,
            learner=f"this {type(self).__name__}",
            formulation="finite-class",
            n_classes=max(2, len(self.classes_)),
            errors=fitted.errors,
            # Constants for the labels seen are a class that the data chose: it has no size.
            log_class_size=math.log(len(fitted.rules)) if fitted.named_before else None,
            choices=fitted.choices(),
        )


def _answer(rule: Any, X: Any) -> NDArray[Any]:
    if hasattr(rule, "predict"):
        return np.asarray(rule.predict(X))
    if callable(rule):
        return np.asarray(rule(X))
    return np.repeat(rule, len(X))
