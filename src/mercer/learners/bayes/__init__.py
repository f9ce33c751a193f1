"""Bayesian kernel machines: Gaussian processes and relevance vectors."""

from mercer.learners.bayes._gp_prediction import LeaveOneOut
from mercer.learners.bayes.gaussian_process_classifier import GaussianProcessClassifier
from mercer.learners.bayes.gaussian_process_regressor import GaussianProcessRegressor
from mercer.learners.bayes.relevance_vector_classifier import RelevanceVectorClassifier
from mercer.learners.bayes.relevance_vector_regressor import RelevanceVectorRegressor

__all__ = [
    "GaussianProcessClassifier",
    "GaussianProcessRegressor",
    "LeaveOneOut",
    "RelevanceVectorClassifier",
    "RelevanceVectorRegressor",
]
