"""Regressions: kernel ridge, ridge, least squares, polynomials, and any convex loss."""

from mercer.learners.regression._path import RidgePath
from mercer.learners.regression.kernel_ridge import KernelRidge
from mercer.learners.regression.risk_regressor import RegularisedRiskRegressor

__all__ = ["KernelRidge", "RegularisedRiskRegressor", "RidgePath"]
