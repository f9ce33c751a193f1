"""Bayesian kernel machines: Gaussian processes, relevance vectors, Bayes points."""

from mercer.learners.bayes._gp_prediction import LeaveOneOut
from mercer.learners.bayes.bayes_point_machine import BayesPointMachine
from mercer.learners.bayes.gaussian_process_classifier import GaussianProcessClassifier
from mercer.learners.bayes.gaussian_process_regressor import GaussianProcessRegressor
from mercer.learners.bayes.relevance_vector_classifier import RelevanceVectorClassifier
from mercer.learners.bayes.relevance_vector_regressor import RelevanceVectorRegressor
from mercer.learners.bayes.sparse_gaussian_process_regressor import (
    SparseGaussianProcessRegressor,
)
from mercer.learners.bayes.volume import VolumeEstimate, estimate_volume

__all__ = [
    "BayesPointMachine",
    "GaussianProcessClassifier",
    "GaussianProcessRegressor",
    "LeaveOneOut",
    "RelevanceVectorClassifier",
    "RelevanceVectorRegressor",
    "SparseGaussianProcessRegressor",
    "VolumeEstimate",
    "estimate_volume",
]
