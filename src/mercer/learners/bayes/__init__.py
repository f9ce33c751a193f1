"""Bayesian kernel machines: Gaussian processes, relevance vectors, Bayes points."""

from mercer._discover import rooms
from mercer.learners.bayes.gp._prediction import LeaveOneOut
from mercer.learners.bayes.gp.classifier import GaussianProcessClassifier
from mercer.learners.bayes.gp.regressor import GaussianProcessRegressor
from mercer.learners.bayes.gp.sparse import SparseGaussianProcessRegressor
from mercer.learners.bayes.inference import (
    HypothesisPosterior,
    choose_model,
    inverse_loss_likelihood,
    pac_likelihood,
    weight_log_prior,
)
from mercer.learners.bayes.linear_regression import LinearPosterior, bayesian_linear_regression
from mercer.learners.bayes.point.machine import BayesPointMachine
from mercer.learners.bayes.point.volume import VolumeEstimate, estimate_volume
from mercer.learners.bayes.rvm.classifier import RelevanceVectorClassifier
from mercer.learners.bayes.rvm.regressor import RelevanceVectorRegressor

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

__getattr__, __dir__ = rooms(__name__)
