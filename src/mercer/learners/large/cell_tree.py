"""Cells of rows that are near each other, cut until each is small: a tree of nearest centres."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mercer._types import Samples

BRANCHES = 64  # centres below one another: fewer are quicker to find, more cut better
ROWS_PER_CENTRE = 100  # rows that a centre is found from
STEPS = 8  # of k-means
BLOCK = 20_000

Floats = NDArray[Any]
Places = NDArray[np.intp]


@dataclass(frozen=True)
class CellTree:
    """Node 0 is the root; node i has the children ``first[i] … first[i] + count[i] - 1``.

    A row belongs to the child whose centre is nearest, and so on down to a node without children,
    which is its cell. Finding it costs `BRANCHES` distances for each level. With several ``roots``
    (nodes 0, 1, …) the rows were cut as often, and each row is in one cell of every cut.
    """

    centers: Floats
    first: Places
    count: Places
    roots: int = 1

    @property
    def leaves(self) -> Places:
        """The nodes that are cells, in the order of their numbers."""
        return np.flatnonzero(self.count == 0)

    @property
    def n_cells(self) -> int:
        """How many cells there are."""
        return int(np.sum(self.count == 0))

    def assign(self, X: Any, root: int = 0) -> Places:
        """The number of the cell of each row, in one of the cuts."""
        found = np.zeros(X.shape[0], dtype=np.intp)
        for start in range(0, X.shape[0], BLOCK):
            found[start : start + BLOCK] = self._descend(X[start : start + BLOCK], root)
        number = np.cumsum(self.count == 0) - 1
        return number[found]

    def _descend(self, X: Any, root: int) -> Places:
        node = np.full(X.shape[0], root, dtype=np.intp)
        level = [root]
        while level:
            below: list[int] = []
            for parent in level:
                if not self.count[parent]:
                    continue
                rows = np.flatnonzero(node == parent)
                children = slice(self.first[parent], self.first[parent] + self.count[parent])
                if len(rows):
                    part = X if len(rows) == X.shape[0] else X[rows]
                    node[rows] = self.first[parent] + nearest(part, self.centers[children])
                below += range(children.start, children.stop)
            level = below
        return node

    def members(self, X: Any) -> Iterator[Places]:
        """The rows of each cell, in order."""
        cells = np.concatenate([self.assign(X, root) for root in range(self.roots)])
        order = np.argsort(cells, kind="stable")
        ends = np.searchsorted(cells[order], np.arange(1, self.n_cells))
        yield from np.split(order % max(1, X.shape[0]), ends)


def grow_cells(X: Any, size: float, seed: int, cuts: int = 1) -> CellTree:
    """Cut until no cell has more than ``size`` rows, unless its rows are all alike."""
    rng = np.random.default_rng(seed)
    centers: list[Floats] = [np.zeros((cuts, X.shape[1]), dtype=X.dtype)]
    first, count = [0] * cuts, [0] * cuts
    waiting = [(root, np.arange(X.shape[0])) for root in range(cuts)]
    while waiting:
        node, rows = waiting.pop(0)
        if len(rows) <= size:
            continue
        many = int(min(BRANCHES, max(2, np.ceil(len(rows) / size))))
        found = _centres(X, rows, many, rng)
        if found is None:
            continue
        cells = np.concatenate(
            [nearest(X[rows[i : i + BLOCK]], found) for i in range(0, len(rows), BLOCK)]
        )
        first[node], count[node] = len(first), len(found)
        for place in range(len(found)):
            waiting.append((len(first), rows[cells == place]))
            first.append(0)
            count.append(0)
        centers.append(found)
    return CellTree(np.vstack(centers), np.array(first, np.intp), np.array(count, np.intp), cuts)


def nearest(X: Samples, centers: Floats) -> Places:
    """The place of the nearest centre of each row."""
    lengths = np.einsum("ij,ij->i", centers, centers)
    return np.asarray((lengths - 2.0 * np.asarray(X @ centers.T)).argmin(axis=1), dtype=np.intp)


def _centres(X: Any, rows: Places, many: int, rng: np.random.Generator) -> Floats | None:
    """A few steps of k-means on a sample of the rows; None if all of its rows are alike."""
    sample = X[np.sort(rng.choice(rows, min(len(rows), ROWS_PER_CENTRE * many), replace=False))]
    if sparse.issparse(sample):
        sample = sample.toarray()
    centers = np.unique(sample[rng.choice(len(sample), many, replace=False)], axis=0)
    if len(centers) < 2:
        centers = np.unique(sample, axis=0)[:many]
        if len(centers) < 2:
            return None
    for _ in range(STEPS):
        cells = nearest(sample, centers)
        sums = np.zeros_like(centers)
        np.add.at(sums, cells, sample)
        sizes = np.bincount(cells, minlength=len(centers))
        full = sizes > 0
        centers = centers.copy()
        centers[full] = sums[full] / sizes[full, None]
    occupied = np.bincount(nearest(sample, centers), minlength=len(centers)) > 0
    return centers[occupied] if occupied.sum() > 1 else None
