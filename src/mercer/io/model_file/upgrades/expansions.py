"""Kernel expansions of format 1: what stood in ``_told`` and beside it became a record."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.io.model_file.upgrades._steps import made, told_step
from mercer.kernels.resolve import read_off

State = dict[str, Any]


def in_kernel_space(state: State, n: int, dropped: int = 0) -> State:
    """Facts of rows and kernel, as arguments of a record; ``_sparse`` goes."""
    kind = made("record:door", asks="kernel").kind(state["kernel"])
    if state.pop("_sparse"):
        kind = made("record:kind", "sparse")
    kernel = state["kernel_"]
    return {
        "n": n,
        "kind": kind,
        "dropped": dropped,
        "classes": state.get("classes_"),
        "kernel": kernel,
        "rows": state["X_fit_"],
        "read_off": read_off(state["kernel"], state["gamma"], kernel),
        "width": state.get("n_features_in_"),
    }


RISK = ("regularised-risk-regressor", "regularised-risk-classifier", "kernel-logistic")


@told_step(*(f"learner:{name}" for name in RISK))
def regularised_risk(state: State, told: State) -> Any:
    """Minimiser and rows of a regularised-risk machine."""
    coef = state["dual_coef_"]
    return made(
        "record:risk-fitted",
        **in_kernel_space(state, len(coef), told["dropped"]),
        coef=coef,
        intercept=state["intercept_"],
        loss=state["loss_"],
        solver=state["solver_"],
        n_iter=state["n_iter_"],
        gap=state["dual_gap_"],
        objective=state["objective_"],
        alphas=np.abs(told["coef"]),
        price=told["C"],
        **{name: told[name] for name in ("output", "target", "diagonal", "squared_norm")},
    )


@told_step("learner:kernel-fisher")
def kernel_fisher(state: State, told: State) -> Any:
    """Direction and outputs of a kernel Fisher discriminant."""
    coef = state["dual_coef_"]
    return made(
        "record:kernel-fisher-fitted",
        **in_kernel_space(state, len(coef)),
        coef=coef,
        intercept=state["intercept_"],
        **told,
    )


@told_step("learner:parzen-classifier")
def parzen(state: State, told: State) -> Any:
    """Weights and scores of Parzen windows; rows of weight zero are no longer counted."""
    coef, scores = state["dual_coef_"], told["scores"]
    used = coef.any(axis=1)
    square = None
    if coef.shape[1] == 2:
        square = float((coef[:, 1] - coef[:, 0]) @ (scores[:, 1] - scores[:, 0]))
    return made(
        "record:parzen-fitted",
        **in_kernel_space(state, len(coef), int(np.sum(~used))),
        coef=coef,
        codes=told["codes"][used],
        scores=scores[used],
        diagonal=told["diagonal"][used],
        squared_norm=square,
    )


@told_step("learner:kernel-ridge")
def kernel_ridge(state: State, told: State) -> Any:
    """Model, path and rows of a kernel ridge."""
    n = len(state["dual_coef_"])
    coef = state["dual_coef_"].reshape(n, -1)
    moved = ("root", "target", "diagonal", "risk", "squared_norm", "spectrum")
    state.pop("_n_candidates", None)
    return made(
        "record:ridge-fitted",
        **in_kernel_space(state, n, told["dropped"]),
        coef=coef,
        intercept=np.atleast_1d(state["intercept_"]),
        alpha=np.broadcast_to(state["alpha_"], coef.shape[1]).copy(),
        flat=state.pop("_flat"),
        fit_intercept=bool(state["fit_intercept"]),
        checked=isinstance(state["kernel"], str),
        solver=state["solver_"],
        backward_error=state["backward_error_"],
        used=state.pop("_used"),
        path=state.get("path_"),
        path_left_out=told["left_out"],
        **{name: told[name] for name in moved},
    )
