"""Gaussian-process regression."""

from __future__ import annotations

import math
import numbers
import warnings
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from mercer._blas import blas_threads
from mercer._types import RandomState, Samples
from mercer.bounds import Evidence
from mercer.gram import NotPositiveDefiniteError
from mercer.learners._door import Door, TrainingSample
from mercer.learners._fitted import rows_of
from mercer.learners._mixins import Regresses
from mercer.learners._parameters import Rule, one_of
from mercer.learners.bayes._rules import BAYES_RULES
from mercer.learners.bayes._space import bayes_door, has_white, subset
from mercer.learners.bayes.gp._base import AnyTheta, GaussianProcess, in_precision, warn_of_bounds
from mercer.learners.bayes.gp._by_products import NO_WHITE, NOISE, SOLVERS, fits
from mercer.learners.bayes.gp._evidence import Likelihood, RegressionEvidence
from mercer.learners.bayes.gp._fitted import RegressionFitted, Targets
from mercer.learners.bayes.gp._on_a_part import chosen_on_a_part
from mercer.learners.bayes.gp._prediction import GaussianProcessPrediction
from mercer.learners.bayes.gp._publish import regression_evidence

Floats = NDArray[np.float64]
DEFAULT_ALPHA = 1e-10
NOISE_REACH = (1e-8, 1e2)  # of the variance of the targets


