"""A fitted kernel ridge as `Evidence`."""

from __future__ import annotations

import math

import numpy as np

from mercer.bounds import Choice, Evidence
from mercer.learners.regression._ridge_fitted import RidgeFitted

LOO_LIMIT = 3000  # rows: beyond, leave-one-out is computed when asked for, not for the evidence


def evidence_of(fitted: RidgeFitted, learner: str) -> Evidence:
    """Squared loss, its leave-one-out error, the norm and the geometry of the kernel."""
    facts = fitted.facts(fitted.diagonal)
    geometric = facts["point_norms"] is not None
    single = fitted.coef.shape[1] == 1
    if fitted.path is not None:
        count = len(fitted.path.alphas)
        facts["choices"] += (Choice("alpha", "smallest leave-one-out error", candidates=count),)
    offset = float(fitted.intercept[0]) if single else 0.0
    return Evidence(
        len(fitted.used),
        task="regression",
        learner=f"this {learner}",
        formulation="krr",
        loss="squared",
        risks={"squared": fitted.risk},
        alphas=np.abs(fitted.coef[fitted.used, 0]) if single else None,
        norm=math.sqrt(fitted.squared_norm) if single and geometric else None,
        offset=offset if fitted.fit_intercept else None,
        spectrum=fitted.spectrum,
        C=_price(fitted) if single else None,  # a mean over targets hides large ones
        loo=_left_out(fitted),
        **facts,
    )


def _price(fitted: RidgeFitted) -> float | None:
    """C = 1/(2α): Σ loss + α‖f‖² is proportional to C Σ loss + ½‖f‖², if all rows count alike."""
    weight, alpha = fitted.row_weight, fitted.alpha[0]
    return float(weight / (2.0 * alpha)) if weight is not None and alpha > 0 else None


def _left_out(fitted: RidgeFitted) -> dict[str, float]:
    if fitted.path_left_out is None and len(fitted.used) > LOO_LIMIT:
        return {}
    value = float(np.mean(fitted.left_out_mean_square()))
    return {"exact": value} if math.isfinite(value) else {}
