"""Kernel ridge regression at landmarks: one pass over any number of rows."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.metaestimators import available_if

from mercer._types import RandomState, Samples
from mercer.learners._door import Door
from mercer.learners._learner import Learner, Weighted
from mercer.learners._mixins import Regresses
from mercer.learners._parameters import Rule, non_negative, one_of, positive_whole
from mercer.learners._passes import InPasses, Passes
from mercer.learners._publishes import Publishes
from mercer.learners._reasons import ONE_SOLVE
from mercer.learners.large._adds_up import AddsUp
from mercer.learners.large._low_rank import SPENT, AtLandmarks, LowRankFitted
from mercer.learners.large._moments import first_sums, moments_of, products_with
from mercer.learners.large.landmarks import Landmarks, gram_of
from mercer.solvers.landmark_cg import FirstSums, factor_of, solve_at_landmarks
from mercer.solvers.sums import Moments, solve_ridge

Floats = NDArray[np.float64]
MOST_SUMS = 4000  # landmarks up to which products of coordinates are added up


@dataclass(frozen=True, kw_only=True)
class NystroemRidgeFitted(LowRankFitted):
    """The sums, from which more rows can go on; None if conjugate gradients did without."""

    moments: Moments | None
    condition: float
    flat: bool
    steps: int = 1


def _adds_up(model: Any) -> bool:
    return model.solver != "cg"


class NystroemRidge(Weighted, AddsUp, InPasses, AtLandmarks, Publishes, Regresses, Learner):
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
    fit_intercept : …
    solver : {"auto", "sums", "cg"}, default="auto"
        "sums" adds up products of coordinates in one pass, n m² operations; "cg" takes n m for each
        of its steps (preconditioned conjugate gradients, each of which is a pass), for thousands of
        landmarks. Both hold two m × m matrices. "auto" is "cg" beyond 4,000 landmarks.
    tol : float, default=1e-6
        Of "cg": the part of the first residual at which it stops.
    max_iter : int, default=100
        Of "cg": most steps.
    random_state : int, generator or None, default=None
        Draws the landmarks.
    certify : {"in-sample"} or None, default="in-sample"
        Whether the model publishes evidence, see :class:`mercer.SVC`.
    delta : float, default=0.05
        Probability with which a certificate may be wrong.

    Attributes
    ----------
    landmarks_ : …
    dual_coef_ : ndarray of shape (n_landmarks,) or (n_landmarks, n_targets)
        Their weights.
    intercept_ : float or ndarray
        The offsets.
    rank_ : …
    condition_ : float
        Condition number of the system that was solved; of "cg" that of the preconditioned one.
    n_iter_ : int
        Steps of "cg"; 1 for "sums".
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
    _rules: ClassVar[dict[str, Rule]] = {
        "alpha": non_negative,
        "n_landmarks": positive_whole,
        "solver": one_of("auto", "sums", "cg"),
        "max_iter": positive_whole,
    }
    fitted_: NystroemRidgeFitted

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        kernel: Any = "rbf",
        gamma: float | str = "scale",
        degree: float = 3,
        coef0: float = 0.0,
        n_landmarks: int = 500,
        fit_intercept: bool = True,
        solver: str = "auto",
        tol: float = 1e-6,
        max_iter: int = 100,
        random_state: RandomState = None,
        certify: str | None = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.n_landmarks = n_landmarks
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.certify = certify
        self.delta = delta

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [
            cls(),
            cls(0.1, n_landmarks=60, random_state=0),
            cls(0.1, gamma=0.05, n_landmarks=60, solver="cg", tol=1e-10, random_state=0),
        ]

    def _train_in_passes(self, rows: Passes) -> NystroemRidgeFitted:
        flat = rows.sample.y.ndim == 1
        many = min(int(self.n_landmarks), rows.sample.n)
        if self.solver == "cg" or (self.solver == "auto" and many > MOST_SUMS):
            return self._by_steps(rows, flat)
        landmarks, facts = self._placed(rows)
        return self._solved(facts, landmarks, moments_of(landmarks, rows), flat)

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

    @available_if(_adds_up)
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
        return self._go_on(X, y, sample_weight)

    def _by_steps(self, rows: Passes, flat: bool) -> NystroemRidgeFitted:
        landmarks, facts = self._placed(rows, whiten=False)
        if landmarks.places is None:
            gram = gram_of(landmarks.kernel, landmarks.rows)
        else:
            gram = rows.sample.X[np.ix_(landmarks.places, landmarks.places)]
        T = factor_of(gram)
        size = landmarks.block
        first = FirstSums(*rows.sum(partial(first_sums, landmarks=landmarks), size))

        def passed(u: Floats) -> Floats:
            (found,) = rows.sum(partial(products_with, landmarks=landmarks, u=u), size)
            return np.asarray(found)

        found = solve_at_landmarks(
            T, first, passed, float(self.alpha), bool(self.fit_intercept),
            tol=float(self.tol), max_iter=int(self.max_iter),
        )  # fmt: skip
        if found.residual > self.tol:
            warnings.warn(
                f"{found.steps} steps were not enough: {found.residual:.1e} of the residual is "
                f"left (tol={self.tol:g})",
                ConvergenceWarning,
                stacklevel=5,
            )
        return NystroemRidgeFitted(
            **facts,
            coef=found.coef,
            intercept=found.intercept,
            moments=None,
            condition=found.condition,
            flat=flat,
            steps=found.steps,
        )

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

    def _publish(self, fitted: Any) -> None:
        super()._publish(fitted)
        self.dual_coef_ = fitted.coef[:, 0] if fitted.flat else fitted.coef
        self.intercept_ = float(fitted.intercept[0]) if fitted.flat else fitted.intercept
        self.condition_, self.n_iter_ = fitted.condition, fitted.steps

    def _outputs(self, X: Samples) -> Floats:
        values = super()._outputs(X)
        return values[:, 0] if self.fitted_.flat else values
