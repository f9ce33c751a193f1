"""Regularised-risk regression for any convex loss."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from mercer.learners._door import Door
from mercer.learners._mixins import Regresses
from mercer.learners._risk import RiskMachine


class RegularizedRiskRegressor(Regresses, RiskMachine):
    """Minimise ½‖f‖² + C Σ ℓ(f(x) + b, y) over functions of a kernel's space.

    Square gives kernel ridge, the ε-insensitive loss support vector regression, the pinball loss
    quantile regression, Huber's a robust fit; a ``Loss`` of your own works as well.

    Parameters
    ----------
    loss : str or Loss, default="square"
        Name of a loss in ``mercer.losses``, or an instance such as ``Quantile(0.9)``.
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
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        Coefficients: ``f(x) = sum_i dual_coef_i k(x_i, x) + intercept_``.
    intercept_ : float or ndarray of shape (n_targets,)
        The offsets.
    dual_gap_, objective_ : float
        How far from optimal the objective can be, and its value.
    n_iter_, solver_ : int, str
        Iterations, and the method that took them.
    loss_, kernel_, X_fit_
        What was used and is needed for prediction.
    evidence_, certificate_, certificates_, not_applicable_; n_features_in_; feature_names_in_ : …

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.learners.regression import RegularizedRiskRegressor
    >>> from mercer.losses import Quantile
    >>> X = np.linspace(0, 3, 40)[:, None]
    >>> y = np.sin(X[:, 0]) + np.tile([-0.2, 0.0, 0.0, 0.2], 10)
    >>> high = RegularizedRiskRegressor(Quantile(0.9), C=10).fit(X, y)
    >>> bool(np.mean(y <= high.predict(X)) > 0.8)
    True
    """

    _task = "regression"
    _tag: ClassVar[str] = "learner:regularised-risk-regressor"
    lacks: ClassVar[Mapping[str, str]] = {
        "certificate": "the default loss, the square, is not bounded; of the others the "
        "epsilon-insensitive one has a tube that bounds speak about",
        "progress": "the default loss, the square, is one direct solve; of the others the steps "
        "are shown",
    }
    _matrices: ClassVar[float] = 5.0
    _door: ClassVar[Door] = Door(asks="kernel", targets="numbers")

    def __init__(
        self,
        loss: Any = "square",
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
        return [cls(), cls("quantile")]
