"""Kernel ridge regression at landmarks: one pass over any number of rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from mercer.engine.tree import tree_sum
from mercer.learners._door import Door, Kind, TrainingSample
from mercer.learners._learner import Learner, Weighted
from mercer.learners._mixins import Regresses
from mercer.learners._parameters import Rule, non_negative, positive_whole
from mercer.learners._publishes import Publishes
from mercer.learners._reasons import ONE_SOLVE
from mercer.learners.large._low_rank import SPENT, AtLandmarks, LowRankFitted
from mercer.learners.large.landmarks import Landmarks
from mercer.solvers.sums import Moments, merge, solve_ridge

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class NystroemRidgeFitted(LowRankFitted):
    """The sums, from which more rows can go on."""

    moments: Moments
    condition: float
    flat: bool


class NystroemRidge(Weighted, AtLandmarks, Publishes, Regresses, Learner):
    """Minimise Σ (y − f(x))² + α‖f‖² over f = Σ c_j k(z_j, ·) + b, at landmarks z_j.

    One pass adds up the products of whitened coordinates: memory does not grow with the rows, and
    with all rows as landmarks it is :class:`mercer.KernelRidge`. Sums of several parts of the rows
    add up, so ``partial_fit`` goes on with more rows and ``merge`` joins two models that have the
    same landmarks.

    Parameters
    ----------
    alpha : float, default=1.0
        Price of ‖f‖².
    kernel, gamma, degree, coef0
        As in :class:`mercer.KernelRidge`, but ``"rbf"`` with ``gamma="scale"`` by default.
    n_landmarks : int, default=500
        Rows drawn as landmarks; time grows with its square.
    fit_intercept : bool, default=True
        Whether there is an offset, which costs nothing.
    random_state : int, generator or None, default=None
        Draws the landmarks.
    certify : {"in-sample"} or None, default="in-sample"
        Whether the model publishes evidence, see :class:`mercer.SVC`.
    delta : float, default=0.05
        Probability with which a certificate may be wrong.

    Attributes
    ----------
    landmarks_ : ndarray
        The rows that new ones are compared with.
    dual_coef_ : ndarray of shape (n_landmarks,) or (n_landmarks, n_targets)
        Their weights.
    intercept_ : float or ndarray
        The offsets.
    rank_ : int
        Coordinates that were left after whitening.
    condition_ : float
        Condition number of the system that was solved.
    evidence_, certificate_, certificates_, not_applicable_
        As in :class:`mercer.SVC`.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.learners import NystroemRidge
    >>> X = np.random.default_rng(0).uniform(-3, 3, size=(5000, 1))
    >>> model = NystroemRidge(alpha=0.1, gamma=1.0, n_landmarks=50, random_state=0)
    >>> bool(model.fit(X, np.sin(X[:, 0])).score(X, np.sin(X[:, 0])) > 0.999)
    True
    """

    lacks: ClassVar[Mapping[str, str]] = ONE_SOLVE | {"partial_fit": "", "certificate": SPENT}
    _door: ClassVar[Door] = Door(asks="kernel", targets="numbers")
    _rules: ClassVar[dict[str, Rule]] = {"alpha": non_negative, "n_landmarks": positive_whole}
    fitted_: NystroemRidgeFitted

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        kernel: Any = "rbf",
        gamma: Any = "scale",
        degree: float = 3,
        coef0: float = 0.0,
        n_landmarks: int = 500,
        fit_intercept: bool = True,
        random_state: Any = None,
        certify: Any = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.n_landmarks = n_landmarks
        self.fit_intercept = fit_intercept
        self.random_state = random_state
        self.certify = certify
        self.delta = delta

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [cls(), cls(0.1, n_landmarks=60, random_state=0)]

    def _train(self, sample: TrainingSample) -> NystroemRidgeFitted:
        landmarks, facts = self._placed(sample)
        return self._solved(facts, landmarks, moments_of(landmarks, sample), sample.y.ndim == 1)

    def _solved(
        self, facts: dict[str, Any], landmarks: Landmarks, moments: Moments, flat: bool
    ) -> NystroemRidgeFitted:
        found = solve_ridge(moments, float(self.alpha), bool(self.fit_intercept))
        return NystroemRidgeFitted(
            **facts,
            coef=landmarks.whitening @ found.weights,
            intercept=found.intercept,
            moments=moments,
            condition=found.condition,
            flat=flat,
        )

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Go on with more rows; landmarks and kernel stay those of the first ones.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The next points.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Their targets.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each counts.

        Returns
        -------
        self : object
            The estimator.
        """
        before = self.__dict__.get("fitted_")
        absorb = self._train if before is None else partial(self._absorb, before)
        return self._run(absorb, X, y, sample_weight, reset=before is None)

    def _absorb(self, before: NystroemRidgeFitted, sample: TrainingSample) -> NystroemRidgeFitted:
        if before.kind is Kind.GRAM:
            raise ValueError(
                "a matrix of kernel values cannot go on: new rows have no values against the old "
                "ones. Give the rows and a kernel."
            )
        moments = before.moments.merge(moments_of(before.landmarks, sample))
        return self._rejoined(before, moments, before.n + sample.n)

    def _rejoined(
        self, before: NystroemRidgeFitted, moments: Moments, n: int
    ) -> NystroemRidgeFitted:
        found = solve_ridge(moments, float(self.alpha), bool(self.fit_intercept))
        return replace(
            before,
            n=n,
            coef=before.whitening @ found.weights,
            intercept=found.intercept,
            moments=moments,
            condition=found.condition,
        )

    def merge(self, other: NystroemRidge) -> Self:
        """Become the model of both parts of the rows; ``other`` has the same landmarks.

        Parameters
        ----------
        other : NystroemRidge
            Fitted on other rows by ``partial_fit`` of a copy of this model's first fit.

        Returns
        -------
        self : object
            The estimator.
        """
        mine, yours = self.fitted_, other.fitted_
        same = mine.coef.shape == yours.coef.shape and np.array_equal(
            mine.whitening, yours.whitening
        )
        if not same:
            raise ValueError(
                "models with different landmarks have no common sums: start both from one fit, for "
                "instance by copy.deepcopy, and give each its own rows"
            )
        seen = None  # rows of both are known only as sums
        self._settle(self._rejoined(mine, mine.moments.merge(yours.moments), mine.n + yours.n))
        self._rows_seen = seen
        return self

    def _publish(self, fitted: Any) -> None:
        super()._publish(fitted)
        self.dual_coef_ = fitted.coef[:, 0] if fitted.flat else fitted.coef
        self.intercept_ = float(fitted.intercept[0]) if fitted.flat else fitted.intercept
        self.condition_ = fitted.condition

    def _outputs(self, X: Any) -> Floats:
        values = super()._outputs(X)
        return values[:, 0] if self.fitted_.flat else values


def moments_of(landmarks: Landmarks, sample: TrainingSample) -> Moments:
    """The sums of all rows, batch after batch."""
    y = sample.y.reshape(sample.n, -1)
    weight = None if np.all(sample.weight == 1.0) else sample.weight
    return tree_sum(
        (
            Moments.of(phi, y[rows], None if weight is None else weight[rows])
            for rows, phi in landmarks.batches(sample.X)
        ),
        merge,
    )
