"""Discriminants and generative classifiers."""

from mercer.learners.discriminant.fisher import FisherDiscriminant
from mercer.learners.discriminant.kernel_fisher import KernelFisher
from mercer.learners.discriminant.kernel_logistic import KernelLogistic
from mercer.learners.discriminant.logistic import LogisticClassifier
from mercer.learners.discriminant.parzen import ParzenClassifier
from mercer.learners.discriminant.risk_classifier import RegularisedRiskClassifier

__all__ = [
    "FisherDiscriminant",
    "KernelFisher",
    "KernelLogistic",
    "LogisticClassifier",
    "ParzenClassifier",
    "RegularisedRiskClassifier",
]
