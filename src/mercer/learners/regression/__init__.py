"""Regressions: kernel ridge, ridge, least squares, polynomials, and any convex loss."""

from mercer._discover import rooms
from mercer.learners.regression._path import RidgePath
from mercer.learners.regression.kernel_ridge import KernelRidge
from mercer.learners.regression.lasso import LassoRegression
from mercer.learners.regression.polynomial import PolynomialRegression
from mercer.learners.regression.rates import (
    RateExperiment,
    ridge_penalty,
    ridge_rate,
    source_condition_experiment,
)
from mercer.learners.regression.ridge import LeastSquares, RidgeRegression
from mercer.learners.regression.risk_regressor import RegularizedRiskRegressor

__all__ = [
    "KernelRidge",
    "LassoRegression",
    "LeastSquares",
    "PolynomialRegression",
    "RateExperiment",
    "RegularizedRiskRegressor",
    "RidgePath",
    "RidgeRegression",
    "ridge_penalty",
    "ridge_rate",
    "source_condition_experiment",
]

__getattr__, __dir__ = rooms(__name__)
