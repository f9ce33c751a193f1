"""A fitted kernel ridge as `Evidence`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mercer.bounds import Choice, Evidence
from mercer.learners.margin import _kernel_facts as facts

LOO_LIMIT = 3000  # rows: beyond, leave-one-out is computed when asked for, not for the evidence


def publish(estimator: Any) -> Evidence:
    """Squared loss, its leave-one-out error, the norm and the geometry of the kernel."""
    told = estimator._told
    kernel = estimator.kernel_
    geometric = kernel.psd is True
    size = facts.dimension(kernel, getattr(estimator, "n_features_in_", None))
    single = told["targets"] == 1
    own = told["diagonal"]
    return Evidence(
        told["n"],
        task="regression",
        learner=f"this {type(estimator).__name__}",
        formulation="krr",
        loss="squared",
        risks={"squared": told["risk"]},
        alphas=np.abs(told["coef"]) if single else None,
        point_norms=np.sqrt(np.maximum(own, 0.0)) if geometric else None,
        norm=math.sqrt(told["squared_norm"]) if single and geometric else None,
        offset=_offset(estimator) if single else (0.0 if estimator.fit_intercept else None),
        radius=facts.known_radius(kernel, own),
        kernel_range=facts.known_range(kernel),
        trace=told["trace"] if geometric else None,
        dimension=size,
        rank=None if size is None or math.isinf(size) else int(size),
        spectrum=told["spectrum"],
        C=_price(estimator, told),
        loo=_left_out(estimator, told),
        choices=_choices(estimator, told),
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


def _choices(estimator: Any, told: dict[str, Any]) -> tuple[Choice, ...]:
    found = list(facts.kernel_choices(estimator))
    if told["candidates"]:
        found.append(Choice("alpha", "smallest leave-one-out error", candidates=told["candidates"]))
    if told["dropped"]:
        found.append(Choice("the rows of weight zero", f"{told['dropped']} rows left out"))
    return tuple(found)
