"""Leaves of trees: which one each row falls into, and with how many rows it was grown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._storable import record

Index = NDArray[np.intp]


@record("tree-leaves")
@dataclass(frozen=True)
class Tree:
    """The leaf of every row, and the number of training rows in every leaf."""

    leaf: Index
    grown: Index

    @property
    def found(self) -> Index:
        """How many of the rows are in every leaf."""
        return np.bincount(self.leaf, minlength=len(self.grown))


def trees_of(learner: object, rows: Any, most: int | None = None) -> list[Tree]:
    """Some trees of a learner; none if it has none, or the rows are not for them."""
    try:
        return list(_trees(learner, rows, most))
    except (TypeError, ValueError):  # objects, gaps, other columns: nobody can tell
        return []


def _trees(learner: object, rows: Any, most: int | None) -> Iterator[Tree]:
    predictors = getattr(learner, "_predictors", None)
    if predictors is not None:  # boosting over histograms
        table = np.asarray(rows, dtype=np.float64)
        for part in [tree for stage in predictors for tree in stage][:most]:
            yield _of_histogram(part.nodes, table)
        return
    members = [learner] if hasattr(learner, "tree_") else getattr(learner, "estimators_", None)
    if members is None or len(members) == 0:
        return
    held = [tree for tree in np.ravel(np.array(members, dtype=object)) if hasattr(tree, "tree_")]
    single = np.asarray(rows, dtype=np.float32)
    for member in held[:most]:
        tree = member.tree_
        is_leaf = tree.children_left < 0
        yield Tree((np.cumsum(is_leaf) - 1)[tree.apply(single)], tree.n_node_samples[is_leaf])


def _of_histogram(nodes: Any, table: NDArray[np.float64]) -> Tree:
    """Walk down; thresholds on categories are kept elsewhere, and not read."""
    if np.any(nodes["is_categorical"]):
        raise ValueError("categories")
    at, is_leaf = np.zeros(len(table), dtype=np.intp), nodes["is_leaf"].astype(bool)
    while not is_leaf[at].all():
        moving = np.flatnonzero(~is_leaf[at])
        node = nodes[at[moving]]
        value = table[moving, node["feature_idx"]]
        gap = np.isnan(value)
        left = np.where(gap, node["missing_go_to_left"] != 0, value <= node["num_threshold"])
        at[moving] = np.where(left, node["left"], node["right"])
    return Tree((np.cumsum(is_leaf) - 1)[at], nodes["count"][is_leaf].astype(np.intp))
