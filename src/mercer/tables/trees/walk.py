"""Many decision trees in a few arrays, and the way of rows through them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.errors import DataError

CELLS = 2_000_000  # rows times trees that are walked together
LEAF = -1
BITS = 32


@dataclass(frozen=True)
class TreeArrays:
    """Nodes of all trees one after another; children are places in these arrays.

    A row goes left where ``x <= threshold``, where its category is in the node's set, or, if the
    value is missing, where ``missing_left`` says so. ``feature`` is -1 in leaves.
    """

    roots: NDArray[np.int32]
    feature: NDArray[np.int32]
    threshold: NDArray[np.float64]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    missing_left: NDArray[np.bool_]
    value: NDArray[np.float64]  # nodes x outputs
    subset: NDArray[np.int32]  # row of ``subsets`` at nodes that ask for a category, else -1
    subsets: NDArray[np.uint32]  # sets of whole numbers, one bit each

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return len(self.roots)

    def check(self, width: int) -> None:
        """Refuse arrays that are no trees: every walk must end, and inside the arrays."""
        n = len(self.feature)
        columns = (self.threshold, self.left, self.right, self.missing_left, self.value,
                   self.subset)  # fmt: skip
        inner = np.flatnonzero(self.feature != LEAF)
        ok = all(len(column) == n for column in columns) and self.value.ndim == 2
        ok = ok and _within(self.roots, 0, n) and _within(self.feature, LEAF, width)
        ok = ok and self.subsets.ndim == 2 and _within(self.subset, -1, len(self.subsets))
        if ok:
            first = np.minimum(self.left[inner], self.right[inner])
            ok = bool(np.all(first > inner)) and _within(self.left[inner], 0, n)
            ok = ok and _within(self.right[inner], 0, n)  # children come later: no circles
        if not ok:
            raise DataError("the trees in this model are damaged: their arrays do not fit.")

    def leaves(self, X: NDArray[np.floating[Any]]) -> NDArray[np.int32]:
        """The leaf of every row in every tree, shape (rows, trees)."""
        self.check(X.shape[1])
        step = max(1, CELLS // max(1, self.n_trees))
        parts = [self._walk(X[i : i + step]) for i in range(0, len(X), step)]
        return np.concatenate(parts) if parts else np.empty((0, self.n_trees), dtype=np.int32)

    def _walk(self, X: NDArray[np.floating[Any]]) -> NDArray[np.int32]:
        place = np.tile(self.roots, len(X))
        row = np.repeat(np.arange(len(X)), self.n_trees)
        going = np.flatnonzero(self.feature[place] != LEAF)
        while len(going):
            at = place[going]
            x = X[row[going], self.feature[at]]
            with np.errstate(invalid="ignore"):
                left = x <= self.threshold[at]
            asked = np.flatnonzero(self.subset[at] >= 0)
            if len(asked):
                left[asked] = self._in_subset(x[asked], self.subset[at[asked]])
            lost = np.isnan(x)
            left[lost] = self.missing_left[at[lost]]
            place[going] = np.where(left, self.left[at], self.right[at])
            going = going[self.feature[place[going]] != LEAF]
        return place.reshape(len(X), self.n_trees)

    def _in_subset(
        self, x: NDArray[np.floating[Any]], subset: NDArray[np.int32]
    ) -> NDArray[np.bool_]:
        code = np.where(np.isnan(x), 0, x).astype(np.int64)
        inside = (code >= 0) & (code < BITS * self.subsets.shape[1])
        code = np.where(inside, code, 0)
        word = self.subsets[subset, code // BITS].astype(np.int64)
        return inside & ((word >> (code % BITS)) & 1).astype(bool)


def _within(values: NDArray[Any], low: int, high: int) -> bool:
    whole = values.dtype.kind in "iu"
    return whole and (not values.size or bool(values.min() >= low and values.max() < high))


def joined(trees: list[TreeArrays]) -> TreeArrays:
    """Several trees, each with places of its own, as one."""
    size = np.cumsum([0, *(len(tree.feature) for tree in trees)])
    sets = np.cumsum([0, *(len(tree.subsets) for tree in trees)])
    pairs = list(zip(trees, size, sets, strict=False))
    return TreeArrays(
        roots=np.concatenate([t.roots + s for t, s, _ in pairs]).astype(np.int32),
        feature=np.concatenate([t.feature for t in trees]),
        threshold=np.concatenate([t.threshold for t in trees]),
        left=np.concatenate([np.where(t.feature == LEAF, 0, t.left + s) for t, s, _ in pairs])
        .astype(np.int32),
        right=np.concatenate([np.where(t.feature == LEAF, 0, t.right + s) for t, s, _ in pairs])
        .astype(np.int32),
        missing_left=np.concatenate([t.missing_left for t in trees]),
        value=np.concatenate([t.value for t in trees]),
        subset=np.concatenate([np.where(t.subset < 0, -1, t.subset + k) for t, _, k in pairs])
        .astype(np.int32),
        subsets=np.concatenate([t.subsets for t in trees]),
    )  # fmt: skip
