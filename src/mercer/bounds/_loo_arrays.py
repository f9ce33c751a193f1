"""Leave-one-out quantities from arrays: what a learner calls before it publishes evidence."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import cho_factor, cho_solve, solve

Floats = NDArray[np.float64]


def span_estimate(
    gram: ArrayLike,
    alphas: ArrayLike,
    margins: ArrayLike,
    C: float,
    *,
    offset: bool = True,
    n: int | None = None,
    tol: float = 1e-8,
) -> float:
    """Chapelle's span rule: the share of rows with α_p·S_p² ≥ y_p f(x_p).

    Parameters
    ----------
    gram
        Kernel matrix of the support vectors.
    alphas, margins
        Dual coefficients (without sign) and y·f(x) of the support vectors.
    C
        Upper limit of the coefficients.
    offset
        Whether the machine has an unpenalised offset.
    n
        Number of training rows; by default the number of support vectors.
    """
    alphas, margins = np.asarray(alphas, float), np.asarray(margins, float)
    if alphas.size == 0:
        return 0.0
    span = squared_spans(gram, alphas, C, offset=offset, tol=tol)
    wrong = alphas * span >= margins
    return float(wrong.sum()) / (alphas.size if n is None else n)


def squared_spans(
    gram: ArrayLike, alphas: ArrayLike, C: float, *, offset: bool = True, tol: float = 1e-8
) -> Floats:
    """S_p² of every support vector: its squared distance to the span of the free ones."""
    K, alphas = np.asarray(gram, float), np.asarray(alphas, float)
    if K.shape != (alphas.size, alphas.size):
        raise ValueError(f"gram has shape {K.shape}, there are {alphas.size} support vectors")
    free = np.flatnonzero((alphas > tol * C) & (alphas < C * (1 - tol)))
    bound = np.setdiff1d(np.arange(alphas.size), free)
    spans = np.diag(K).copy()
    if free.size == 0:
        return spans
    system = K[np.ix_(free, free)] + np.eye(free.size) * (1e-10 * np.mean(np.diag(K)))
    border = K[np.ix_(free, bound)]
    if offset:
        ones = np.ones((free.size, 1))
        system = np.block([[system, ones], [ones.T, np.zeros((1, 1))]])
        border = np.vstack([border, np.ones((1, bound.size))])
    inverse = solve(system, np.eye(len(system)), assume_a="sym")
    spans[free] = 1.0 / np.diag(inverse)[: free.size]
    spans[bound] -= np.einsum("ij,ik,kj->j", border, inverse, border, optimize=True)
    return np.maximum(spans, 0.0)


def ridge_loo_residuals(gram: ArrayLike, y: ArrayLike, ridge: float) -> Floats:
    """Exact leave-one-out residuals α_i/((K+cI)⁻¹)_ii of kernel ridge regression without offset."""
    K = np.asarray(gram, float)
    factor = cho_factor(K + ridge * np.eye(len(K)))
    inverse = cho_solve(factor, np.eye(len(K)))
    return np.asarray(inverse @ np.asarray(y, float)) / np.diag(inverse)
