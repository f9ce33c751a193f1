"""Learners without labels of format 2: rows and their metric became one record."""

from __future__ import annotations

from typing import Any

from mercer.io.model_file.upgrades._steps import made, step

State = dict[str, Any]


def compared(rows: Any, metric: Any, kept: Any = None) -> Any:
    """Rows and what compares them; of given distances only which columns count."""
    if isinstance(metric, str) and metric == "precomputed":
        return made("record:compared", None, metric, {}, kept)
    return made("record:compared", rows, metric)


@step(0, "record:joined-points")
def joined_points(state: State) -> State:
    """Points of a diffusion map were vectors."""
    state["points"] = compared(state["points"], "euclidean")
    return state


@step(0, "record:isomap-fitted", "record:mds-fitted")
def rows_and_metric(state: State) -> State:
    """Rows beside their metric."""
    state["rows"] = compared(state["rows"], state.pop("metric"))
    return state


@step(0, "record:centres-fitted")
def centres(state: State) -> State:
    """Rows that are centres beside their metric."""
    state["rows"] = compared(state.pop("centres"), state.pop("metric"), state["places"])
    return state


@step(2, "learner:isomap")
def isomap(state: State) -> State:
    """The policy for graphs in pieces has one name everywhere."""
    if state["disconnected"] == "bridge":
        state["disconnected"] = "connect"
    return state


@step(2, "learner:diffusion-map", "learner:landmark-diffusion-map")
def diffusion_map(state: State) -> State:
    """Distances of one's own, and the policy."""
    return state | {"metric": "euclidean", "kernel": None, "disconnected": "connect"}


@step(1, "record:similarities")
def similarities(state: State) -> State:
    """Graphs of neighbours have rows with a metric."""
    if state["affinity"] in ("knn", "mutual", "radius"):
        state["rows"] = compared(state["rows"], "euclidean")
    return state | {"gamma": 1.0, "params": {}}


@step(2, "learner:spectral-clustering")
def spectral_clustering(state: State) -> State:
    """What scikit-learn's has besides, and distances of one's own."""
    return {
        "metric": "euclidean",
        "gamma": 1.0,
        "degree": 3,
        "coef0": 1,
        "kernel_params": None,
        "n_components": None,
        "disconnected": "warn",
        "eigen_solver": None,
        "eigen_tol": "auto",
        "n_jobs": None,
        "verbose": False,
        "connectivity_": None,
    } | state


@step(2, "learner:k-means")
def k_means(state: State) -> State:
    """What scikit-learn's has besides, and teleporting."""
    return {
        "teleport": False,
        "tol": 1e-4,
        "verbose": 0,
        "copy_x": True,
        "algorithm": "lloyd",
    } | state


@step(3, "learner:isomap")
def isomap_arguments(state: State) -> State:
    """What scikit-learn's has besides."""
    return {
        "p": 2,
        "metric_params": None,
        "eigen_solver": "auto",
        "tol": 0,
        "max_iter": None,
        "path_method": "auto",
        "neighbors_algorithm": "auto",
        "n_jobs": None,
    } | state


@step(1, "learner:classical-mds")
def mds_arguments(state: State) -> State:
    """What scikit-learn's has besides."""
    return {"metric_params": None} | state
