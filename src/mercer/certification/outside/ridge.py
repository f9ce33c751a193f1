"""scikit-learn's kernel ridge regression."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mercer.bounds import Evidence, ridge_loo_residuals
from mercer.certification.outside._shared import geometry, other_rows
from mercer.kernels import Kernel, from_sklearn

NEAR = 1e-6


def regressor(model: Any, X: Any, y: Any) -> Evidence:
    """``KernelRidge`` with one target: Σ(f − t)² + α‖f‖² is C = 1/(2α)."""
    target = np.asarray(y, dtype=float)
    alpha = np.ravel(model.alpha)
    if target.ndim > 1 or len(alpha) > 1 or np.shape(model.X_fit_)[0] != len(target):
        raise other_rows("it has other numbers of rows, targets or penalties")
    kernel = _kernel(model, X)
    gram = np.asarray(model._get_kernel(X), dtype=np.float64)
    coef = np.ravel(model.dual_coef_)
    residual = gram @ coef + alpha[0] * coef - target
    if np.linalg.norm(residual) > NEAR * max(1.0, float(np.linalg.norm(target))):
        raise other_rows("(K + αI)c = t does not hold")
    facts = geometry(kernel, X, gram)
    squared_norm = float(coef @ gram @ coef)
    known = "point_norms" in facts and squared_norm >= 0 and alpha[0] > 0
    left_out = ridge_loo_residuals(gram, target, float(alpha[0])) if alpha[0] > 0 else None
    return Evidence(
        len(target),
        task="regression",
        formulation="krr",
        loss="squared",
        risks={"squared": float(np.mean((gram @ coef - target) ** 2))},
        alphas=np.abs(coef),
        norm=math.sqrt(squared_norm) if known else None,
        C=1.0 / (2.0 * alpha[0]) if known else None,
        loo={} if left_out is None else {"exact": float(np.mean(left_out**2))},
        **facts,
    )


def _kernel(model: Any, X: Any) -> Kernel | None:
    """None for functions and matrices, which are judged by their Gram matrix."""
    if callable(model.kernel) or model.kernel == "precomputed":
        return None
    gamma = 1.0 / X.shape[1] if model.gamma is None else model.gamma
    try:
        return from_sklearn(model.kernel, gamma, model.degree, model.coef0)
    except ValueError:
        return None
