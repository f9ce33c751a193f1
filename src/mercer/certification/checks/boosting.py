"""Boosted trees keep how many training rows fell into every leaf; parts of those rows show.

Shares of the leaves among fresh rows differ from those among n training rows by chance, with
variance 1/m + 1/n times that of one row. Of m rows that were trained on they differ by 1/m − 1/n
times it only. All trees are grown on the same rows, so their leaves are looked at together, with
the covariance that the fresh rows have. A split by class is even by design: differences along the
classes are left out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.certification.checks.leaves import Tree, trees_of

Floats = NDArray[np.float64]
_TREES = 20
_FEWEST = 5  # training rows of a leaf whose count is about normal
_DRAWS = 9999
_BINS = 5  # of a target, in place of classes
_ROWS = 40  # below, the covariance is no guide
_LESS = 2.0  # counts are only about normal: the p-value is taken less seriously


def evenly_like_training_rows(learner: Any, rows: Any, y: Any) -> float | None:
    """P(fresh rows are spread over the leaves so evenly); None if the trees are no boosting.

    Large forests of bootstrap samples are another check's.
    """
    trees = trees_of(learner, rows)
    sizes = {int(tree.grown.sum()) for tree in trees}
    if len(trees) < 2 or len(sizes) != 1 or hasattr(learner, "bootstrap"):
        return None
    some = np.unique(np.linspace(0, len(trees) - 1, _TREES).astype(int))
    inside, shares = _indicators([trees[i] for i in some], n := sizes.pop())
    m = len(inside)
    if m < _ROWS or m > n or inside.shape[1] < 2:
        return 1.0
    weight = 1.0 / np.sqrt(shares)
    classes = _classes(y, m)
    centres = np.array([inside[classes == c].mean(axis=0) for c in range(classes.max() + 1)])
    within = (inside - centres[classes]) * weight
    along = (centres - inside.mean(axis=0)) * weight
    basis = _row_space(along)
    difference = (shares - inside.mean(axis=0)) * weight
    difference = difference - basis.T @ (basis @ difference)
    within = within - (within @ basis.T) @ basis
    spread = np.linalg.eigvalsh(within.T @ within / (m - len(centres)))
    spread = np.maximum(spread, 0.0) * (1.0 / m + 1.0 / n)
    draws = np.random.default_rng(0).chisquare(1.0, (_DRAWS, len(spread))) @ spread
    p = (1 + np.count_nonzero(draws <= difference @ difference)) / (1 + _DRAWS)
    return min(1.0, _LESS * float(p))


def _indicators(trees: list[Tree], n: int) -> tuple[Floats, Floats]:
    """Which rows fall into which leaf, one column each, and the shares of the training rows."""
    columns, shares = [], []
    for tree in trees:
        known = np.flatnonzero((tree.grown >= _FEWEST) & (tree.grown <= n - _FEWEST))
        columns.append(tree.leaf[:, None] == known)
        shares.append(tree.grown[known] / n)
    return np.hstack(columns).astype(np.float64), np.concatenate(shares)


def _classes(y: Any, m: int) -> NDArray[np.intp]:
    """Numbers of the classes, or of equal parts of a target."""
    if y is None:
        return np.zeros(m, dtype=np.intp)
    values, codes = np.unique(y, return_inverse=True)
    if len(values) > _BINS and values.dtype.kind == "f":
        ends = np.quantile(y, np.linspace(0, 1, _BINS + 1)[1:-1])
        codes = np.unique(np.searchsorted(ends, y), return_inverse=True)[1]
    return codes.ravel().astype(np.intp)


def _row_space(table: Floats) -> Floats:
    """An orthonormal basis of the rows, one in each row."""
    _, sizes, basis = np.linalg.svd(table, full_matrices=False)
    return basis[sizes > 1e-10 * max(float(sizes.max(initial=0.0)), 1e-300)]
