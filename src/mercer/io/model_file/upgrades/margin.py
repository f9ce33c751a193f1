"""Margin machines of format 1: private attributes became one record."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.io.model_file.upgrades._steps import State, made, step
from mercer.kernels.resolve import read_off
from mercer.kernels.structured.precomputed import Precomputed


def _kind(state: State) -> Any:
    kernel = state["kernel"]
    if isinstance(kernel, Precomputed) or (isinstance(kernel, str) and kernel == "precomputed"):
        name = "gram"
    elif "vectors" not in getattr(kernel, "accepts", {"vectors"}):
        name = "objects"
    else:
        name = "sparse" if state["_sparse"] else "vectors"
    return made("record:kind", name)


def _support(state: State) -> dict[str, Any]:
    """What all of them have in common."""
    found = {
        "n": int(state["shape_fit_"][0]),
        "kind": _kind(state),
        "dropped": state.pop("_left_out"),
        "classes": state.get("classes_"),
        "kernel": state["kernel_"],
        "rows": state.pop("_X_fit"),
        "read_off": read_off(state["kernel"], state["gamma"], state["kernel_"]),
        "width": state.get("n_features_in_"),
        "gamma": state.pop("_gamma"),
        "radius": state.pop("_radius", np.nan),
        "diagonal": state.pop("_diagonal", np.zeros(0)),
        "weighted": state.pop("_weighted"),
        "indefinite": state.pop("_indefinite"),
        "support": state["support_"],
        "support_vectors": state["support_vectors_"],
        "dual_coef": state["dual_coef_"],
        "n_support": state["_n_support"],
        "intercept": state["intercept_"],
        "shape": state["shape_fit_"],
    }
    state.pop("_sparse")
    return found


def _machines(state: State) -> dict[str, Any]:
    return _support(state) | {
        "machines": tuple(state.pop("_machines")),
        "names": tuple(state.pop("_names", ("",))),
        "class_weight": state.get("class_weight_"),
        "calibration": state.pop("_calibration", None),
        "scheme": state.get("multi_class", ""),
    }


@step(0, *(f"learner:{name}" for name in ("svc", "nu-svc", "svr", "nu-svr", "one-class-svm")))
def quadratic(state: State) -> State:
    """One record with the machines of all binary problems."""
    if "_machines" in state:
        state["fitted_"] = made("record:margin-fitted", **_machines(state))
    return state


@step(0, "learner:svdd")
def ball(state: State) -> State:
    """The same, and the ball."""
    if "_machines" in state:
        more = {"centre_norm": state.pop("_centre_norm"), "inside": state.pop("_inside")}
        more["ball"] = state["radius_"]
        state["fitted_"] = made("record:ball-fitted", **_machines(state), **more)
        for name in ("_own_values", "_total"):
            state.pop(name)
    return state


def _expansion(state: State, *names: str) -> dict[str, Any]:
    nothing = np.zeros(0)
    own = {
        "sign": state.pop("_sign", nothing),
        "used": state.pop("_used", np.zeros(0, dtype=bool)),
        "output": state.pop("_output", nothing),
        "alpha": state.pop("_alpha", nothing),
        "squared_norm": state.pop("_squared_norm", np.nan),
        "attributes": {name: state[name] for name in names},
    }
    return _support(state) | own


@step(0, "learner:adaptive-margin-machine", "learner:leave-one-out-machine")
def adaptive(state: State) -> State:
    """A record with the rows as evidence sees them."""
    if "_output" in state:
        names = ("programme_", "n_iter_", "objective_", "slacks_")
        state["fitted_"] = made("record:expansion-fitted", **_expansion(state, *names))
    return state


@step(0, "learner:kernel-perceptron")
def kernel_perceptron(state: State) -> State:
    """The same, and the run."""
    if "mistakes_" in state:
        stream = state.pop("_stream", None)
        state["fitted_"] = made(
            "record:perceptron-fitted",
            **_expansion(state, "mistakes_", "n_iter_"),
            log=state["mistakes_"],
            one_pass=state.pop("_one_pass"),
            path=state.pop("_path", None),
            votes=state.pop("_sign_of_votes", None),
            stream=stream,
        )
    return state


@step(0, "learner:perceptron")
def perceptron(state: State) -> State:
    """Weights, run and facts of the rows in one record."""
    if "mistakes_" in state:
        offset = bool(state["fit_intercept"])
        tail = state["intercept_"] if offset else np.zeros(0)
        state["fitted_"] = made(
            "record:weights-fitted",
            n=state.pop("_seen"),
            kind=made("record:kind", "vectors"),
            classes=state["classes_"],
            weights=np.concatenate([state["coef_"][0], tail]),
            offset=offset,
            log=state["mistakes_"],
            one_pass=state.pop("_one_pass"),
            path=state.pop("_path", None),
            facts=state.pop("_facts", None),
        )
    return state


@step(0, "learner:crammer-singer-svc")
def crammer_singer(state: State) -> State:
    """The joint solution, and which rows rebuild it."""
    if "joint_" in state:
        own = {"used": "_used", "wrong": "_wrong", "needed": "_needed_rows"}
        more = {name: state.pop(old) for name, old in own.items()}
        shared = _support(state)
        state["fitted_"] = made("record:joint-fitted", **shared, joint=state["joint_"], **more)
    return state
