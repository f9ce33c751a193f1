"""Gaussian-process regression."""

from __future__ import annotations

import math
import numbers
import warnings
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning

from mercer._blas import blas_threads
from mercer.bounds import Evidence
from mercer.learners.bayes._data import Sample, subset, training_sample
from mercer.learners.bayes._space import has_white
from mercer.learners.bayes.gp._base import GaussianProcess
from mercer.learners.bayes.gp._evidence import Likelihood, RegressionEvidence
from mercer.learners.bayes.gp._prediction import GaussianProcessPrediction
from mercer.learners.bayes.gp._publish import regression_evidence

Floats = NDArray[np.float64]
DEFAULT_ALPHA = 1e-10
NOISE_REACH = (1e-8, 1e2)  # of the variance of the targets


class GaussianProcessRegressor(
    GaussianProcessPrediction, MultiOutputMixin, RegressorMixin, GaussianProcess
):
    """Targets are a Gaussian process plus noise; all hyper-parameters from the evidence.

    Exact, for any kernel: f ~ GP(0, k), y = f(x) + N(0, noise). The mean of f given the data is
    Σ a_i k(x_i, x) with a = (K + noise I)^-1 y, which is kernel ridge regression; what the Bayesian
    view adds are error bars and the evidence, a number that says how well kernel and noise suit
    the data, whose maximum chooses them.

    Parameters
    ----------
    kernel : Kernel, kernel of scikit-learn, str or callable, default=None
        By default a variance times a Gaussian with one length scale per column (one for all
        beyond 30 columns). "precomputed" takes the Gram matrix as data.
    alpha : float or array of shape (n_samples,), default=1e-10
        Known variance of the noise, in units of the (normalised) targets; an array gives every row
        its own.
    noise : "auto", "learn" or float, default="auto"
        Variance of the noise on top of ``alpha``: learned, or a number. "auto" learns it unless
        ``alpha`` was given or the kernel has a `White` part.
    optimizer : {"staged", "fmin_l_bfgs_b"}, callable or None, default="staged"
        "staged" lets the starts compete on 400 rows and follows the winner to all rows.
        "fmin_l_bfgs_b" is SciPy's, on all rows; a function is called as scikit-learn does. None
        keeps all parameters.
    n_restarts_optimizer : int, default=2
        Random starts besides the given one: the evidence may have several maxima.
    normalize_y : bool, default=True
        Work on targets with mean 0 and variance 1; predictions are in the user's units.
    copy_X_train : bool, default=True
        Accepted for compatibility: the training rows are kept as validated.
    n_targets : int, default=None
        Number of outputs of prior samples before ``fit``.
    random_state : int, RandomState or None
        Seed of the starts and of the order of rows.
    bounds : dict, default=None
        Limits (low, high) or "fixed" by parameter name, e.g. ``{"kernel__length_scale": (0.1, 10),
        "noise": (1e-4, 1.0)}``.
    relevance_rate : float, default=0.0
        Rate of an exponential prior on every inverse squared length scale: switches inputs off.
    dtype : {"float64", "float32"}, default="float64"
        Precision of the covariance. float32 halves memory and time, and costs digits.
    time_limit : float, default=None
        Seconds for the search of hyper-parameters; the best ones so far are then used.
    verbose : bool, default=False
        Show progress on standard error.
    certify, delta :
        As for every learner, see `mercer.certified_fit`.

    Attributes
    ----------
    kernel_ : Kernel
        With the learned parameters.
    noise_ : float
        Learned or given variance of the noise, in units of the normalised targets.
    log_marginal_likelihood_value_ : float
        The log evidence at these parameters, of the normalised targets.
    theta_ : ndarray
        Logarithms of the free parameters, the noise last; ``theta_names_`` has their names.
    alpha_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        Dual coefficients of the mean.
    jitter_ : float
        What had to be added to the diagonal because the covariance was singular to rounding.
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

    def __init__(
        self,
        kernel: Any = None,
        *,
        alpha: Any = DEFAULT_ALPHA,
        noise: Any = "auto",
        optimizer: Any = "staged",
        n_restarts_optimizer: int = 2,
        normalize_y: bool = True,
        copy_X_train: bool = True,
        n_targets: int | None = None,
        random_state: Any = 0,
        bounds: Any = None,
        relevance_rate: float = 0.0,
        dtype: str = "float64",
        time_limit: float | None = None,
        verbose: bool = False,
        certify: Any = "in-sample",
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
        self.verbose = verbose
        self.certify = certify
        self.delta = delta

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False  # before fit, predict and sample_y speak about the prior
        return tags

    # -- fit ---------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Choose the hyper-parameters and factor the covariance.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or objects
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : array-like of shape (n_samples,), optional
            A row of weight w counts as w rows with the same target.

        Returns
        -------
        self
        """
        self._check_parameters()
        self._forget_certificates()
        sample = training_sample(self, X, y, sample_weight, multi_output=True)
        self._read_targets(sample)
        rows = self._cast(sample.X)
        start, theta = self._start_kernel(rows)
        likelihood = self._likelihood(sample, has_white(start))
        evidence = self._choose(rows, theta, likelihood)
        with blas_threads(sample.n):
            self._settle(evidence, sample)
        return self

    def _read_targets(self, sample: Sample) -> None:
        y = np.asarray(sample.y, dtype=np.float64)
        self._flat = y.ndim == 1
        y = y.reshape(len(y), -1)
        share = (sample.weight / sample.weight.sum())[:, None]
        mean = np.sum(share * y, axis=0) if self.normalize_y else np.zeros(y.shape[1])
        scale = np.sqrt(np.sum(share * (y - mean) ** 2, axis=0))
        flat = scale <= 1e-14 * (np.abs(mean) + 1e-300)
        self._y_mean = mean
        self._y_scale = np.where(flat, 1.0, scale) if self.normalize_y else np.ones(y.shape[1])
        self._targets = (y - mean) / self._y_scale

    def _likelihood(self, sample: Sample, white: bool) -> Likelihood:
        alpha = np.asarray(self.alpha, dtype=np.float64)
        if alpha.ndim > 1 or (alpha.ndim == 1 and len(alpha) != sample.n):
            if alpha.ndim == 1 and sample.kept is None and len(alpha) > sample.n:
                raise ValueError("alpha has an entry per row; leave out those of weight zero")
            raise ValueError(
                f"alpha must be a number or one per row; got shape {alpha.shape} for {sample.n} "
                "rows"
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
            noise = 0.1 * self._spread() if learn else 0.0
        else:
            raise ValueError(f"noise must be 'auto', 'learn' or a number, got {self.noise!r}")
        return Likelihood(np.broadcast_to(alpha, (sample.n,)).copy(), sample.weight, noise, learn)

    def _spread(self) -> float:
        """Mean square of the targets, one if they vanish: the unit of the noise."""
        spread = float(np.mean(self._targets**2))
        return spread if spread > 1e-12 else 1.0

    def _choose(self, X: Any, theta: Any, likelihood: Likelihood) -> RegressionEvidence:
        """Search for the hyper-parameters; returns the evidence of all rows."""
        start, bounds = theta.start(), theta.bounds()
        self.theta_names_ = list(theta.names)
        if likelihood.learn:
            limits = (self.bounds or {}).get("noise", self._spread() * np.array(NOISE_REACH))
            start = np.append(start, math.log(np.clip(likelihood.noise, *limits)))
            bounds = np.vstack([bounds, np.log(limits)])
            self.theta_names_.append("noise")
        self._bounds = bounds
        everything: list[RegressionEvidence] = []

        def evidence_of(rows: NDArray[np.intp] | None) -> RegressionEvidence:
            part = subset(theta.kernel, X, rows)
            own = likelihood if rows is None else likelihood.rows(rows)
            y = self._targets if rows is None else self._targets[rows]
            made = RegressionEvidence(part, y, theta, own, self.dtype, self.relevance_rate)
            if rows is None:
                everything.append(made)
            return made

        self.n_evaluations_, self.timed_out_ = 0, False
        best = self._optimise(evidence_of, len(self._targets), start, bounds, "GP evidence")
        self._candidates = [start] if best is None else [best.proposal, best.x]
        self._reached = -math.inf if best is None else -best.value
        self.converged_ = best is None or best.converged
        return everything[-1] if everything else evidence_of(None)

    def _settle(self, evidence: RegressionEvidence, sample: Sample) -> None:
        """Factor the covariance at the chosen parameters and keep what prediction needs."""
        for theta in self._candidates:  # the step not evaluated yet, unless it does not improve
            self.kernel_, self.noise_ = evidence.split(theta)
            self.theta_ = theta
            a, value = evidence.factored(self.kernel_, self.noise_)
            if value + evidence._relevance_prior(theta)[0] >= self._reached:
                break
        self._factor, self._likelihood_ = evidence.triangle, evidence.likelihood
        self._theta = evidence.theta
        self.jitter_ = self._factor.jitter
        self.alpha_ = a[:, 0] if self._flat else a
        self.y_train_ = self._targets[:, 0] if self._flat else self._targets
        self.X_train_, self._kept_columns = evidence.X, sample.kept
        self.log_marginal_likelihood_value_ = value
        del self._targets, self._candidates, self._reached
        if self.jitter_ > 0:
            warnings.warn(
                f"the covariance was singular to rounding (duplicate rows, or no noise): "
                f"{self.jitter_:.3g} was added to its diagonal, see jitter_",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _publish_evidence(self) -> Evidence:
        return regression_evidence(self)
