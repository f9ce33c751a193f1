"""Bayesian machines of format 1: what answers and evidence read became a record."""

from __future__ import annotations

from typing import Any

from scipy import sparse

from mercer.io.model_file.upgrades._steps import made, step
from mercer.io.model_file.upgrades.words import called

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


@step(1, "learner:relevance-vector-regressor", "learner:relevance-vector-classifier")
def relevance_words(state: State) -> State:
    """Other names; the solver's own limit was asked for by None."""
    state = called(
        state,
        algorithm="solver",
        log_evidence_="log_marginal_likelihood_value_",
        evidence_path_="log_marginal_likelihood_path_",
        X_train_="X_fit_",
    )
    for part in (state, state.get("_issued", {}).get("params", {})):
        if part.get("max_iter", 1) is None:
            part["max_iter"] = -1
    return state


def process(state: State, n: int) -> State:
    """What every record of a Gaussian process holds."""
    return of_rows(state, state["X_train_"], n) | {
        "dtype": state["dtype"],
        "names": state["theta_names_"],
        "point": state["theta_"],
        "log_evidence": state["log_marginal_likelihood_value_"],
        "n_evaluations": state["n_evaluations_"],
        "timed_out": state["timed_out_"],
    }


@step(0, "learner:gaussian-process-regressor")
def process_regressor(state: State) -> State:
    """The factor of the covariance is made again when it is needed."""
    for name in ("_factor", "_bounds"):
        state.pop(name, None)
    if "alpha_" not in state:  # not fitted
        return state
    n = len(state["alpha_"])
    targets = made(
        "record:gp-targets",
        unit=state["y_train_"].reshape(n, -1),
        mean=state.pop("_y_mean"),
        scale=state.pop("_y_scale"),
        flat=state.pop("_flat"),
    )
    state["fitted_"] = made(
        "record:gp-regression-fitted",
        **process(state, n),
        kernel=state["kernel_"],
        noise=state["noise_"],
        theta=state.pop("_theta"),
        likelihood=state.pop("_likelihood_"),
        targets=targets,
        coef=state["alpha_"].reshape(n, -1),
        jitter=state["jitter_"],
        converged=state["converged_"],
    )
    return state


@step(0, "learner:gaussian-process-classifier")
def process_classifier(state: State) -> State:
    """The processes, and the arguments that prediction asked for."""
    if "processes_" not in state:  # not fitted
        return state
    processes = state["processes_"]
    several = state["multi_class"] == "softmax" and len(state["classes_"]) > 2
    state["fitted_"] = made(
        "record:gp-classification-fitted",
        **process(state, processes[0].n),
        processes=processes,
        softmax=several,
        sampled=state["inference"] == "mcmc",
    )
    return state


@step(1, "learner:sparse-gaussian-process-regressor")
def sparse_process(state: State) -> State:
    """Inducing points and coefficients."""
    if "coef_" not in state:  # not fitted
        return state
    facts = of_rows(state, state["inducing_points_"], state["n_rows_"])
    facts.pop("rows")
    state["fitted_"] = made(
        "record:sparse-gp-fitted",
        **facts,
        kernel=state["kernel_"],
        noise=state["noise_"],
        points=state["inducing_points_"],
        coef=state["coef_"],
        bound=state["evidence_bound_"],
        reduction=state.pop("_reduction"),
        mean=state.pop("_y_mean"),
        scale=state.pop("_y_scale"),
    )
    return state


@step(1, "learner:gaussian-process-regressor", "learner:gaussian-process-classifier")
def process_arguments(state: State) -> State:
    """``kernel=None`` means scikit-learn's now, and chains have a number: refits stay the same."""
    for arguments in (state, state.get("_issued", {}).get("params") or {}):
        if "kernel" in arguments and arguments["kernel"] is None:
            arguments["kernel"] = "auto"
        if "inference" in arguments:
            arguments.setdefault("n_chains", 8)
    return state
