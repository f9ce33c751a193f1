"""Trees keep no rows, but they keep how many fell into every leaf."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.certification.checks.leaves import trees_of

Counts = NDArray[np.intp]
_DRAWS = 999
_SMALL = 5  # rows of a leaf in which crowding shows
_ALONE = 5.0  # no other tree agrees with a single one: its p-value is taken less seriously
_LEAVES = 10  # so many agree with the training rows by no chance
_MEMBERS = 5  # trees of a forest that are asked about crowds
_STAGES = 20  # trees whose leaves all have to be as full as they were
_MORE = 1.2  # rows beyond the training rows among which those would still be recognised


def grown_on(learner: object, rows: Any) -> bool:
    """Whether every leaf of a tree or forest holds at least as many rows as it was grown with.

    Rows that contain the training rows do; others of about the same number would have to fall
    into all leaves as the training rows did. Trees of a boosting are small, but each is grown on
    all rows: they count together, equal ones once.
    """
    asked = [(tree.found, tree.grown) for tree in trees_of(learner, rows, _STAGES)]
    sizes = {tuple(grown.tolist()): len(grown) for _, grown in asked}
    largest = max((int(grown.sum()) for _, grown in asked), default=0)
    trained = int(getattr(learner, "_n_samples", largest))
    on_all = all(grown.sum() == trained for _, grown in asked)
    enough = sum(sizes.values()) if on_all else min(sizes.values(), default=0)
    if enough < _LEAVES or len(rows) > _MORE * trained:
        return False
    return all(bool(np.all(found >= grown)) for found, grown in asked)


def falls_like_training_rows(learner: object, rows: Any) -> float | None:
    """P(so few rows fall into leaves that are full already) for fresh rows.

    Training rows share a leaf only with those it was grown with. Fresh rows are as the training
    rows were: shares of leaves have the Dirichlet law of their counts. Trees of one ensemble
    depend on each other, so twice the mean of their p-values is taken. Large leaves are left out:
    a split by class fills them evenly. None if the learner is no tree and has none.
    """
    rng = np.random.default_rng(0)
    trees = trees_of(learner, rows, _MEMBERS)
    p = [_crowding_p(tree.found, tree.grown, rng) for tree in trees]
    if not p:
        return None
    if len(p) == 1:
        return min(1.0, _ALONE * p[0])
    return min(1.0, 2.0 * float(np.mean(p)))


def _crowding_p(found: Counts, grown: Counts, rng: np.random.Generator) -> float:
    small = grown <= _SMALL
    found, grown, rows = found[small], grown[small], int(found[small].sum())
    if len(grown) < _LEAVES:
        return 1.0
    drawn = np.array([rng.multinomial(rows, rng.dirichlet(grown)) for _ in range(_DRAWS)])
    excess = np.maximum(drawn - grown, 0).sum(axis=1)
    fewer = int(np.count_nonzero(excess <= np.maximum(found - grown, 0).sum()))
    return (1 + fewer) / (1 + _DRAWS)
