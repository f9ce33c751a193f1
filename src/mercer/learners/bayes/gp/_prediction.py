"""Prediction, sampling, leave-one-out and new data for Gaussian-process regression."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from mercer import _config
from mercer._storable import record
from mercer._types import RandomState, Samples
from mercer.gram import NotPositiveDefiniteError
from mercer.gram.triangle import Triangle
from mercer.kernels import Kernel
from mercer.kernels.sklearn_objects import is_sklearn_kernel
from mercer.kernels.structured.precomputed import Precomputed
from mercer.kernels.validate import n_rows, take
from mercer.learners._door import Kind, TrainingSample
from mercer.learners._fitted import Fitted
from mercer.learners.bayes._space import cross
from mercer.learners.bayes.gp._base import in_precision
from mercer.learners.bayes.gp._by_products import NO_FACTOR, NO_INVERSE, NO_SLOPES, ProductFactor
from mercer.learners.bayes.gp._fitted import RegressionFitted, stacked

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
    if estimator._door.kind(estimator.kernel) is Kind.GRAM:
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
            raise RuntimeError("At most one of return_std or return_cov can be requested.")
        if not hasattr(self, "fitted_"):
            return self._predict_prior(X, return_std, return_cov)
        X, fitted = self._query(X), self.fitted_
        if not (return_std or return_cov):
            return fitted.targets.restored(self._means(X, fitted.kept))
        mean = np.empty((n_rows(X), fitted.coef.shape[1]))
        prior = _prior_variance(fitted.kernel, take(X, slice(0, 1)) if return_cov else X)
        variance = np.empty(n_rows(X))
        crossed = []
        for part in _blocks(n_rows(X), fitted.n):
            K = cross(fitted.kernel, take(X, part), fitted.rows, fitted.kept)
            mean[part] = K @ fitted.coef
            if return_cov:
                crossed.append(K.T)
            else:
                variance[part] = fitted.factor.explained(K.T, prior[part])
        answer = fitted.targets.restored(mean)
        if return_cov:
            return answer, self._covariance(X, np.hstack(crossed), latent)
        variance = np.maximum(prior - variance, 0.0) + self._added_noise(X, latent)
        return answer, fitted.targets.shaped(np.sqrt(variance)[:, None] * fitted.targets.scale)

    def _means(self: Any, X: Samples, kept: Any) -> Floats:
        """Of the process at checked rows, in its own units."""
        fitted = self.fitted_
        mean = np.empty((n_rows(X), fitted.coef.shape[1]))
        for part in _blocks(n_rows(X), fitted.n):
            mean[part] = cross(fitted.kernel, take(X, part), fitted.rows, kept) @ fitted.coef
        return mean

    def _added_noise(self: Any, X: Samples, latent: bool) -> Any:
        if latent:
            return 0.0
        kernel = self.fitted_.kernel
        white = np.asarray(kernel._diag(X), dtype=np.float64) - _prior_variance(kernel, X)
        return self.fitted_.noise + np.maximum(white, 0.0)

    def _covariance(self: Any, X: Samples, crossed: Any, latent: bool) -> Floats:
        kernel, targets = self.fitted_.kernel, self.fitted_.targets
        known = self.fitted_.factor.explained_together(crossed)
        covariance = np.asarray(kernel.tile(X), dtype=np.float64) - known
        covariance[np.diag_indices_from(covariance)] += self._added_noise(X, latent)
        return targets.shaped(covariance[..., None] * targets.scale**2)

    def _predict_prior(self: Any, X: Samples, return_std: bool, return_cov: bool) -> Any:
        """Before ``fit``: mean zero and the kernel's own covariance, as scikit-learn does."""
        kernel, X = self._prior(X)
        mean = self._for_each_target(np.zeros(n_rows(X)))
        if return_cov:
            return mean, self._for_each_target(kernel(X))
        return (mean, self._for_each_target(np.sqrt(kernel.diag(X)))) if return_std else mean

    def _prior(self: Any, X: Samples) -> tuple[Kernel, Any]:
        """The kernel before ``fit``, and the checked rows."""
        as_objects = self._door.kind(self.kernel) is Kind.OBJECTS
        kernel = self._start_kernel(X if as_objects else np.asarray(X, dtype=np.float64)).kernel
        return kernel, kernel.validate(X)[0]

    def _for_each_target(self: Any, values: Floats) -> Floats:
        """The same once more along a last axis, if there are to be several targets."""
        several = self.n_targets is not None and self.n_targets > 1
        return np.repeat(values[..., None], self.n_targets, axis=-1) if several else values

    def sample_y(
        self: Any,
        X: Samples,
        n_samples: int = 1,
        random_state: RandomState = 0,
        latent: bool = False,
    ) -> Floats:
        """Draw targets at the rows of X: from the posterior, before ``fit`` from the prior.

        Parameters
        ----------
        X : as for ``predict``
        n_samples : int
        random_state : int, RandomState or None
        latent : bool
            Draw functions, without the noise of new targets that ``predict`` describes.

        Returns
        -------
        ndarray of shape (n_queries, n_samples) or (n_queries, n_targets, n_samples)
        """
        rng = check_random_state(random_state)
        mean, covariance = self.predict(X, return_cov=True, latent=latent)
        if mean.ndim == 1:
            return mean[:, None] + _draw(covariance, n_samples, rng)
        parts = [
            mean[:, [i]] + _draw(covariance[..., i], n_samples, rng) for i in range(mean.shape[1])
        ]
        return np.stack(parts, axis=1)

    def sample_prior(
        self: Any, X: Samples, n_samples: int = 1, random_state: RandomState = 0
    ) -> Floats:
        """Draw functions from the prior at the rows of X, shape (n_queries, n_samples)."""
        rng = check_random_state(random_state)
        kernel = self.fitted_.kernel if hasattr(self, "fitted_") else self._prior(X)[0]
        return _draw(kernel(X).astype(np.float64), n_samples, rng)

    def leave_one_out(self: Any) -> LeaveOneOut:
        """Prediction of every training target from all other rows, without refitting.

        With C the covariance and a = C^-1 y: mean y_i - a_i / C^-1_ii, variance 1 / C^-1_ii. The
        hyper-parameters are those learned from all rows.
        """
        check_is_fitted(self, "fitted_")
        fitted, targets = self.fitted_, self.fitted_.targets
        if fitted.by_products:
            raise AttributeError(NO_INVERSE)
        variance = 1.0 / fitted.factor.inverse_diagonal()[:, None]
        residual = fitted.coef * variance
        scale = targets.scale
        density = -0.5 * (np.log(2 * np.pi * variance * scale**2) + residual**2 / variance)
        mean = targets.restored(targets.unit - residual)
        each = (np.sqrt(variance) * scale, density, residual * scale)
        return LeaveOneOut(mean, *(targets.shaped(values) for values in each))

    @available_if(_can_grow)
    def partial_fit(self: Any, X: Samples, y: ArrayLike) -> Any:
        """Take in new rows; hyper-parameters and the normalisation of targets stay.

        The Cholesky factor grows by a border, O(n^2) per row; without one all rows are solved
        again. The first call is ``fit``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New rows.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Their targets.

        Returns
        -------
        self
            The process of all rows so far.
        """
        if not hasattr(self, "fitted_"):
            return self.fit(X, y)
        return self._run(partial(_absorbed, self.fitted_), X, y, None, reset=False)

    def _publish(self: Any, fitted: Fitted) -> None:
        super()._publish(fitted)  # type: ignore[misc]
        assert isinstance(fitted, RegressionFitted)
        self.kernel_ = fitted.theta.public_at(fitted.point[: fitted.theta.size])
        self.noise_ = fitted.noise
        self.alpha_ = fitted.targets.shaped(fitted.coef)
        self.y_train_ = fitted.targets.shaped(fitted.targets.unit)
        self.jitter_, self.converged_ = fitted.jitter, fitted.converged
        self.solver_, self.n_searched_ = fitted.solver, fitted.n_searched
        self.log_marginal_likelihood_error_ = fitted.log_evidence_error

    def log_marginal_likelihood(
        self: Any, theta: Any = None, eval_gradient: bool = False, clone_kernel: bool = True
    ) -> Any:
        """The log evidence at ``theta`` (default: at the learned parameters), and its gradient.

        Parameters
        ----------
        theta : array, optional
            Logarithms of the parameters named in ``theta_names_``; or, with a learned noise, of
            those of the kernel alone, the noise as learned.
        eval_gradient : bool
        clone_kernel : bool
            If False, ``kernel_`` takes these parameters, should it be a kernel of scikit-learn.
        """
        check_is_fitted(self, "fitted_")
        fitted = self.fitted_
        if theta is None:
            if eval_gradient:
                raise ValueError("Gradient can only be evaluated for theta!=None")
            return np.float64(fitted.log_evidence)
        theta, own = np.asarray(theta, dtype=np.float64), fitted.theta.size
        if not clone_kernel and is_sklearn_kernel(self.kernel_):
            self.kernel_.theta = theta[:own]
        given = len(theta)
        if given == own < len(fitted.point):
            theta = np.append(theta, fitted.point[own:])
        if theta.shape != fitted.point.shape:
            raise ValueError(f"theta needs the {len(fitted.point)} entries {fitted.names}")
        if fitted.by_products:
            return self._evidence_by_products(theta, eval_gradient)
        evidence = fitted.evidence()
        if eval_gradient:
            value, gradient = evidence(theta)
            return -np.float64(value), -gradient[:given]
        try:
            return np.float64(evidence.factored(*evidence.split(theta))[1])
        except NotPositiveDefiniteError:
            return -np.inf

    def _evidence_by_products(self: Any, theta: Floats, eval_gradient: bool) -> np.float64:
        """To within an error like that of ``log_marginal_likelihood_error_``."""
        if eval_gradient:
            raise AttributeError(NO_SLOPES)
        fitted = self.fitted_
        own = fitted.likelihood
        kernel, noise = own.split(fitted.theta, theta)
        try:
            factor = ProductFactor(kernel, fitted.rows, own.variances(noise))
            return np.float64(factor.fitted(fitted.targets.unit)[1])
        except NotPositiveDefiniteError:
            return np.float64(-np.inf)

    @property
    def _y_train_mean(self: Any) -> Floats:  # scikit-learn's name, which code around it reads
        return self.fitted_.targets.shaped(self.fitted_.targets.mean)

    @property
    def _y_train_std(self: Any) -> Floats:
        return self.fitted_.targets.shaped(self.fitted_.targets.scale)

    @property
    def L_(self: Any) -> NDArray[Any]:
        """Lower Cholesky factor of the training covariance."""
        check_is_fitted(self, "fitted_")
        if self.fitted_.by_products:
            raise AttributeError(NO_FACTOR)
        return np.tril(self.fitted_.factor.array)


