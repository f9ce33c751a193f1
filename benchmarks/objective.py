"""The dual objective, recomputed in float64 from the coefficients alone.

Times can only be compared at the same optimum, and a library's own number need not be in the same
precision. Kernel values are made in blocks, so that no n × n array is stored.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from benchmarks.cases import Case
from benchmarks.libraries import Duals

BLOCK = 1000


def _kernel(case: Case, X: Any, Y: Any) -> np.ndarray:
    if case.kernel == "laplacian":
        return np.exp(-case.gamma * cdist(X, Y, "cityblock"))
    inner = X @ Y.T
    inner = inner.toarray() if sp.issparse(inner) else inner
    if case.kernel == "linear":
        return inner
    square = _squares(X)[:, None] + _squares(Y)[None, :] - 2.0 * inner
    return np.exp(-case.gamma * np.maximum(square, 0.0))


def _squares(X: Any) -> np.ndarray:
    return np.asarray((X.multiply(X) if sp.issparse(X) else X**2).sum(axis=1)).ravel()


def _quadratic(case: Case, X: Any, beta: np.ndarray) -> float:
    """beta' K beta."""
    blocks = range(0, len(beta), BLOCK)
    parts = [beta[i : i + BLOCK] @ (_kernel(case, X[i : i + BLOCK], X) @ beta) for i in blocks]
    return float(sum(parts))


def binary_objective(case: Case, X: Any, beta: np.ndarray) -> float:
    """½ b'Kb - sum |b|, as minimised."""
    return 0.5 * _quadratic(case, X, beta) - float(np.abs(beta).sum())


def objective(case: Case, X: Any, y: np.ndarray, duals: Duals) -> float:
    """Dual objective of the whole machine; over several classes, the sum over pairs of classes."""
    rows = X[duals.support]
    coef = np.asarray(duals.coef, dtype=np.float64)
    if case.task == "svr":
        beta = coef[0]
        fit = float(y[duals.support] @ beta)
        return 0.5 * _quadratic(case, rows, beta) - fit + case.epsilon * float(np.abs(beta).sum())
    if len(duals.per_class) <= 2:
        return binary_objective(case, rows, coef[0])
    ends = np.cumsum(duals.per_class)
    parts = [slice(end - count, end) for end, count in zip(ends, duals.per_class, strict=True)]
    total = 0.0
    for i, j in combinations(range(len(parts)), 2):
        index = np.r_[parts[i], parts[j]]
        beta = np.r_[coef[j - 1, parts[i]], coef[i, parts[j]]]
        used = beta != 0.0
        total += binary_objective(case, rows[index[used]], beta[used])
    return total