class GaussianProcessRegressor(GaussianProcessPrediction, Regresses, GaussianProcess):
    """Targets are a Gaussian process plus noise, in place of scikit-learn's class.

    Exact, for any kernel: f ~ GP(0, k), y = f(x) + N(0, noise). The mean of f given the data is
    Σ a_i k(x_i, x) with a = (K + noise I)^-1 y, which is kernel ridge regression; what the Bayesian
    view adds are error bars and the evidence, a number that says how well kernel and noise suit
    the data, whose maximum chooses them.

    Parameters, defaults and their meanings are scikit-learn's: nothing but ``alpha`` is noise,
    unless the kernel or ``noise`` says so. What we recommend for measured data is
    ``GaussianProcessRegressor("auto", noise="auto", optimizer="staged", normalize_y=True,
    n_restarts_optimizer=2)``, which `automatic` returns: everything is learned.

    ``fit`` takes weights: row i has the noise (alpha + noise) / w_i, so a weight is the precision
    of an observation relative to the others. Twice all weights is the same model with twice the
    learned noise; w equal rows with equal targets, on the other hand, say that noise is small.

    Parameters
    ----------
    kernel : kernel of scikit-learn, Kernel, str or callable, default=None
        None is scikit-learn's default, ``ConstantKernel() * RBF()``, with its bounds. "auto" is a
        variance times a Gaussian with one length scale per column (one for all beyond 30 columns)
        that starts at the spread of the data. "precomputed" takes the Gram matrix as data.
    alpha : float or array of shape (n_samples,), default=1e-10
        Known variance of the noise, in units of the (normalised) targets; an array gives every row
        its own.
    noise : float, "learn" or "auto", default=0.0
        Variance of the noise on top of ``alpha``: a number, or learned with the kernel. "auto"
        learns it unless ``alpha`` was given or the kernel has a white part.
    optimizer : {"fmin_l_bfgs_b", "staged"}, callable or None, default="fmin_l_bfgs_b"
        "fmin_l_bfgs_b" is SciPy's, on all rows; a function is called as scikit-learn does.
        "staged" lets the starts compete on 300 rows and follows the winner to all rows: faster
        from about a thousand rows on. None keeps all parameters.
    n_restarts_optimizer : int, default=0
        Random starts besides the given one: the evidence may have several maxima.
    normalize_y : bool, default=False
        Work on targets with mean 0 and variance 1; predictions are in the user's units.
    copy_X_train : bool, default=True
        Accepted for compatibility: the training rows are kept as validated.
    n_targets : int, default=None
        Number of targets, checked by ``fit``; before it, that of means and draws of the prior.
    random_state : int, RandomState or None, default=None
        Seed of the starts and of the order of rows.
    bounds : dict, default=None
        Limits (low, high) or "fixed" by parameter name, e.g. ``{"kernel__length_scale": (0.1, 10),
        "noise": (1e-4, 1.0)}``. A kernel of scikit-learn has its own, of which "noise" is not one.
    relevance_rate : float, default=0.0
        Rate of an exponential prior on every inverse squared length scale: switches inputs off.
    dtype : {"float64", "float32"}, default="float64"
        Precision of the covariance. float32 halves memory and time, and costs digits.
    time_limit : float, default=None
        Seconds for the search of hyper-parameters; the best ones so far are then used.
    solver : {"auto", "cholesky", "cg"}, default="auto"
        "cholesky" factors the covariance of all rows, at every step of the search. "cg" takes
        products with it alone, and no n x n array: the hyper-parameters are looked for on
        ``n_searched_`` rows drawn at random (up to 5000), all rows are then solved by conjugate
        gradients as accurately as by a factor, and the evidence is known up to
        ``log_marginal_likelihood_error_``. It needs noise. "auto" is "cg" where the matrices would
        not fit into the memory limit and there is noise.
    verbose : bool, default=False
        Show progress on standard error.
    warm_start : bool, default=False
        Search on from the hyper-parameters of the last fit.
    certify, delta :
        As for every learner, see `mercer.certified_fit`.

    Attributes
    ----------
    kernel_ : as ``kernel`` was given, with the learned parameters
        A kernel of scikit-learn has them as ``theta`` with ``bounds``.
    noise_ : float
        Learned or given variance of the noise, in units of the normalised targets.
    log_marginal_likelihood_value_ : float
        The log evidence at these parameters, of the normalised targets.
    log_marginal_likelihood_error_ : float
        Half-width of a 95 % interval around it, zero for solver "cholesky": the scatter of 16
        random vectors, which is estimated, and the error of the quadrature, which is bounded.
    solver_, n_searched_ : str, int
        "cholesky" or "cg", and the number of rows that chose the hyper-parameters.
    theta_ : ndarray
        Logarithms of the free parameters, ``kernel_.theta`` for kernels of scikit-learn, the
        learned noise last; ``theta_names_`` has their names.
    alpha_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        Dual coefficients of the mean.
    jitter_ : float
        What had to be added to the diagonal because the covariance was singular to rounding;
        only with a learned noise or float32, otherwise ``fit`` fails as scikit-learn's does.
    n_evaluations_ : int
        Evaluations of the evidence, on parts of the rows or on all.
    X_train_, y_train_ :
        Training rows and normalised targets.

    References
    ----------
    Herbrich, Learning Kernel Classifiers (2002), section 3.2.1, algorithm 4; Rasmussen and
    Williams, Gaussian Processes for Machine Learning (2006), chapters 2 and 5.
    """

    known_as: ClassVar[str] = "gp"
    lacks: ClassVar[Mapping[str, str]] = {"partial_fit": ""}
    _matrices: ClassVar[float] = 4.2
    _rules: ClassVar[dict[str, Rule]] = BAYES_RULES | {"solver": one_of(*SOLVERS)}
    _door: ClassVar[Door] = bayes_door("numbers")
    fitted_: RegressionFitted

    def __init__(
        self,
        kernel: Any = None,
        *,
        alpha: Any = DEFAULT_ALPHA,
        noise: Any = 0.0,
        optimizer: Any = "fmin_l_bfgs_b",
        n_restarts_optimizer: int = 0,
        normalize_y: bool = False,
        copy_X_train: bool = True,
        n_targets: int | None = None,
        random_state: RandomState = None,
        bounds: Any = None,
        relevance_rate: float = 0.0,
        dtype: str = "float64",
        time_limit: float | None = None,
        solver: str = "auto",
        verbose: bool = False,
        warm_start: bool = False,
        certify: str | None = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.kernel = kernel
        self.alpha = alpha
        self.noise = noise
        self.optimizer = optimizer
        self.n_restarts_optimizer = n_restarts_optimizer
        self.normalize_y = normalize_y
        self.copy_X_train = copy_X_train
        self.n_targets = n_targets
        self.random_state = random_state
        self.bounds = bounds
        self.relevance_rate = relevance_rate
        self.dtype = dtype
        self.time_limit = time_limit
        self.solver = solver
        self.verbose = verbose
        self.warm_start = warm_start
        self.certify = certify
        self.delta = delta

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [
            cls.automatic(n_restarts_optimizer=0),
            cls(kernel="precomputed", alpha=0.1),
            cls.automatic(n_restarts_optimizer=0, solver="cg"),
        ]

    @classmethod
    def automatic(cls, kernel: Any = "auto", **changes: Any) -> Self:
        """A process that learns everything, the same every time: recommended for measured data.

        Parameters
        ----------
        kernel : as for the class
        **changes
            Arguments that are not to be the recommended ones.
        """
        settings: dict[str, Any] = {
            "kernel": kernel,
            "noise": "auto",
            "optimizer": "staged",
            "n_restarts_optimizer": 2,
            "normalize_y": True,
            "random_state": 0,
        }
        return cls(**settings | changes)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False  # before fit, predict and sample_y speak about the prior
        return tags

    # -- fit ---------------------------------------------------------------------------------------

    def _train(self, sample: TrainingSample) -> RegressionFitted:
        targets = Targets.of(sample, self.normalize_y)
        seen = targets.unit.shape[1]
        if self.n_targets is not None and seen != self.n_targets:
            raise ValueError(
                "The number of targets seen in `y` is different from the parameter `n_targets`. "
                f"Got {seen} != {self.n_targets}."
            )
        rows = in_precision(sample.X, self.dtype)
        theta = self._start_kernel(rows)
        likelihood = self._likelihood(sample, has_white(theta.kernel), targets.spread)
        if self._by_products(sample):
            if has_white(theta.kernel):
                raise ValueError(NO_WHITE)
            fitted = chosen_on_a_part(self, sample, rows, targets, theta, likelihood)
        else:
            fitted = self._chosen(sample, rows, targets, theta, likelihood)
        if fitted.jitter > 0:
            warnings.warn(
                f"the covariance was singular to rounding (duplicate rows, or no noise): "
                f"{fitted.jitter:.3g} was added to its diagonal, see jitter_",
                ConvergenceWarning,
                stacklevel=5,  # whoever called fit
            )
        if self.optimizer is not None:
            warn_of_bounds(theta.public_at(fitted.point[: theta.size]))
        return fitted

    def _by_products(self, sample: TrainingSample) -> bool:
        """Whether conjugate gradients take the place of a factor that does not fit."""
        if self.solver != "auto" or fits(sample.n, self._matrices):
            return self.solver == "cg"
        white = hasattr(self.kernel, "get_params") and has_white(self.kernel)
        spread = Targets.of(sample, self.normalize_y).spread
        own = self._likelihood(sample, white, spread)
        enough = float(np.min(own.variances(own.noise))) > NOISE * spread
        return not white and (own.learn or enough)

    def _held(self, sample: TrainingSample) -> float:
        return 0.0 if self._by_products(sample) else super()._held(sample)

    def _likelihood(self, sample: TrainingSample, white: bool, spread: float) -> Likelihood:
        alpha = np.asarray(self.alpha, dtype=np.float64)
        if alpha.ndim == 1 and sample.kept is not None and len(alpha) == sample.n + sample.dropped:
            alpha = alpha[sample.kept]
        if alpha.shape == (1,):
            alpha = alpha[0]
        if alpha.ndim > 1 or (alpha.ndim == 1 and len(alpha) != sample.n):
            raise ValueError(
                "alpha must be a scalar or an array with same number of entries as y; got shape "
                f"{alpha.shape} for {sample.n} rows"
            )
        if not np.all(alpha >= 0) or not np.all(np.isfinite(alpha)):
            raise ValueError("alpha is a variance: it must be finite and not negative")
        given = alpha.ndim == 1 or float(alpha) != DEFAULT_ALPHA
        if not isinstance(self.noise, str):
            if not isinstance(self.noise, numbers.Real) or not float(self.noise) >= 0:
                raise ValueError(f"noise must be 'auto', 'learn' or >= 0, got {self.noise!r}")
            learn, noise = False, float(self.noise)
        elif self.noise in ("auto", "learn"):
            learn = self.noise == "learn" or not (given or white)
            noise = 0.1 * spread if learn else 0.0
        else:
            raise ValueError(f"noise must be 'auto', 'learn' or a number, got {self.noise!r}")
        return Likelihood(np.broadcast_to(alpha, (sample.n,)).copy(), sample.weight, noise, learn)

    def _chosen(
        self,
        sample: TrainingSample,
        X: Samples,
        targets: Targets,
        theta: AnyTheta,
        likelihood: Likelihood,
    ) -> RegressionFitted:
        """Search for the hyper-parameters, and factor the covariance of all rows there."""
        names, start, bounds = self._free(theta, likelihood, targets.spread)
        everything: list[RegressionEvidence] = []
        forgiving = likelihood.learn or self.dtype == "float32"

        def evidence_of(rows: NDArray[np.intp] | None) -> RegressionEvidence:
            part = subset(theta.kernel, X, rows)
            own = likelihood if rows is None else likelihood.rows(rows)
            y = targets.unit if rows is None else targets.unit[rows]
            made = RegressionEvidence(
                part, y, theta, own, self.dtype, self.relevance_rate, forgiving=forgiving
            )
            if rows is None:
                everything.append(made)
            return made

        start = self._warm(start, bounds, names)
        search = self._optimise(evidence_of, sample.n, start, bounds, names, "GP evidence")
        best = search.best
        candidates = [start] if best is None else [best.proposal, best.x]
        reached = -math.inf if best is None else -best.value
        evidence = everything[-1] if everything else evidence_of(None)
        with blas_threads(sample.n):
            for point in candidates:  # the step not evaluated yet, unless it does not improve
                kernel, noise = evidence.split(point)
                try:
                    coef, value = evidence.factored(kernel, noise)
                except NotPositiveDefiniteError as error:
                    raise self._singular(theta.public_at(point[: theta.size])) from error
                if value + evidence._relevance_prior(point)[0] >= reached:
                    break
        return RegressionFitted(
            **rows_of(sample),
            rows=evidence.X,
            dtype=self.dtype,
            names=names,
            point=point,
            log_evidence=value,
            n_evaluations=search.n_evaluations,
            timed_out=search.timed_out,
            kernel=kernel,
            noise=noise,
            theta=theta,
            likelihood=likelihood,
            targets=targets,
            coef=coef,
            jitter=evidence.triangle.jitter,
            converged=best is None or best.converged,
        ).factored_as(evidence.triangle)

    def _warm(self, start: Floats, bounds: Floats, names: list[str]) -> Floats:
        """The hyper-parameters of the last fit, if the search is to go on from there."""
        last = self.__dict__.get("fitted_") if self.warm_start else None
        if last is None or self.optimizer is None or list(last.names) != names:
            return start
        return np.clip(last.point, bounds[:, 0], bounds[:, 1])

    def _singular(self, kernel: Any) -> NotPositiveDefiniteError:
        """In the words of scikit-learn."""
        return NotPositiveDefiniteError(
            f"The kernel, {kernel}, is not returning a positive definite matrix. Try gradually "
            f"increasing the 'alpha' parameter of your {type(self).__name__} estimator. Duplicate "
            "rows do this; noise='learn' helps too."
        )

    def _default_kernel(self) -> Any:
        from sklearn.gaussian_process.kernels import RBF, ConstantKernel

        return ConstantKernel() * RBF()

    def _free(
        self, theta: AnyTheta, likelihood: Likelihood, spread: float
    ) -> tuple[list[str], Floats, Floats]:
        """Names, starts and bounds of what is searched, the noise last."""
        start, bounds = theta.start(), theta.bounds()
        if not likelihood.learn:
            return list(theta.names), start, bounds
        limits = (self.bounds or {}).get("noise", spread * np.array(NOISE_REACH))
        start = np.append(start, math.log(np.clip(likelihood.noise, *limits)))
        return [*theta.names, "noise"], start, np.vstack([bounds, np.log(limits)])

    def _publish_evidence(self) -> Evidence:
        return regression_evidence(self)
