"""Arguments and attributes that were called otherwise in formats 1 and 2.

What each is called now, and why, stands in docs/conventions.md, "One vocabulary".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.io.model_file.upgrades._steps import step

State = dict[str, Any]


def called(state: State, **words: str) -> State:
    """Attributes of a learner, of which each ``old=new`` is called new."""
    for part in _said_twice(state):
        part |= {words[old]: part.pop(old) for old in words.keys() & part.keys()}
    return {words.get(name, name): value for name, value in state.items()}


def renamed(version: int, *names: str, **words: str) -> None:
    """Mark a step from ``version`` of these learners that does nothing else."""
    step(version, *(f"learner:{name}" for name in names))(lambda state: called(state, **words))


def respelled(version: int, kind: str, *names: str, **words: str) -> None:
    """The same for kernels, and for whatever else is no learner with a record."""

    @step(version, *(f"{kind}:{name}" for name in names))
    def upgrade(state: State) -> State:
        return {words.get(name, name): value for name, value in state.items()}


def _said_twice(state: State) -> list[State]:
    """What the record of the fit and the arguments at fit repeat of the attributes."""
    parts = (
        getattr(state.get("fitted_"), "attributes", None),
        state.get("_issued", {}).get("params"),
    )
    return [part for part in parts if isinstance(part, dict)]


renamed(0, "nystroem", n_landmarks="n_components")
renamed(1, "linear-classifier", "linear-erm")
renamed(1, "fisher-discriminant", "kernel-fisher", regularisation="reg_param", route="solver")
renamed(1, "linear-regressor", "lasso-regression", "least-squares", "polynomial-regression")
renamed(1, "ridge-regression", form="solver", form_="solver_")
renamed(1, "pca", route="svd_solver", route_="svd_solver_")


def _replaced(state: State, words: dict[str, str], *names: str) -> State:
    """Values of these arguments and attributes that are called otherwise now."""
    for part in (state, *_said_twice(state)):
        for name in names:
            if isinstance(part.get(name), str):
                part[name] = words.get(part[name], part[name])
    return state


@step(2, "learner:gaussian-process-classifier")
def meanings_of_beta(state: State) -> State:
    """They were called by places of the text."""
    words = {"B.7": "scale", "3.16": "twice", "algorithm 5": "square"}
    return _replaced(state, words, "convention")


@step(2, "learner:pca")
def pca_solvers(state: State) -> State:
    """Solvers are called as scikit-learn calls them."""
    words = {"covariance": "covariance_eigh", "lanczos": "arpack"}
    return _replaced(state, words, "svd_solver", "svd_solver_")


@step(1, "learner:bayes-point-machine")
def point_machine(state: State) -> State:
    """Its words, and the lengths that members of version space are drawn with."""
    words = {"soft": "reg_param", "method": "solver", "max_bounces": "max_iter", "start": "init"}
    state = called(state, **words, X_train_="X_fit_")
    for machine in getattr(state.get("fitted_"), "machines", ()):
        own = machine.diagonal
        machine.scale = machine.y / np.sqrt(own + state["reg_param"] * np.mean(own))
    return state


renamed(1, "adaptive-margin-machine", "leave-one-out-machine", lam="reg_param")
renamed(1, "halving", penalty="discount", max_epochs="max_iter")
renamed(1, "perceptron", "kernel-perceptron", max_epochs="max_iter", start="coef_init")
renamed(1, "kernel-pca", centre="center")
renamed(
    1,
    "k-means",
    "kernel-k-means",
    start="init",
    energy_="inertia_",
    energy_history_="inertia_history_",
    seeding_energy_="seeding_inertia_",
)
renamed(1, "k-centres", centers_="cluster_centers_indices_")
renamed(0, "kernel-search", params="param_grid")
renamed(1, "lipschitz-classifier", "lipschitz-regressor", alpha="balance", gap_="dual_gap_")
renamed(2, "sparse-gaussian-process-regressor", evidence_bound_="elbo_")
renamed(0, "condensed-nearest-neighbour", scheme="method")
respelled(0, "learner", "kmer-features", normalise="normalize")
respelled(0, "kernel", "diffusion", normalised_laplacian="normalized_laplacian")
respelled(
    0,
    "kernel",
    *("aligned-kernel", "bag-of-words", "counted-kernel", "exact-match", "global-alignment"),
    *("local-alignment", "mismatch", "sequence-kernel", "set-kernel", "spectrum", "subsequence"),
    *("substring", "weighted-degree"),
    normalise="normalize",
)
renamed(1, "gaussian-process")
