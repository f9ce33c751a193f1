"""Kernel logistic classification: probabilities from a function of the kernel's space."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mercer.learners._door import Door
from mercer.learners._mixins import Classifies
from mercer.learners._risk import RiskMachine
from mercer.learners.discriminant._scores import ClassProbabilities
from mercer.losses import Logistic, Loss

Floats = NDArray[np.float64]


class KernelLogistic(ClassProbabilities, Classifies, RiskMachine):
    """Minimise ½‖f‖² + C Σ ln(1 + exp(−y f(x))): P(y = +1 | x) = 1/(1 + exp(−f(x))).

    Of several classes it is the multinomial form, ½ Σ_k ‖f_k‖² + C Σ −ln P(y | x) with
    P(k | x) ∝ exp(f_k(x)), for all classes together. A weight of w counts as w copies of the row.
    Newton's method with a duality gap. It is the regularised-risk machine of the logistic loss,
    and the mode of a Gaussian-process classifier with covariance C·k.

    Parameters
    ----------
    C : float, default=1.0
        Price of the losses; the texts' (1/n) Σ ℓ + λ‖f‖² is C = 1/(2λn).
    kernel; gamma; degree, coef0; fit_intercept : …
    tol : float, default=1e-8
        Duality gap at which to stop, relative to the objective if that is above 1.
    max_iter : int, default=-1
        Most Newton steps; -1 for 200.
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
    intercept_ : float or ndarray of shape (n_classes,)
        The offsets.
    classes_ : ndarray of shape (n_classes,)
        The labels; of two, a positive output means the second.
    dual_gap_, objective_ : float
        How far from optimal the objective can be, and its value.
    n_iter_ : int
        Newton steps.
    loss_, kernel_, X_fit_
        What was used and is needed for prediction.
    evidence_, certificate_, certificates_, not_applicable_; n_features_in_; feature_names_in_ : …

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.learners.discriminant import KernelLogistic
    >>> X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    >>> KernelLogistic(C=10).fit(X, [0, 0, 1, 1]).predict_proba([[0.0]]).round(3)
    array([[0.5, 0.5]])
    """

    _task = "classification"
    _matrices: ClassVar[float] = 5.0
    _door: ClassVar[Door] = Door(asks="kernel", targets="labels")
    solver = "newton"

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Any = "rbf",
        gamma: float | str = "scale",
        degree: float = 3,
        coef0: float = 0.0,
        fit_intercept: bool = True,
        tol: float = 1e-8,
        max_iter: int = -1,
        warm_start: bool = False,
        time_limit: float | None = None,
        verbose: bool = False,
        certify: str | None = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.time_limit = time_limit
        self.verbose = verbose
        self.certify = certify
        self.delta = delta

    def _loss(self) -> Loss:
        return Logistic()
