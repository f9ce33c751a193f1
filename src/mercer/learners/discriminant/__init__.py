"""Discriminants, generative classifiers and empirical risk minimisers."""

from mercer._discover import rooms
from mercer.learners.discriminant.bayes_rule import BayesRule
from mercer.learners.discriminant.finite_class import FiniteClassERM, RiskSplit
from mercer.learners.discriminant.fisher import FisherDiscriminant
from mercer.learners.discriminant.generative import ExponentialFamilyClassifier
from mercer.learners.discriminant.kernel_fisher import KernelFisher
from mercer.learners.discriminant.kernel_logistic import KernelLogistic
from mercer.learners.discriminant.linear_erm import LinearERM
from mercer.learners.discriminant.logistic import LogisticClassifier
from mercer.learners.discriminant.parzen import ParzenClassifier
from mercer.learners.discriminant.risk_classifier import RegularizedRiskClassifier
from mercer.solvers.softmax import log_sum_exp, softmax

__all__ = [
    "BayesRule",
    "ExponentialFamilyClassifier",
    "FiniteClassERM",
    "FisherDiscriminant",
    "KernelFisher",
    "KernelLogistic",
    "LinearERM",
    "LogisticClassifier",
    "ParzenClassifier",
    "RegularizedRiskClassifier",
    "RiskSplit",
    "log_sum_exp",
    "softmax",
]

__getattr__, __dir__ = rooms(__name__)
