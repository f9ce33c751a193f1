"""A fitted kernel ridge as `Evidence`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mercer.bounds import Choice, Evidence
from mercer.learners._kernel_evidence import kernel_facts

LOO_LIMIT = 3000  # rows: beyond, leave-one-out is computed when asked for, not for the evidence


def publish(estimator: Any) -> Evidence:
    """Squared loss, its leave-one-out error, the norm and the geometry of the kernel."""
    told = estimator._told
    facts = kernel_facts(estimator, told["diagonal"])
    geometric = facts["point_norms"] is not None
    single = told["targets"] == 1
    if told["candidates"]:
        chosen = Choice("alpha", "smallest leave-one-out error", candidates=told["candidates"])
        facts["choices"] += (chosen,)
    return Evidence(
        told["n"],
        task="regression",
        learner=f"this {type(estimator).__name__}",
        formulation="krr",
        loss="squared",
        risks={"squared": told["risk"]},
        alphas=np.abs(told["coef"]) if single else None,
        norm=math.sqrt(told["squared_norm"]) if single and geometric else None,
        offset=_offset(estimator) if single else (0.0 if estimator.fit_intercept else None),
        spectrum=told["spectrum"],
        C=_price(estimator, told) if single else None,  # a mean over targets hides large ones
        loo=_left_out(estimator, told),
        **facts,
    )


def _offset(estimator: Any) -> float | None:
    return float(np.ravel(estimator.intercept_)[0]) if estimator.fit_intercept else None


def _price(estimator: Any, told: dict[str, Any]) -> float | None:
    """C = 1/(2α): Σ loss + α‖f‖² is proportional to C Σ loss + ½‖f‖², if all rows count alike."""
    alpha = np.unique(estimator.alpha_)
    if told["weight"] is None or len(alpha) > 1 or not alpha[0] > 0:
        return None
    return float(told["weight"] / (2.0 * alpha[0]))


def _left_out(estimator: Any, told: dict[str, Any]) -> dict[str, float]:
    if told["left_out"] is None and told["n"] > LOO_LIMIT:
        return {}
    value = float(np.mean(estimator._loo_mean_square()))
    return {"exact": value} if math.isfinite(value) else {}
