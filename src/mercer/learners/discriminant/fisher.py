"""Fisher's linear discriminant, for two classes and for many."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from mercer.bounds import Evidence
from mercer.learners._door import TrainingSample
from mercer.learners._fitted import rows_of
from mercer.learners._parameters import Rule, non_negative
from mercer.learners._reasons import COORDINATES, ONE_SOLVE
from mercer.learners.discriminant._mass import check_every_class, class_shares
from mercer.learners.discriminant._projects import RULES, Discriminates
from mercer.learners.discriminant._scatter import Scatter, discriminant
from mercer.learners.discriminant._scores import LinearScores, ScoresFitted

Floats = NDArray[np.float64]


class FisherDiscriminant(Discriminates, LinearScores):
    """Gaussians of common covariance S: the score of class y is μ_y'S⁻¹x − ½μ_y'S⁻¹μ_y + ln P(y).

    Of two classes it is the plane w = S⁻¹(μ₊ − μ₋). ``transform`` projects on the directions in
    which the class means differ most, measured by the spread within classes. Sparse rows are not
    made dense; beyond 1000 columns, and if there are fewer rows, nothing is formed that has the
    size of columns × columns.

    Parameters
    ----------
    solver : {"moments", "eigen", "least_squares"}, default="moments"
        Solve S w = μ_y − μ; or maximise the ratio of the gap between the projected means to the
        projected variance; or regress m/m_y on (x, 1), for rows of class y, 0 for the others. All
        give the same directions; the last puts the planes at the overall mean instead, and its
        outputs are no logarithms of odds: it has no ``predict_proba``.
    prior : {"estimated", "equal"} or array-like of shape (n_classes,), default="estimated"
        Class probabilities: the frequencies, the same for all, or these. Least squares does not
        use them.
    reg_param : float, default=0.0
        Added to the diagonal of S. Without it a singular S is inverted on its range only; if the
        gaps are orthogonal to that range, they are the directions.
    n_components : int, default=None
        Directions of ``transform``; None for all, at most one less than there are classes.
    certify; delta : …

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        The normal w, or one per class.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        The offsets.
    means_ : ndarray of shape (n_classes, n_features)
        Class means.
    priors_ : ndarray of shape (n_classes,)
        Class probabilities.
    covariance_ : ndarray of shape (n_features, n_features)
        Within-class covariance S, `reg_param` included; not there where S was not formed.
    scalings_ : ndarray of shape (n_features, n_components)
        Directions of ``transform``.
    xbar_ : ndarray of shape (n_features,)
        The overall mean.
    explained_variance_ratio_ : ndarray of shape (n_components,)
        Share of each direction in the spread between classes.
    classes_ : ndarray of shape (n_classes,)
        The labels; of two, a positive output means the second.
    evidence_, certificate_, certificates_, not_applicable_; n_features_in_; feature_names_in_ : …

    Examples
    --------
    >>> from mercer.learners.discriminant import FisherDiscriminant
    >>> X = [[0, 0], [0, 1], [3, 0], [3, 1]]
    >>> FisherDiscriminant(reg_param=0.1).fit(X, [0, 0, 1, 1]).predict([[2, 0]])
    array([1])
    """

    lacks: ClassVar[Mapping[str, str]] = COORDINATES | ONE_SOLVE
    _rules: ClassVar[dict[str, Rule]] = RULES | {"reg_param": non_negative}
    _state_version: ClassVar[int] = 3
    scalings_: Floats
    xbar_: Floats

    def __init__(
        self,
        *,
        solver: str = "moments",
        prior: Any = "estimated",
        reg_param: float = 0.0,
        n_components: int | None = None,
        certify: Any = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.solver = solver
        self.prior = prior
        self.reg_param = reg_param
        self.n_components = n_components
        self.certify = certify
        self.delta = delta

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [cls(), cls(solver="least_squares")]

    def _train(self, sample: TrainingSample) -> ScoresFitted:
        labels, used = self._labels(sample), np.flatnonzero(sample.weight > 0)
        X = (sample.X[used] if sample.dropped else sample.X).astype(np.float64, copy=False)
        scatter = Scatter(X, labels.codes[used], sample.weight[used], float(self.reg_param))
        check_every_class(labels.classes, scatter.mass)
        wanted = self._check_components(len(labels.classes), X.shape[1])
        shares = class_shares(self.prior, scatter.mass)
        found = discriminant(scatter, self.solver, shares)
        self._warn_if_degenerate(len(found.ratios))
        coef, intercept = found.plane
        attributes = {
            "means_": scatter.means,
            "priors_": shares,
            "xbar_": scatter.mean,
            "scalings_": found.scalings[:, :wanted],
            "explained_variance_ratio_": found.ratios[:wanted],
        }
        if scatter.formed:
            attributes["covariance_"] = scatter.covariance
        return ScoresFitted(
            **rows_of(sample),
            classes=labels.classes,
            coef=np.ascontiguousarray(coef.T),
            intercept=intercept,
            codes=scatter.codes,
            scores=np.asarray(X @ coef) + intercept,
            attributes=attributes,
        )

    def _projections(self, X: Any) -> Floats:
        return np.asarray(X @ self.scalings_) - self.xbar_ @ self.scalings_

    def _publish_evidence(self) -> Evidence:
        fitted = self.fitted_
        two, size = fitted.two, fitted.coef.shape[1]
        return Evidence(
            len(fitted.codes),
            learner=f"this {type(self).__name__}",
            formulation="linear",
            n_classes=len(self.classes_),
            errors=fitted.errors(),
            margins=fitted.margins(),
            norm=float(np.linalg.norm(fitted.coef)) if two else None,
            offset=float(fitted.intercept[0]) if two else None,
            dimension=float(size) if two else None,
            rank=size if two else None,
            choices=fitted.choices(),
        )
