"""A fitted Bayes point machine as `Evidence`."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.bounds import Evidence, Posterior
from mercer.learners.bayes.point.volume import estimate_volume

DRAWS = 5000
LARGEST = 500  # rows: beyond, the volume costs more than the fit


def bayes_point_evidence(estimator: Any) -> Evidence:
    """The centre as a hyperplane, and version space as the posterior that it is.

    The posterior is published for consistent machines of two classes only: with ``reg_param`` > 0
    the set that was sampled lives in a space where training rows have coordinates of their own.
    """
    machines = [_binary(estimator, machine) for machine in estimator.fitted_.machines]
    chosen = estimator.fitted_.choices()
    if len(machines) == 1:
        posterior = _posterior(estimator) if _sampled(estimator) else None
        lost = ("posterior",) if _sampled(estimator) and posterior is None else ()
        return Evidence(**machines[0], posterior=posterior, choices=chosen, lost=lost)
    parts = [Evidence(**facts) for facts in machines]
    return Evidence(
        n=parts[0].n,
        learner=_name(estimator),
        formulation="bayes-point",
        n_classes=len(estimator.fitted_.classes),
        machines=tuple(parts),
        choices=chosen,
    )


def _name(estimator: object) -> str:
    return f"this {type(estimator).__name__}"


def _binary(estimator: Any, machine: Any) -> dict[str, Any]:
    fitted = estimator.fitted_
    point = fitted.strategy == "point"
    geometric = point and fitted.kernel.psd is True
    margins = machine.y * machine.output
    facts = fitted.facts(machine.diagonal)
    return {
        "n": fitted.n,
        "learner": _name(estimator),
        "formulation": "bayes-point",
        "errors": int(np.count_nonzero(margins <= 0)) if point else None,
        "margins": margins if point else None,
        "alphas": np.abs(machine.beta) if point else None,
        "norm": machine.norm if geometric else None,
        **{name: facts[name] if geometric else None for name in ("point_norms", "radius", "trace")},
        **{name: facts[name] if point else None for name in ("dimension", "rank")},
    }


def _sampled(estimator: Any) -> bool:
    """Whether the volume of version space is estimated at all, as known before the data."""
    fitted = estimator.fitted_
    return estimator.reg_param == 0 and fitted.kernel.psd is True and fitted.n <= LARGEST


def _posterior(estimator: Any) -> Posterior | None:
    """Version space as the restricted prior; None if no draw hit it."""
    machine = estimator.fitted_.machines[0]
    risk = 0.5 * estimator.delta
    volume = estimate_volume(machine.space, DRAWS, np.random.default_rng(0))
    if not np.isfinite(volume.log_volume):
        return None
    return Posterior(
        len(machine.y), gibbs=0.0, kl=-volume.log_lower(risk), restricted=True, kl_risk=risk
    )
