"""Bayesian kernel machines: Gaussian processes."""

from mercer.learners.bayes._gp_prediction import LeaveOneOut
from mercer.learners.bayes.gaussian_process_classifier import GaussianProcessClassifier
from mercer.learners.bayes.gaussian_process_regressor import GaussianProcessRegressor

__all__ = ["GaussianProcessClassifier", "GaussianProcessRegressor", "LeaveOneOut"]
