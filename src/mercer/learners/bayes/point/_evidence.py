"""A fitted Bayes point machine as `Evidence`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mercer.bounds import Choice, Evidence, Posterior
from mercer.learners.bayes.point.volume import estimate_volume

DRAWS = 5000
LARGEST = 500  # rows: beyond, the volume costs more than the fit


def bayes_point_evidence(estimator: Any) -> Evidence:
    """The centre as a hyperplane, and version space as the posterior that it is.

    The posterior is published for consistent machines of two classes only: with ``soft`` > 0 the
    set that was sampled lives in a space where training rows have coordinates of their own.
    """
    machines = [_binary(estimator, machine) for machine in estimator.machines_]
    chosen = _choices(estimator)
    if len(machines) == 1:
        posterior = _posterior(estimator) if _sampled(estimator) else None
        lost = ("posterior",) if _sampled(estimator) and posterior is None else ()
        return Evidence(**machines[0], posterior=posterior, choices=chosen, lost=lost)
    parts = [Evidence(**facts) for facts in machines]
    return Evidence(
        n=parts[0].n,
        learner="this BayesPointMachine",
        formulation="bayes-point",
        n_classes=len(estimator.classes_),
        machines=tuple(parts),
        choices=chosen,
    )


def _binary(estimator: Any, machine: Any) -> dict[str, Any]:
    point = estimator.strategy == "point"
    geometric = point and estimator.kernel_.psd is True
    margins = machine.y * machine.output
    own = np.maximum(machine.diagonal, 0.0)
    size = estimator.kernel_.dimension(getattr(estimator, "n_features_in_", None))
    return {
        "n": len(machine.y),
        "learner": "this BayesPointMachine",
        "formulation": "bayes-point",
        "errors": int(np.count_nonzero(margins <= 0)) if point else None,
        "margins": margins if point else None,
        "alphas": np.abs(machine.beta) if point else None,
        "norm": machine.norm if geometric else None,
        "point_norms": np.sqrt(own) if geometric else None,
        "radius": estimator.kernel_.known_radius(own) if geometric else None,
        "trace": float(own.sum()) if geometric else None,
        "dimension": size if point else None,
        "rank": int(size) if point and size is not None and math.isfinite(size) else None,
    }


def _sampled(estimator: Any) -> bool:
    """Whether the volume of version space is estimated at all, as known before the data."""
    small = len(estimator.machines_[0].y) <= LARGEST
    return estimator.soft == 0 and estimator.kernel_.psd is True and small


def _posterior(estimator: Any) -> Posterior | None:
    """Version space as the restricted prior; None if no draw hit it."""
    machine = estimator.machines_[0]
    risk = 0.5 * estimator.delta
    volume = estimate_volume(machine.space, DRAWS, np.random.default_rng(0))
    if not np.isfinite(volume.log_volume):
        return None
    return Posterior(
        len(machine.y), gibbs=0.0, kl=-volume.log_lower(risk), restricted=True, kl_risk=risk
    )


def _choices(estimator: Any) -> tuple[Choice, ...]:
    if estimator.kernel_.data_dependent:
        return (Choice("the kernel's parameters", "a heuristic read the rows"),)
    return ()
