"""Wrappers for several classes of format 1: what stood beside the machines became a record."""

from __future__ import annotations

from typing import Any

from mercer.io.model_file.upgrades._steps import made, step

State = dict[str, Any]


@step(0, "learner:one-vs-rest", "learner:one-vs-one", "learner:decision-dag")
def binary_machines(state: State) -> State:
    """Rows of weight zero were counted with the others then."""
    if "estimators_" not in state:  # not fitted
        return state
    n, pairwise = state.pop("_rows"), state.pop("_pairwise_data")
    kind = "gram" if pairwise else "vectors" if "n_features_in_" in state else "whole"
    state["fitted_"] = made(
        "record:scheme-fitted",
        n=n,
        kind=made("record:kind", kind),
        classes=state["classes_"],
        models=state["estimators_"],
        names=state["names_"],
        counted=n,
        members=state.pop("_members"),
        columns=state.pop("_task_rows"),
        errors=state.pop("_errors"),
    )
    return state
