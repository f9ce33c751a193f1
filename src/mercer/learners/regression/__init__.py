"""Regressions with a quadratic loss: kernel ridge, ridge, least squares and polynomials."""

from mercer.learners.regression.kernel_ridge import KernelRidge

__all__ = ["KernelRidge"]
