"""Bayesian linear regression on weights: the other view of a Gaussian process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._types import Samples
from mercer.learners.bayes.rvm._posterior import regression_posterior

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LinearPosterior:
    """Posterior N(mean, covariance) of the weights, and the log evidence of the targets."""

    mean: Floats
    covariance: Floats
    noise: float
    log_marginal_likelihood: float

    def predict(self, X: Any) -> tuple[Floats, Floats]:
        """Mean and variance of a new target: <x, mean> and x'Σx + noise."""
        X = np.asarray(X, dtype=np.float64)
        return X @ self.mean, np.einsum("ij,ij->i", X @ self.covariance, X) + self.noise


def bayesian_linear_regression(
    X: Samples, t: Any, noise: float, prior_variance: float = 1.0
) -> LinearPosterior:
    """Weights w ~ N(0, prior_variance I), targets t = Xw + N(0, noise) (3.8 to 3.11).

    The same predictions as `GaussianProcessRegressor` with the kernel prior_variance · <x, y>.
    """
    X, t = np.asarray(X, dtype=np.float64), np.asarray(t, dtype=np.float64)
    if not (noise > 0 and prior_variance > 0):
        raise ValueError("noise and prior_variance are variances: they must be positive")
    theta = np.full(X.shape[1], float(prior_variance))
    found = regression_posterior(X.T @ X, X.T @ t, float(t @ t), len(t), theta, float(noise))
    return LinearPosterior(found.mean, found.covariance, float(noise), found.log_evidence)
