"""Learners without labels of format 1: private attributes became a record."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.io.model_file.upgrades._steps import made, step
from mercer.io.model_file.upgrades.compared import compared
from mercer.io.model_file.upgrades.words import called
from mercer.kernels.resolve import read_off

State = dict[str, Any]


def rows_as(kind: str, n: int) -> State:
    """Facts of the rows, as arguments of a record."""
    return {"n": n, "kind": made("record:kind", kind)}


def by_metric(state: State, n: int) -> State:
    """Facts of rows between which ``metric`` measures."""
    given = isinstance(state["metric"], str) and state["metric"] == "precomputed"
    return rows_as("distances" if given else "vectors", n)


def in_kernel_space(state: State, n: int) -> State:
    """Facts of rows and kernel; whether the rows are sparse is seen."""
    kind = made("record:door", asks="kernel").kind(state["kernel"])
    rows, kernel = state["X_fit_"], state["kernel_"]
    if kind.value == "vectors" and not isinstance(rows, np.ndarray):
        kind = made("record:kind", "sparse")
    return {
        "n": n,
        "kind": kind,
        "kernel": kernel,
        "rows": rows,
        "read_off": read_off(state["kernel"], state["gamma"], kernel),
        "width": state.get("n_features_in_"),
    }


@step(0, "learner:pca")
def pca(state: State) -> State:
    """Directions and what they explain; how many rows there were follows from that."""
    if "components_" not in state:  # not fitted
        return state
    del state["_total"]
    variances = state["explained_variance_"]
    scale = np.sqrt(np.where(variances > 0, variances, 1.0))
    first = max(float(variances[0]), 1e-300)
    state["fitted_"] = made(
        "record:pca-fitted",
        **rows_as("vectors", round(float(state["singular_values_"][0] ** 2 / first))),
        mean=state["mean_"],
        components=state["components_"],
        singular=state["singular_values_"],
        variances=variances,
        ratio=state["explained_variance_ratio_"],
        route=state["route_"],
        scale=scale if state["whiten"] else None,
    )
    return state


@step(0, "learner:kernel-pca")
def kernel_pca(state: State) -> State:
    """Eigenvectors of the kernel matrix."""
    if "_pseudo" not in state:  # not fitted
        return state
    means = state.pop("_row_means")
    state["fitted_"] = made(
        "record:kernel-pca-fitted",
        **in_kernel_space(state, len(means)),
        eigenvalues=state["eigenvalues_"],
        eigenvectors=state["eigenvectors_"],
        ratio=state["explained_variance_ratio_"],
        pseudo=state.pop("_pseudo"),
        row_means=means,
        grand_mean=state.pop("_grand_mean"),
        centre=bool(state["centre"]),
        inverse_alpha=float(state["inverse_alpha"]),
    )
    return state


@step(0, "learner:kernel-k-means")
def kernel_k_means(state: State) -> State:
    """Members of the clusters."""
    if "_members" not in state:  # not fitted
        return state
    state["fitted_"] = made(
        "record:kernel-k-means-fitted",
        **in_kernel_space(state, len(state["labels_"])),
        labels=state["labels_"],
        energies=state["energy_history_"],
        members=state.pop("_members"),
        own=state.pop("_own"),
    )
    return state


@step(0, "learner:classical-mds")
def classical_mds(state: State) -> State:
    """Points, and what places new ones."""
    if "embedding_" not in state:  # not fitted
        return state
    facts, pseudo = by_metric(state, len(state["embedding_"])), state.pop("_pseudo")
    rows = state.pop("_X")
    state["fitted_"] = made(
        "record:mds-fitted",
        **facts,
        rows=compared(rows, state["metric"]),
        embedding=state["embedding_"],
        eigenvalues=state["eigenvalues_"],
        negative=state["negative_"],
        stress=state["stress_"],
        means=state.pop("_means"),
        pseudo=None if state["refine"] else pseudo,
    )
    return state


@step(0, "learner:k-means")
def k_means(state: State) -> State:
    """Centres and energies."""
    if "labels_" not in state:  # not fitted
        return state
    state["fitted_"] = made(
        "record:k-means-fitted",
        **rows_as("vectors", len(state["labels_"])),
        labels=state["labels_"],
        centres=state["cluster_centers_"],
        energy=state["energy_"],
        energies=state["energy_history_"],
        n_iter=state["n_iter_"],
    )
    return state


@step(0, "learner:k-centres")
def k_centres(state: State) -> State:
    """Rows that are centres."""
    if "labels_" not in state:  # not fitted
        return state
    state["fitted_"] = made(
        "record:centres-fitted",
        **by_metric(state, len(state["labels_"])),
        places=state["centers_"],
        rows=compared(state.pop("_centre_rows"), state["metric"], state["centers_"]),
        labels=state["labels_"],
        radius=state["radius_"],
    )
    return state


@step(0, "learner:isomap")
def isomap(state: State) -> State:
    """The graph and its paths."""
    if "_paths" not in state:  # not fitted
        return state
    del state["_kept"]
    state["fitted_"] = made(
        "record:isomap-fitted",
        **rows_as("vectors", len(state["embedding_"])),
        embedding=state["embedding_"],
        eigenvalues=state["eigenvalues_"],
        residual_variance=state["residual_variance_"],
        graph=state.pop("graph_"),
        connectivity=state["connectivity_"],
        landmarks=state["landmarks_"],
        rows=compared(state.pop("_X"), state["metric"]),
        paths=state.pop("_paths"),
        means=state.pop("_column_means"),
        pseudo=state.pop("_pseudo"),
        n_neighbors=state["n_neighbors"],
        unit=state["weights"] == "unit",
    )
    return state


@step(0, "learner:diffusion-map", "learner:landmark-diffusion-map")
def diffusion_map(state: State) -> State:
    """The walk on the rows or on landmarks."""
    if "_ordered" not in state:  # not fitted
        return state
    nearby = state["n_neighbors"]
    joined = made(
        "record:joined-points",
        compared(state.pop("_X"), "euclidean"),
        state.pop("_local"),
        state["bandwidth_"],
        float(state["cutoff"]),
        None if nearby is None else int(nearby),
        bool(state["variable"]),
    )
    walk = made(
        "record:diffusion-walk",
        joined=joined,
        **{name: state.pop(f"_{name}") for name in ("mass", "order", "ordered", "scale", "degree")},
        eigenvalues=state["eigenvalues_"],
        eigenvectors=state["eigenvectors_"],
    )
    facts = rows_as("vectors", len(state["embedding_"]))
    facts |= {"walk": walk, "t": float(state["t"]), "embedding": state["embedding_"]}
    if "block" in state:
        state["fitted_"] = made("record:landmark-diffusion-fitted", **facts, block=state["block"])
    else:
        state["fitted_"] = made("record:diffusion-fitted", **facts)
    return state


@step(0, "learner:spectral-clustering")
def spectral_clustering(state: State) -> State:
    """Eigenvectors, clusters, and what makes rows similar."""
    if "_chosen" not in state:  # not fitted
        return state
    for name in ("_values", "_second", "_tree"):
        state.pop(name, None)
    word, rows = _word(state["affinity"]), state.pop("_fit_rows")
    similar = made(
        "record:similarities",
        word,
        state.get("kernel_"),
        int(state["n_neighbors"]),
        state["epsilon"],
        compared(rows, "euclidean") if word in ("knn", "mutual", "radius") else rows,
    )
    clustering = made(
        "record:clustering",
        similar=similar,
        similarities=state.pop("similarities_"),
        degrees=state["degrees_"],
        eigenvalues=state["eigenvalues_"],
        eigenvectors=state["eigenvectors_"],
        labels=state["labels_"],
        centres=state.get("cluster_centers_"),
        number=state["n_clusters_"],
        chosen=state.pop("_chosen"),
        laplacian=_word(state["laplacian"]),
        assign=state["assign"],
    )
    state["fitted_"] = made(
        "record:spectral-fitted",
        **rows_as("similarity" if word == "precomputed" else "vectors", len(state["labels_"])),
        clustering=clustering,
    )
    return state


@step(0, "learner:landmark-spectral-clustering")
def landmark_clustering(state: State) -> State:
    """Landmarks and their eigenvectors."""
    if "_map" not in state:  # not fitted
        return state
    del state["_mass"]
    nearby = made(
        "record:landmark-weights",
        state["landmarks_"],
        state.pop("_width"),
        int(state["n_neighbors"]),
        int(state["block"]),
    )
    state["fitted_"] = made(
        "record:landmark-fitted",
        **rows_as("vectors", len(state["labels_"])),
        nearby=nearby,
        eigenvalues=state["eigenvalues_"],
        turn=state.pop("_map"),
        centres=state["cluster_centers_"],
        labels=state["labels_"],
    )
    return state


VALUES = {"epsilon": "radius", "unnormalised": "unnormalized"}


def _word(value: object) -> Any:
    return VALUES.get(value, value) if isinstance(value, str) else value


@step(0, "record:similarities")
def similarities(state: State) -> State:
    """The radius was called epsilon."""
    state["radius"] = state.pop("epsilon")
    return state | {"affinity": _word(state["affinity"])}


@step(0, "record:clustering")
def clustering(state: State) -> State:
    """The name of a Laplacian was spelled otherwise."""
    return state | {"laplacian": _word(state["laplacian"])}


@step(1, "learner:spectral-clustering")
def spectral_words(state: State) -> State:
    """Arguments, and the words that some of them may be."""
    state = called(state, epsilon="radius", assign="assign_labels")
    return state | {name: _word(state[name]) for name in ("affinity", "laplacian")}


@step(1, "learner:isomap")
def isomap_words(state: State) -> State:
    """Arguments, and a word that one of them may be."""
    state = called(state, epsilon="radius", landmarks="n_landmarks")
    return state | {"graph": _word(state["graph"])}


@step(1, "learner:diffusion-map", "learner:landmark-diffusion-map")
def length_scale(state: State) -> State:
    """The kernel's width was σ = 2ℓ²."""
    state = called(state, sigma="length_scale", alpha="density_exponent", sigma_="length_scale_")
    for name in ("length_scale", "length_scale_"):
        if not isinstance(state.get(name, "auto"), str):
            state[name] = float(np.sqrt(state[name] / 2.0))
    return state
