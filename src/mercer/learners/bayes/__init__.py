"""Bayesian kernel machines: Gaussian processes, relevance vectors, Bayes points."""

from mercer.learners.bayes._gp_prediction import LeaveOneOut
from mercer.learners.bayes.bayes_point_machine import BayesPointMachine
from mercer.learners.bayes.gaussian_process_classifier import GaussianProcessClassifier
from mercer.learners.bayes.gaussian_process_regressor import GaussianProcessRegressor
from mercer.learners.bayes.inference import (
    HypothesisPosterior,
    choose_model,
    inverse_loss_likelihood,
    pac_likelihood,
    weight_log_prior,
)
from mercer.learners.bayes.linear_regression import LinearPosterior, bayesian_linear_regression
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
    "HypothesisPosterior",
    "LeaveOneOut",
    "LinearPosterior",
    "RelevanceVectorClassifier",
    "RelevanceVectorRegressor",
    "SparseGaussianProcessRegressor",
    "VolumeEstimate",
    "bayesian_linear_regression",
    "choose_model",
    "estimate_volume",
    "inverse_loss_likelihood",
    "pac_likelihood",
    "weight_log_prior",
]
