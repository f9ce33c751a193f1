"""Regularised-risk classification for any convex loss."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if

from mercer._types import Samples
from mercer.learners._door import Door, TrainingSample
from mercer.learners._fitted import Fitted
from mercer.learners._mixins import Classifies
from mercer.learners._risk import RiskMachine
from mercer.learners.discriminant._scores import ClassProbabilities
from mercer.losses import Logistic, get_loss

Floats = NDArray[np.float64]


def _is_logistic(learner: Any) -> bool:
    """Whether outputs are logarithms of odds."""
    loss = get_loss(learner.loss)
    if not isinstance(loss, Logistic):
        raise AttributeError(f"outputs of {loss!r} are no logarithms of odds")
    return True


class RegularizedRiskClassifier(ClassProbabilities, Classifies, RiskMachine):
    """Minimise ½‖f‖² + C Σ ℓ(f(x) + b, y) over functions of a kernel's space, y = ±1.

    The hinge gives the support vector machine, its square the quadratic soft margin, the logistic
    loss kernel logistic classification, the exponential loss the one of AdaBoost, the square
    loss least-squares classification; a ``Loss`` of your own works as well. Of several classes the
    logistic loss is the multinomial one, for all classes together, as in ``KernelLogistic``; with
    other losses each class is learned against the rest. Only the logistic loss has
    ``predict_proba``. A weight of w counts as w copies of the row.

    Parameters
    ----------
    loss : str or Loss, default="logistic"
        Name of a loss in ``mercer.losses``, or an instance such as ``Logistic(rate=2.0)``.
    C : float, default=1.0
        Price of the losses; the texts' (1/n) Σ ℓ + λ‖f‖² is C = 1/(2λn).
    kernel; gamma; degree, coef0; fit_intercept : …
    solver : {"auto", "newton", "splitting", "working sets"}, default="auto"
        Newton's method for smooth losses, the compiled solver for the kinked ones it knows,
        alternating directions (which needs the loss's gradient only) for all others.
    tol : float, default=1e-6
        Duality gap at which to stop, relative to the objective if that is above 1.
    max_iter : int, default=-1
        Most iterations; -1 for the solver's own limit.
    warm_start : bool, default=False
        Whether Newton's method starts from the functions of the previous fit, if rows are as many.
    time_limit : float, default=None
        Seconds after which to stop with what there is, and a warning.
    verbose : bool, default=False
        Whether to show the progress.
    certify; delta : …

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_classes)
        Coefficients: ``f(x) = sum_i dual_coef_i k(x_i, x) + intercept_``.
    intercept_ : float
        The offset.
    dual_gap_, objective_ : float
        How far from optimal the objective can be, and its value.
    n_iter_, solver_ : int, str
        Iterations, and the method that took them.
    classes_ : ndarray of shape (2,)
        The labels; a positive output means the second.
    loss_, kernel_, X_fit_
        What was used and is needed for prediction.
    evidence_, certificate_, certificates_, not_applicable_; n_features_in_; feature_names_in_ : …

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.learners.discriminant import RegularizedRiskClassifier
    >>> X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    >>> RegularizedRiskClassifier("exponential").fit(X, list("aabb")).predict([[1.5]])
    array(['b'], dtype='<U1')
    """

    _task = "classification"
    _against_rest: ClassVar[bool] = True
    _tag: ClassVar[str] = "learner:regularised-risk-classifier"
    _matrices: ClassVar[float] = 5.0
    _door: ClassVar[Door] = Door(asks="kernel", targets="labels")

    def __init__(
        self,
        loss: Any = "logistic",
        *,
        C: float = 1.0,
        kernel: Any = "rbf",
        gamma: float | str = "scale",
        degree: float = 3,
        coef0: float = 0.0,
        fit_intercept: bool = True,
        solver: str = "auto",
        tol: float = 1e-6,
        max_iter: int = -1,
        warm_start: bool = False,
        time_limit: float | None = None,
        verbose: bool = False,
        certify: str | None = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.loss = loss
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.time_limit = time_limit
        self.verbose = verbose
        self.certify = certify
        self.delta = delta

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [cls(), cls("hinge")]

    def _trained(self, sample: TrainingSample) -> Fitted:
        if isinstance(self._loss(), Logistic):
            return self._train(sample)
        return super()._trained(sample)

    def _log_odds(self, X: Samples) -> Floats:
        loss = self._loss()
        assert isinstance(loss, Logistic)
        return loss.rate * self.decision_function(X)

    predict_proba = available_if(_is_logistic)(ClassProbabilities.predict_proba)
    predict_log_proba = available_if(_is_logistic)(ClassProbabilities.predict_log_proba)
