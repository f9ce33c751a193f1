"""Discriminants and generative classifiers."""

from mercer.learners.discriminant.kernel_logistic import KernelLogistic
from mercer.learners.discriminant.risk_classifier import RegularisedRiskClassifier

__all__ = ["KernelLogistic", "RegularisedRiskClassifier"]
