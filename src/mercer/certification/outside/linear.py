"""Any linear classifier: margins, norm and offset are all that margin bounds ask for.

They hold for every weight vector at once, whatever found it. Bounds about one learner (stability)
need more: that ½‖w‖² + C Σ loss is smallest at these weights, which is checked by its gradient.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import expit

from mercer.bounds import Choice, Evidence
from mercer.certification.outside._shared import Floats, geometry, other_rows, signs
from mercer.kernels.vectors.linear import Linear

NEAR = 0.02  # of |w|: how far the gradient may be from zero for a minimiser of these rows

_SLOPES: dict[str, Callable[[Floats], Floats]] = {
    "LinearSVC": lambda margins: 2.0 * np.maximum(1.0 - margins, 0.0),
    "LogisticRegression": lambda margins: expit(-margins),
}


def classifier(model: Any, X: Any, y: Any) -> Evidence:
    """``LinearSVC``, ``LogisticRegression`` and every rule sign(⟨w,x⟩ + b)."""
    if X.shape[1] != np.shape(model.coef_)[1]:
        raise other_rows(f"it has {np.shape(model.coef_)[1]} weights, the rows {X.shape[1]}")
    wrong = int(np.count_nonzero(np.asarray(model.predict(X)) != np.asarray(y)))
    if len(model.classes_) > 2 or np.shape(model.coef_)[0] > 1:
        return Evidence(
            len(y), errors=wrong, n_classes=len(model.classes_), choices=_choices(model)
        )
    target, w = signs(model, y), np.asarray(model.coef_[0], dtype=float)
    shift = float(np.ravel(model.intercept_)[0])
    margins = target * (np.asarray(X @ w, dtype=float) + shift)
    fitted = bool(getattr(model, "fit_intercept", True))
    price, loss = _learner(model, X, target, margins, w)
    return Evidence(
        len(target),
        formulation=f"linear-{loss}" if loss else "",
        loss=loss,
        errors=int(np.count_nonzero(margins <= 0)),
        margins=margins,
        slacks=np.maximum(1.0 - margins, 0.0),
        norm=math.sqrt(float(w @ w)),
        offset=shift if fitted or shift else None,
        C=price,
        choices=_choices(model),
        **geometry(Linear(), X),
    )


def _learner(
    model: Any, X: Any, target: Floats, margins: Floats, w: Floats
) -> tuple[float | None, str]:
    """C and the loss, if the weights are seen to minimise ½‖w‖² + C Σ loss on these rows."""
    name = next((c.__name__ for c in type(model).__mro__ if c.__name__ in _SLOPES), None)
    plain = getattr(model, "class_weight", None) is None and _ridge_penalty(model)
    price = float(np.ravel(getattr(model, "C_", getattr(model, "C", math.inf)))[0])
    if name is None or not plain or not math.isfinite(price):
        return None, ""
    loss = {"LinearSVC": getattr(model, "loss", "").replace("_", "-")}.get(name, "logistic")
    if loss == "hinge":  # its gradient jumps, so the check would not tell; nothing is claimed
        return None, ""
    pull = price * _SLOPES[name](margins) * target
    gradient = w - np.asarray(X.T @ pull, dtype=float).ravel()
    steepness = float(np.linalg.norm(gradient)) / max(float(np.linalg.norm(w)), 1e-12)
    if steepness > NEAR:
        raise other_rows(
            f"½‖w‖² + C Σ {loss} loss is not smallest at its weights (relative gradient "
            f"{steepness:.2g}; a solver that "
            "stopped early looks the same: lower its tol)"
        )
    return price, loss


def _ridge_penalty(model: object) -> bool:
    penalty = getattr(model, "penalty", "l2")
    ratio = getattr(model, "l1_ratio", None)
    return penalty in ("l2", "deprecated") and (ratio is None or ratio == 0)


def _choices(model: object) -> tuple[Choice, ...]:
    found = []
    if isinstance(getattr(model, "class_weight", None), str):
        found.append(Choice("class_weight", "'balanced' reads the class frequencies", rows="none"))
    if hasattr(model, "Cs_"):
        found.append(Choice("C", "cross-validation", candidates=len(model.Cs_)))
    if hasattr(model, "alphas") and hasattr(model, "best_score_"):
        found.append(Choice("alpha", "cross-validation", candidates=len(np.ravel(model.alphas))))
    return tuple(found)