def _absorbed(fitted: RegressionFitted, sample: TrainingSample) -> RegressionFitted:
    """The model with more rows, at the hyper-parameters it has."""
    old, kernel = fitted.likelihood, fitted.kernel
    if np.any(old.alpha != old.alpha[0]):
        raise ValueError("partial_fit needs one alpha for all rows; call fit on everything instead")
    X = in_precision(sample.X, fitted.dtype)
    alpha, n = old.alpha[0], fitted.n + sample.n
    rows = stacked(fitted.rows, X)
    targets = fitted.targets
    y = (sample.y.reshape(sample.n, -1) - targets.mean) / targets.scale
    targets = replace(targets, unit=np.vstack([targets.unit, y]))
    weight = np.concatenate([old.weight, sample.weight])
    likelihood = replace(old, alpha=np.full(n, alpha), weight=weight)
    error = 0.0
    factor: Triangle | ProductFactor
    if isinstance(fitted.factor, Triangle):
        corner = np.asarray(kernel.tile(X), dtype=np.float64)
        corner[np.diag_indices_from(corner)] = kernel._diag(X) + fitted.noise + alpha
        factor = fitted.factor.grown(cross(kernel, fitted.rows, X), corner)
        a = factor.solve(targets.unit)
        outputs = fitted.coef.shape[1]
        misfit = outputs * factor.log_determinant() + float(np.vdot(targets.unit, a))
        value = -0.5 * (misfit + n * outputs * np.log(2 * np.pi))
    else:
        factor = ProductFactor(kernel, rows, likelihood.variances(fitted.noise))
        a, value, error = factor.fitted(targets.unit)
    return replace(
        fitted,
        n=n,
        rows=rows,
        log_evidence=value,
        log_evidence_error=error,
        likelihood=likelihood,
        targets=targets,
        coef=a,
        jitter=max(fitted.jitter, factor.jitter),
    ).factored_as(factor)


def _prior_variance(kernel: Kernel, X: Samples) -> Floats:
    if isinstance(kernel, Precomputed):
        raise ValueError(
            "error bars need k(x, x) of the new objects, which a precomputed matrix of values "
            "against the training rows does not hold; pass a Kernel"
        )
    # from tiles, where white noise does not appear
    return np.asarray(Kernel._diag(kernel, X), dtype=np.float64)


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
