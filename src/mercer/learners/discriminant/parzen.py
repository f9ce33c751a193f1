"""Parzen windows: compare the classes' kernel density estimates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mercer._types import Samples
from mercer.bounds import Evidence
from mercer.learners._door import Door, TrainingSample
from mercer.learners._fitted import Fitted
from mercer.learners._in_kernel_space import InKernelSpace, KernelFitted
from mercer.learners._kernel_rules import KERNEL_RULES
from mercer.learners._learner import Learner, Weighted
from mercer.learners._mixins import Classifies
from mercer.learners._parameters import Rule, one_of
from mercer.learners._publishes import Publishes
from mercer.learners.discriminant._mass import check_every_class

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class ParzenFitted(KernelFitted):
    """Weights of every row, and the scores of the rows of positive weight."""

    coef: Floats  # (rows, classes)
    codes: NDArray[np.intp]
    scores: Floats
    diagonal: Floats
    squared_norm: float | None  # for two classes


class ParzenClassifier(Weighted, Publishes, InKernelSpace, Classifies, Learner):
    """The class whose training points are most similar: argmax_y Σ_{i: y_i = y} k(x_i, x).

    With a Gaussian kernel the sums are density estimates times class frequencies. For two classes
    it is f(x) = Σ y_i k(x_i, x), the expansion whose coefficients are the labels.

    Parameters
    ----------
    kernel; gamma; degree, coef0 : …
    prior : {"estimated", "equal"}, default="estimated"
        "equal" divides each class's sum by its size.
    certify; delta : …

    Attributes
    ----------
    classes_ : ndarray
        The labels.
    dual_coef_ : ndarray of shape (n_samples, n_classes)
        Weight of every training row in the score of every class.
    kernel_, X_fit_
        What is needed for prediction.
    evidence_, certificate_, certificates_, not_applicable_; n_features_in_; feature_names_in_ : …

    Examples
    --------
    >>> from mercer.learners.discriminant import ParzenClassifier
    >>> ParzenClassifier(gamma=1.0).fit([[0.0], [0.2], [3.0]], list("aab")).predict([[2.5]])
    array(['b'], dtype='<U1')
    """

    _rules: ClassVar[dict[str, Rule]] = KERNEL_RULES | {"prior": one_of("estimated", "equal")}
    lacks: ClassVar[Mapping[str, str]] = {
        "warm_start": "the coefficients are the labels: nothing is searched for",
        "time_limit": "the coefficients are the labels: there is nothing to wait for",
        "progress": "the coefficients are the labels: it has no steps to count",
    }
    _door: ClassVar[Door] = Door(asks="kernel", targets="labels")
    _state_version: ClassVar[int] = 1
    fitted_: ParzenFitted

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        gamma: float | str = "scale",
        degree: float = 3,
        coef0: float = 0.0,
        prior: str = "estimated",
        certify: str | None = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.prior = prior
        self.certify = certify
        self.delta = delta

    def _train(self, sample: TrainingSample) -> ParzenFitted:
        labels = self._labels(sample)
        codes, count = labels.codes, len(labels.classes)
        mass = np.bincount(codes, weights=sample.weight, minlength=count)
        check_every_class(labels.classes, mass.astype(np.float64))
        space = self._space(sample, use="rows")
        coef = np.zeros((sample.n, count))
        coef[np.arange(sample.n), codes] = sample.weight
        if self.prior == "equal":
            coef /= coef.sum(axis=0)
        scores, used = space.gram.matmul(coef), sample.weight > 0
        diagonal = np.asarray(space.gram.diag(), dtype=np.float64)
        square = None
        if count == 2:
            square = float((coef[:, 1] - coef[:, 0]) @ (scores[:, 1] - scores[:, 0]))
        return ParzenFitted(
            **self._in_space(sample, space.meant),
            classes=labels.classes,
            coef=coef,
            codes=codes[used],
            scores=scores[used],
            diagonal=diagonal[used],
            squared_norm=square,
        )

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        assert isinstance(fitted, ParzenFitted)
        self.dual_coef_ = fitted.coef

    def predict_proba(self, X: Samples) -> Floats:
        """Shares of the classes in the sum of the kernel values: densities times frequencies.

        Where all densities vanish, the shares of the classes in the training rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            New points; of a precomputed kernel their values against the training rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``.
        """
        scores = self._expand(self._query(X), self.fitted_.coef)
        if scores.min(initial=0.0) < 0:
            raise ValueError(
                "the kernel sums of a class are negative, so they are no densities; predict_proba "
                "needs a kernel without negative values, such as 'rbf' or 'laplacian'"
            )
        total = scores.sum(axis=1, keepdims=True)
        prior = self.fitted_.coef.sum(axis=0)
        return np.where(total > 0, scores / np.where(total > 0, total, 1.0), prior / prior.sum())

    def _outputs(self, X: Samples) -> Floats:
        """Scores of the classes; of two classes their difference."""
        scores = self._expand(X, self.fitted_.coef)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def _publish_evidence(self) -> Evidence:
        fitted = self.fitted_
        scores, codes = fitted.scores, fitted.codes
        count = scores.shape[1]
        two = count == 2
        guess = (scores[:, 1] >= scores[:, 0]).astype(int) if two else scores.argmax(axis=1)
        facts = fitted.facts(fitted.diagonal)
        norm = None
        if fitted.squared_norm is not None and facts["point_norms"] is not None:
            norm = float(np.sqrt(max(fitted.squared_norm, 0.0)))
        return Evidence(
            len(codes),
            n_classes=count,
            learner=f"this {type(self).__name__}",
            formulation="parzen",
            errors=int(np.count_nonzero(guess != codes)),
            margins=(scores[:, 1] - scores[:, 0]) * (2.0 * codes - 1.0) if two else None,
            norm=norm,
            **facts,
        )
