"""Classifiers of format 1 on vectors: what stood in ``_told`` and beside it became a record."""

from __future__ import annotations

from typing import Any

from mercer.io.model_file.upgrades._steps import made, step

State = dict[str, Any]
WIDTH = ("n_features_in_", "feature_names_in_")


def attributes(state: State, *known: str) -> State:
    """Public attributes that a learner found besides those it shares with its family."""
    plain = (*WIDTH, "classes_", "coef_", "intercept_", *known)
    return {name: v for name, v in state.items() if name.endswith("_") and name not in plain}


@step(0, "learner:fisher-discriminant", "learner:linear-erm")
def plane(state: State) -> State:
    """Two classes and a plane between them."""
    told = state.pop("_told", None)
    if told is None:  # not fitted
        return state
    state["fitted_"] = made(
        "record:plane-fitted",
        n=len(told["target"]),
        kind=made("record:kind", "vectors"),
        dropped=told["dropped"],
        classes=state["classes_"],
        coef=state["coef_"],
        intercept=state["intercept_"],
        output=told["output"],
        target=told["target"],
        formulation="erm" if state.pop("_counted", False) else "linear",
        attributes=attributes(state),
    )
    return state


@step(0, "learner:logistic-classifier")
def logistic(state: State) -> State:
    """Scores that are linear in the columns."""
    told = state.pop("_told", None)
    if told is None:
        return state
    state["fitted_"] = made("record:scores-fitted", **_scores(state, told))
    return state


@step(0, "learner:exponential-family-classifier")
def densities(state: State) -> State:
    """Scores that are linear in the statistics of a family."""
    told = state.pop("_told", None)
    if told is None:
        return state
    fields = _scores(state, told) | {"family": state["family"]}
    state["fitted_"] = made("record:densities-fitted", **fields)
    return state


def _scores(state: State, told: State) -> State:
    return {
        "n": len(told["codes"]),  # rows of weight zero were not counted then
        "kind": made("record:kind", "vectors"),
        "classes": state["classes_"],
        "coef": state["coef_"],
        "intercept": state["intercept_"],
        "codes": told["codes"],
        "scores": told["scores"],
        "attributes": attributes(state),
    }
