"""Learners on distances of format 1: private attributes became a record."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer._types import Samples
from mercer.io.model_file.upgrades._steps import made, step
from mercer.io.model_file.upgrades.words import called
from mercer.learners.metric import lipschitz_constant

State = dict[str, Any]
LOOKED_AT = 200  # objects whose triangles were looked at then


def in_metric_space(state: State) -> State:
    """Facts of rows and metric, as arguments of a record."""
    metric, n = state["metric_"], state.pop("_n")
    known = "broken"
    if state["metric_holds_"]:
        known = "exact" if n <= LOOKED_AT else "sampled"
        known = {True: "declared", False: "denied"}.get(metric.is_metric, known)
    objects = state.pop("_objects")
    return {
        "n": n,
        "kind": made("record:door", asks="metric").kind(metric),
        "classes": state.get("classes_"),
        "metric": metric,
        "objects": objects,
        "known": known,
        "distances": state.pop("_D"),
        "radii": state.pop("_radii"),
    }


@step(0, "learner:lipschitz-classifier")
def lipschitz_classifier(state: State) -> State:
    """One Lipschitz function, or one for each class."""
    if "_constants" not in state:  # not fitted
        return state
    state["fitted_"] = made(
        "record:lipschitz-fitted",
        **in_metric_space(state),
        signs=state.pop("_labels"),
        constants=state.pop("_constants"),
        values=state.pop("_values"),
        mass=state.pop("_mass"),
        objective=state["objective_"],
        gap=state["gap_"],
        alpha=float(state["alpha"]),
    )
    return state


@step(0, "learner:lipschitz-regressor")
def lipschitz_regressor(state: State) -> State:
    """The smoothest function."""
    if "_errors" not in state:  # not fitted
        return state
    state["fitted_"] = made(
        "record:smooth-fitted",
        **in_metric_space(state),
        values=state["values_"],
        constant=state["constant_"],
        errors=state.pop("_errors"),
        objective=state["objective_"],
        n_constraints=state["n_constraints_"],
        limits=state.pop("_range"),
        alpha=float(state["alpha"]),
    )
    return state


def sum_of(state: State, columns: Any, D: Samples) -> State:
    """What all sums of functions have."""
    coef, intercept = state["coef_"], state["intercept_"]
    return in_metric_space(state) | {
        "coef": coef,
        "intercept": intercept,
        "penalty": state["penalty_"],
        "constant": lipschitz_constant(columns @ coef, D),
        "margins": state.pop("_margins"),
    }


@step(0, "learner:lp-machine")
def lp_machine(state: State) -> State:
    """Sums of profiles of distances; the constant was not asked for then."""
    if "_margins" not in state:  # not fitted
        return state
    fixed = state["profile"] == "distance" or state["widths"] is not None
    state["fitted_"] = made(
        "record:lp-fitted",
        **sum_of(state, np.zeros((1, len(state["coef_"]))), np.zeros((1, 1))),
        box=state.pop("_box"),
        widths=state.pop("_widths"),
        fixed=fixed,
    )
    return state


@step(0, "learner:kuratowski-machine")
def kuratowski_machine(state: State) -> State:
    """Sums of distances to a domain."""
    if "_margins" not in state:  # not fitted
        return state
    columns, D = state.pop("_training")
    state["fitted_"] = made(
        "record:kuratowski-fitted", **sum_of(state, columns, D), far=state.pop("_far")
    )
    return state


@step(1, "learner:lp-machine")
def length_scales(state: State) -> State:
    """Profiles were exp(−(d/s)²), and s was given."""
    state = called(state, widths="length_scales")
    for part in (state, state.get("_issued", {}).get("params", {})):
        if part.get("length_scales") is not None:
            part["length_scales"] = np.asarray(part["length_scales"], dtype=float) / np.sqrt(2.0)
    return state
