"""Bayesian machines of format 1: what answers and evidence read became a record."""

from __future__ import annotations

from typing import Any

from scipy import sparse

from mercer.io.model_file.upgrades._steps import made, step

State = dict[str, Any]


def of_rows(state: State, rows: Any, n: int) -> State:
    """Facts of the rows, as arguments of a record."""
    kind = made("record:door", asks="kernel", functions="pairs").kind(state["kernel"])
    if sparse.issparse(rows):
        kind = made("record:kind", "sparse")
    return {
        "n": n,
        "kind": kind,
        "kept": state.pop("_kept_columns", None),
        "classes": state.get("classes_"),
        "rows": rows,
    }


def in_space(state: State, n: int) -> State:
    """Facts of rows and kernel; the rows are also called ``X_fit_`` now."""
    rows = state["X_fit_"] = state["X_train_"]
    kernel = state["kernel_"]
    heuristic = kernel is not None and kernel.data_dependent
    return of_rows(state, rows, n) | {
        "kernel": kernel,
        "read_off": (("the kernel's parameters", "a heuristic read the rows"),) * heuristic,
        "width": state.get("n_features_in_"),
    }


@step(0, "learner:bayes-point-machine")
def bayes_point(state: State) -> State:
    """The machines, and the arguments that prediction asked for."""
    if "machines_" not in state:  # not fitted
        return state
    state["fitted_"] = made(
        "record:bayes-point-fitted",
        **in_space(state, state["dual_coef_"].shape[1]),
        machines=state["machines_"],
        strategy=state["strategy"],
        seed=state["random_state"],
    )
    return state


@step(0, "learner:relevance-vector-regressor", "learner:relevance-vector-classifier")
def relevance_vectors(state: State) -> State:
    """The machines; some facts were kept beside them."""
    if "weights_" not in state:  # not fitted
        return state
    machines = state.pop("_machines", None) or [state.pop("_machine")]
    residuals, n = state.pop("_residuals", None), state.pop("_rows", None)
    state.pop("_fitted", None)
    state["fitted_"] = made(
        "record:relevance-fitted",
        **in_space(state, len(residuals) if n is None else n),
        basis=state["basis"],
        machines=machines,
        n_columns=state["weights_"].shape[1],
        offset=bool(state["fit_intercept"]),
        beta=state.get("beta", 1.0),
        residuals=residuals,
        margins=state.pop("_margins", None),
        errors=state.pop("_wrong", None),
        geometry=state.pop("_geometry", {}),
    )
    return state
