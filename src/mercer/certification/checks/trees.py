"""Trees keep no rows, but they keep how many fell into every leaf."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_LEAVES = 10  # so many agree with the training rows by no chance
_MEMBERS = 5  # trees of a forest that are asked
_MORE = 1.2  # rows beyond the training rows among which those would still be recognised


def grown_on(learner: Any, rows: Any) -> bool:
    """Whether every leaf of a tree or forest holds at least as many rows as it was grown with.

    Rows that contain the training rows do; others of about the same number would have to fall
    into all leaves as the training rows did.
    """
    members = [learner] if hasattr(learner, "tree_") else getattr(learner, "estimators_", None)
    if members is None or len(members) == 0:
        return False
    trees = [tree for tree in np.ravel(np.array(members, dtype=object)) if hasattr(tree, "tree_")]
    try:
        table = np.asarray(rows, dtype=np.float32)
        return bool(trees) and all(_holds(tree.tree_, table, learner) for tree in trees[:_MEMBERS])
    except (TypeError, ValueError):  # objects, gaps, other columns: nobody can tell
        return False


def _holds(tree: Any, rows: NDArray[np.float32], learner: Any) -> bool:
    leaves = tree.children_left < 0
    trained = int(getattr(learner, "_n_samples", tree.n_node_samples[0]))
    if leaves.sum() < _LEAVES or len(rows) > _MORE * trained:
        return False
    found = np.bincount(tree.apply(rows), minlength=len(leaves))
    return bool(np.all(found[leaves] >= tree.n_node_samples[leaves]))
