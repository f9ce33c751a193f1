"""Generative classifiers: a density from an exponential family for every class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mercer._types import Samples
from mercer.bounds import Evidence
from mercer.learners._door import Door, TrainingSample
from mercer.learners._fitted import rows_of
from mercer.learners._parameters import Rule, one_of
from mercer.learners._reasons import COORDINATES, ONE_SOLVE
from mercer.learners.discriminant._families import FAMILIES
from mercer.learners.discriminant._mass import PRIOR, check_every_class, class_shares
from mercer.learners.discriminant._scores import ClassProbabilities, LinearScores, ScoresFitted

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class DensitiesFitted(ScoresFitted):
    """The family, whose statistics the weights multiply."""

    family: str


class ExponentialFamilyClassifier(ClassProbabilities, LinearScores):
    """Naive Bayes: columns a0(θ)·τ0(x)·exp(θ·τ(x)), independent in every class; linear in τ(x).

    The score of class y is ln P(y) + Σ_j [ln a0(θ_yj) + θ_yj·τ(x_j)]; τ0 is the same for all
    classes and cancels. For two classes the weights of τ are θ₊ − θ₋.

    Parameters
    ----------
    family : {"normal", "bernoulli", "poisson", "multinomial", "exponential", "gamma", "beta"}
        Of every column, "normal" unless given. Parameters are the likeliest ones; counts get half
        a pseudo-count. "multinomial" is of the whole row: counts of words, given how many there
        are. Sparse rows stay sparse; only "gamma" and "beta" have no place for their zeros.
    prior : {"estimated", "equal"} or array-like of shape (n_classes,), default="estimated"
        Class probabilities: the frequencies, the same for all, or these.
    certify; delta : …

    Attributes
    ----------
    theta_ : ndarray of shape (n_classes, n_features, k)
        Natural parameters, one for each of the k statistics τ.
    coef_ : ndarray of shape (1 or n_classes, n_features * k)
        Weights of the statistics; one row, θ₊ − θ₋, for two classes.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Offsets.
    classes_ : ndarray
        The labels.
    evidence_, certificate_, certificates_, not_applicable_; n_features_in_; feature_names_in_ : …

    Examples
    --------
    >>> from mercer.learners.discriminant import ExponentialFamilyClassifier
    >>> X = [[0, 1], [1, 0], [5, 7], [6, 4]]
    >>> ExponentialFamilyClassifier("poisson").fit(X, [0, 0, 1, 1]).predict([[4, 4]])
    array([1])
    """

    _rules: ClassVar[dict[str, Rule]] = {
        "family": one_of(*FAMILIES),
        "prior": PRIOR,
    }
    lacks: ClassVar[Mapping[str, str]] = COORDINATES | ONE_SOLVE
    _door: ClassVar[Door] = Door(targets="labels", either=True, dtype=np.float64)
    fitted_: DensitiesFitted

    def __init__(
        self,
        family: str = "normal",
        *,
        prior: Any = "estimated",
        certify: Any = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.family = family
        self.prior = prior
        self.certify = certify
        self.delta = delta

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = self.family not in ("normal",)
        return tags

    def _train(self, sample: TrainingSample) -> DensitiesFitted:
        X, weight, family = sample.X, sample.weight, FAMILIES[self.family]
        _check_domain(self.family, X)
        labels = self._labels(sample)
        count = len(labels.classes)
        groups = [labels.codes == k for k in range(count)]
        mass = np.array([weight[group].sum() for group in groups])
        check_every_class(labels.classes, mass)
        theta = np.stack([family.fit(X[group], weight[group]) for group in groups])
        offsets = np.log(class_shares(self.prior, mass)) + np.array(
            [family.log_a0(t).sum() for t in theta]
        )
        flat = theta.reshape(count, -1)
        coef = flat[1:] - flat[:1] if count == 2 else flat
        intercept = offsets[1:] - offsets[:1] if count == 2 else offsets
        used = weight > 0
        return DensitiesFitted(
            **rows_of(sample),
            classes=labels.classes,
            family=self.family,
            coef=coef,
            intercept=intercept,
            codes=labels.codes[used],
            scores=(np.asarray(_statistics(self.family, X) @ coef.T) + intercept)[used],
            attributes={"theta_": theta},
        )

    def _features(self, X: Samples) -> Any:
        _check_domain(self.fitted_.family, X)
        return _statistics(self.fitted_.family, X)

    def _publish_evidence(self) -> Evidence:
        fitted = self.fitted_
        return Evidence(
            len(fitted.codes),
            learner=f"this {type(self).__name__}",
            formulation="generative",
            n_classes=len(self.classes_),
            errors=fitted.errors(),
            margins=fitted.margins(),
            offset=float(fitted.intercept[0]) if fitted.two else None,
            dimension=float(fitted.coef.shape[1]) if fitted.two else None,
            choices=fitted.choices(),
        )


def _statistics(family: str, X: Any) -> Any:
    """τ of every entry, side by side for every column."""
    if not sparse.issparse(X):
        return FAMILIES[family].statistics(X).reshape(len(X), -1)
    values = FAMILIES[family].statistics(X.data)  # τ(0) = 0
    size = values.shape[-1]
    places = (X.indices.astype(np.int64)[:, None] * size + np.arange(size)).ravel()
    shape = (X.shape[0], X.shape[1] * size)
    return sparse.csr_array((values.ravel(), places, X.indptr.astype(np.int64) * size), shape=shape)


def _check_domain(family: str, X: Any) -> None:
    rule = FAMILIES[family]
    values = X.data if sparse.issparse(X) else X
    fine = rule.domain(values)
    empty = sparse.issparse(X) and X.nnz < X.shape[0] * X.shape[1]
    if empty and not rule.domain(np.zeros(1))[0]:
        raise ValueError(f"family={family!r} wants {rule.wants}; X is sparse and has zeros.")
    if not fine.all():
        first = np.argwhere(~fine)[0]
        value = values[tuple(first)]
        if sparse.issparse(X):
            rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
            first = (rows[first[0]], X.indices[first[0]])
        sign = "Negative values in data passed to X: " if value < 0 else ""
        raise ValueError(
            f"{sign}family={family!r} wants {rule.wants}; X[{first[0]}, {first[1]}] = {value:g}."
        )
