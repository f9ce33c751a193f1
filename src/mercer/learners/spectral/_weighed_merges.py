"""Agglomerative trees of rows that weigh, by chains of nearest neighbours (Benzécri, Murtagh).

A row of weight w is a cluster of w rows in one place that have merged already. Of single and
complete linkage weights change nothing; of the others the update of Lance and Williams takes masses
where it takes numbers of rows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def merge_weighed(D: Floats, weight: Floats, linkage: str) -> Floats:
    """The tree in SciPy's form: both parts, how far apart, and how many rows are below."""
    n, ward = len(D), linkage == "ward"
    far = D.copy()
    if ward:  # the growth of the sum of squares, in the units of distances between single rows
        far *= np.sqrt(2.0 * np.outer(weight, weight) / np.add.outer(weight, weight))
    np.fill_diagonal(far, np.inf)
    mass, chain = weight.astype(np.float64).copy(), [0]
    merges: list[tuple[int, int, float]] = []
    there = np.ones(n, dtype=bool)
    while len(merges) < n - 1:
        if not chain:
            chain = [int(np.flatnonzero(there)[0])]
        a = chain[-1]
        row = far[a]
        b = int(row.argmin())
        if len(chain) > 1 and row[chain[-2]] <= row[b]:
            b = chain[-2]
        if len(chain) < 2 or b != chain[-2]:
            chain.append(b)
            continue
        del chain[-2:]
        merges.append((min(a, b), max(a, b), float(row[b])))
        joint = _joined(far, mass, a, b, ward)
        mass[b] += mass[a]
        far[b], far[:, b] = joint, joint
        far[a], far[:, a] = np.inf, np.inf
        far[b, b] = np.inf
        there[a] = False
    return _in_order(merges, n)


def _joined(far: Floats, mass: Floats, a: int, b: int, ward: bool) -> Floats:
    """Distances of the union of two clusters to all others."""
    one, other = far[a], far[b]
    if not ward:
        return (mass[a] * one + mass[b] * other) / (mass[a] + mass[b])
    with np.errstate(invalid="ignore"):
        squares = (
            (mass[a] + mass) * one**2 + (mass[b] + mass) * other**2 - mass * far[a, b] ** 2
        ) / (mass[a] + mass[b] + mass)
    return np.where(np.isfinite(squares), np.sqrt(np.maximum(squares, 0.0)), np.inf)


def _in_order(merges: list[tuple[int, int, float]], n: int) -> Floats:
    """Merges by rising distance, clusters numbered as SciPy numbers them."""
    order = np.argsort([height for _, _, height in merges], kind="stable")
    above, count = np.arange(n), np.ones(2 * n - 1)
    tree = np.empty((n - 1, 4))

    def top(place: int) -> int:
        while above[place] != place:
            place = int(above[place])
        return place

    names = np.arange(n)
    for new, which in enumerate(order):
        a, b, height = merges[which]
        a, b = top(a), top(b)
        one, other = sorted((int(names[a]), int(names[b])))
        count[n + new] = count[one] + count[other]
        tree[new] = one, other, height, count[n + new]
        above[a], names[b] = b, n + new
    return tree
