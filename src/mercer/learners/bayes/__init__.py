"""Bayesian kernel machines: Gaussian processes."""

from mercer.learners.bayes.gaussian_process_regressor import GaussianProcessRegressor

__all__ = ["GaussianProcessRegressor"]
