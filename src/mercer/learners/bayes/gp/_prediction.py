"""Prediction, sampling, leave-one-out and new data for Gaussian-process regression."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from mercer import _config
from mercer._blas import blas_threads
from mercer._storable import record
from mercer.gram.triangle import Triangle
from mercer.kernels import Kernel
from mercer.kernels.structured.precomputed import Precomputed
from mercer.kernels.validate import n_rows, take
from mercer.learners._data import is_precomputed
from mercer.learners.bayes._data import cross, query_sample
from mercer.learners.bayes.gp._evidence import RegressionEvidence

Floats = NDArray[np.float64]


@record("gp-leave-one-out")
@dataclass(frozen=True)
class LeaveOneOut:
    """What the model predicts for each training row from all others, in closed form.

    Attributes
    ----------
    mean, std : predicted target and its error bar (noise included), in the user's units
    log_density : log of the predicted density at the target seen; larger is better
    residuals : target minus mean
    """

    mean: Floats
    std: Floats
    log_density: Floats
    residuals: Floats


def _can_grow(estimator: Any) -> bool:
    if is_precomputed(estimator.kernel):
        raise AttributeError("partial_fit needs a kernel that can be evaluated on new rows")
    return True


class GaussianProcessPrediction:
    """What can be asked of a fitted `GaussianProcessRegressor`."""

    def predict(
        self: Any, X: Any, return_std: bool = False, return_cov: bool = False, latent: bool = False
    ) -> Any:
        """Mean of the targets, with error bars if asked for.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features)
            New points; with a precomputed kernel their values against the training rows.
        return_std, return_cov : bool
            Also return standard deviations, or the whole covariance.
        latent : bool
            Error bars of the function alone. Otherwise they are those of a new target: the learned
            noise is part of them, the known ``alpha`` is not.

        Returns
        -------
        mean, or (mean, std), or (mean, covariance)
        """
        if return_std and return_cov:
            raise RuntimeError("ask for return_std or for return_cov, not for both")
        if not hasattr(self, "alpha_"):
            return self._predict_prior(X, return_std, return_cov)
        X = self._cast(query_sample(self, X))
        coef = self.alpha_.reshape(len(self.alpha_), -1)
        mean = np.empty((n_rows(X), coef.shape[1]))
        variance = np.empty(n_rows(X))
        halves = []
        for part in _blocks(n_rows(X), len(coef)):
            K = cross(self.kernel_, take(X, part), self.X_train_, self._kept_columns)
            mean[part] = K @ coef
            if return_std or return_cov:
                half = self._factor.half_solve(K.T)
                halves.append(half)
                variance[part] = np.einsum("ij,ij->j", half, half, dtype=np.float64)
                if not return_cov:
                    halves.clear()
        answer = self._shaped(mean * self._y_scale + self._y_mean)
        if return_cov:
            return answer, self._covariance(X, np.hstack(halves), latent)
        if not return_std:
            return answer
        variance = np.maximum(self._prior_variance(X) - variance, 0.0)
        variance += self._added_noise(X, latent)
        return answer, self._shaped(np.sqrt(variance)[:, None] * self._y_scale)

    def _shaped(self: Any, values: Floats) -> Floats:
        return values[..., 0] if self._flat else values

    def _prior_variance(self: Any, X: Any) -> Floats:
        if isinstance(self.kernel_, Precomputed):
            raise ValueError(
                "error bars need k(x, x) of the new objects, which a precomputed matrix of values "
                "against the training rows does not hold; pass a Kernel"
            )
        # from tiles, where white noise does not appear
        return np.asarray(Kernel._diag(self.kernel_, X), dtype=np.float64)

    def _added_noise(self: Any, X: Any, latent: bool) -> Any:
        if latent:
            return 0.0
        white = np.asarray(self.kernel_._diag(X), dtype=np.float64) - self._prior_variance(X)
        return self.noise_ + np.maximum(white, 0.0)

    def _covariance(self: Any, X: Any, half: Floats, latent: bool) -> Floats:
        self._prior_variance(take(X, slice(0, 1)))  # precomputed: an error that says why
        covariance = np.asarray(self.kernel_.tile(X), dtype=np.float64) - half.T @ half
        covariance[np.diag_indices_from(covariance)] += self._added_noise(X, latent)
        return self._shaped(covariance[..., None] * self._y_scale**2)

    def _predict_prior(self: Any, X: Any, return_std: bool, return_cov: bool) -> Any:
        """Before ``fit``: mean zero and the kernel's own covariance, as scikit-learn does."""
        kernel, _ = self._start_kernel(np.asarray(X, dtype=np.float64))
        X, _ = kernel.validate(X)
        outputs = self.n_targets or 1
        mean = np.zeros((n_rows(X), outputs))
        mean = mean[:, 0] if outputs == 1 else mean
        if return_cov:
            return mean, kernel(X)
        return (mean, np.sqrt(kernel.diag(X))) if return_std else mean

    def sample_y(
        self: Any, X: Any, n_samples: int = 1, random_state: Any = 0, latent: bool = True
    ) -> Floats:
        """Draw functions at the rows of X: from the posterior, before ``fit`` from the prior.

        Returns
        -------
        ndarray of shape (n_queries, n_samples) or (n_queries, n_targets, n_samples)
        """
        rng = check_random_state(random_state)
        if not hasattr(self, "alpha_"):
            return self.sample_prior(X, n_samples, rng)
        mean, covariance = self.predict(X, return_cov=True, latent=latent)
        if self._flat:
            return mean[:, None] + _draw(covariance, n_samples, rng)
        parts = [
            mean[:, [i]] + _draw(covariance[..., i], n_samples, rng) for i in range(mean.shape[1])
        ]
        return np.stack(parts, axis=1)

    def sample_prior(self: Any, X: Any, n_samples: int = 1, random_state: Any = 0) -> Floats:
        """Draw functions from the prior at the rows of X, shape (n_queries, n_samples)."""
        rng = check_random_state(random_state)
        fitted = hasattr(self, "kernel_")
        kernel = self.kernel_ if fitted else self._start_kernel(np.asarray(X, dtype=float))[0]
        return _draw(kernel(X).astype(np.float64), n_samples, rng)

    def leave_one_out(self: Any) -> LeaveOneOut:
        """Prediction of every training target from all other rows, without refitting.

        With C the covariance and a = C^-1 y: mean y_i - a_i / C^-1_ii, variance 1 / C^-1_ii. The
        hyper-parameters are those learned from all rows.
        """
        check_is_fitted(self, "alpha_")
        scale = self._y_scale if not self._flat else self._y_scale[0]
        offset = self._y_mean if not self._flat else self._y_mean[0]
        variance = 1.0 / self._factor.inverse_diagonal()
        variance = variance if self._flat else variance[:, None]
        residual = self.alpha_ * variance
        density = -0.5 * (np.log(2 * np.pi * variance * scale**2) + residual**2 / variance)
        mean = (self.y_train_ - residual) * scale + offset
        return LeaveOneOut(mean, np.sqrt(variance) * scale, density, residual * scale)

    @available_if(_can_grow)
    def partial_fit(self: Any, X: Any, y: Any) -> Any:
        """Take in new rows; hyper-parameters and the normalisation of targets stay.

        The Cholesky factor grows by a border, O(n^2) per row. The first call is ``fit``.
        """
        if not hasattr(self, "alpha_"):
            return self.fit(X, y)
        if np.ndim(self.alpha):
            raise ValueError(
                "partial_fit needs one alpha for all rows; call fit on everything instead"
            )
        X = self._cast(query_sample(self, X))
        y = np.asarray(y, dtype=np.float64).reshape(n_rows(X), -1)
        targets = (y - self._y_mean) / self._y_scale
        corner = np.asarray(self.kernel_.tile(X), dtype=np.float64)
        corner[np.diag_indices_from(corner)] = self.kernel_._diag(X) + self.noise_ + self.alpha
        factor = self._factor.grown(cross(self.kernel_, self.X_train_, X), corner)
        both = [self.y_train_.reshape(len(self.y_train_), -1), targets]
        return self._took_in(X, np.vstack(both), factor)

    def _took_in(self: Any, X: Any, targets: Floats, factor: Triangle) -> Any:
        from scipy import sparse

        stack = sparse.vstack if sparse.issparse(X) else np.concatenate
        self.X_train_ = stack([self.X_train_, X])
        n, outputs = targets.shape
        a = factor.solve(targets)
        fit = outputs * factor.log_determinant() + float(np.vdot(targets, a))
        self._factor, self.jitter_ = factor, max(self.jitter_, factor.jitter)
        self.log_marginal_likelihood_value_ = -0.5 * (fit + n * outputs * np.log(2 * np.pi))
        self.alpha_ = self._shaped(a)
        self.y_train_ = self._shaped(targets)
        alpha = np.full(n, float(self.alpha))
        old = self._likelihood_
        self._likelihood_ = type(old)(alpha, np.ones(n), old.noise, old.learn)
        self._forget_certificates()
        return self

    def log_marginal_likelihood(
        self: Any, theta: Any = None, eval_gradient: bool = False, clone_kernel: bool = True
    ) -> Any:
        """The log evidence at ``theta`` (default: at the learned parameters), and its gradient.

        ``theta`` holds the logarithms of the parameters named in ``theta_names_``.
        """
        check_is_fitted(self, "alpha_")
        if theta is None and not eval_gradient:
            return self.log_marginal_likelihood_value_
        theta = self.theta_ if theta is None else np.asarray(theta, dtype=np.float64)
        if theta.shape != self.theta_.shape:
            raise ValueError(f"theta needs the {len(self.theta_)} entries {self.theta_names_}")
        y = self.y_train_.reshape(len(self.y_train_), -1)
        evidence = RegressionEvidence(self.X_train_, y, self._theta, self._likelihood_, self.dtype)
        if not eval_gradient:
            return evidence.factored(*evidence.split(theta))[1]
        value, gradient = evidence(theta)
        return -value, -gradient

    @cached_property
    def _factor(self: Any) -> Triangle:
        """Of the covariance: made by ``fit``, and again after loading, for files leave it out."""
        y = self.y_train_.reshape(len(self.y_train_), -1)
        evidence = RegressionEvidence(self.X_train_, y, self._theta, self._likelihood_, self.dtype)
        with blas_threads(len(y)):
            evidence.factored(self.kernel_, self.noise_)
        return evidence.triangle

    @property
    def L_(self: Any) -> NDArray[Any]:
        """Lower Cholesky factor of the training covariance."""
        return np.tril(self._factor.array)


def _blocks(n: int, width: int) -> list[slice]:
    size = _config.block_rows(8 * 3 * width)
    return [slice(start, min(n, start + size)) for start in range(0, n, size)]


def _draw(covariance: Floats, n_samples: int, rng: Any) -> Floats:
    """Draws from N(0, covariance), which may be singular."""
    triangle = Triangle(len(covariance))

    def fill() -> None:
        triangle.array[:] = covariance

    fill()
    triangle.factor(fill)
    return triangle.half_times(rng.standard_normal((len(covariance), n_samples)))
