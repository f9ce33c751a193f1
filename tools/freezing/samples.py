"""Small samples that every machine gives the same way: few digits, fixed seeds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

TRAIN, ASKED = 30, 8
_ALL = TRAIN + ASKED
_rng = np.random.default_rng(20261117)

_X = np.round(_rng.normal(size=(_ALL, 3)), 2)
_LABELS = (_X[:, 0] + 0.5 * _X[:, 1] + 0.4 * _rng.normal(size=_ALL) > 0).astype(int)
_TARGET = np.round(np.sin(2.0 * _X[:, 0]) + 0.5 * _X[:, 1] + 0.1 * _rng.normal(size=_ALL), 3)

X, Q = _X[:TRAIN], _X[TRAIN:]  # rows to learn from, rows to ask about
y, target = _LABELS[:TRAIN], _TARGET[:TRAIN]
names = np.array(["no", "yes"])[y]
three = np.digitize(_X[:TRAIN, 0], [-0.4, 0.5])
targets = np.column_stack([target, np.round(np.cos(X[:, 1]), 3)])
weight = np.round(1.0 + np.arange(TRAIN) % 3 / 2.0, 1)
weight[::10] = 0.0
near = np.vstack([Q, np.round(0.5 * _rng.normal(size=(24, 3)), 2)])  # where models may differ
separable = np.where(X[:, 0] > 0, 1, 0)
apart = np.column_stack([X[:, 0] + 2.0 * separable, X[:, 1:]])

_centres = np.array([[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]])
blobs = np.round(_centres[np.arange(TRAIN) % 3] + 0.3 * X, 2)


def linear_gram(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values of a kernel between ``rows`` and the training rows."""
    return np.round(np.exp(-0.5 * ((rows[:, None] - X[None]) ** 2).sum(2)), 6)


def distances(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Distances between ``rows`` and the training rows."""
    return np.round(np.sqrt(((rows[:, None] - X[None]) ** 2).sum(2)), 4)


def thinned(rows: NDArray[np.float64]) -> sparse.csr_array:
    """The rows as a sparse matrix, small entries left out."""
    return sparse.csr_array(np.where(np.abs(rows) > 0.5, rows, 0.0))


def strings(n: int, seed: int) -> tuple[NDArray[np.object_], NDArray[np.int_]]:
    """Short texts over four letters; the label says whether there is more of A than of T."""
    rng = np.random.default_rng(seed)
    label = np.arange(n) % 2
    share = {0: [0.4, 0.2, 0.2, 0.2], 1: [0.2, 0.2, 0.2, 0.4]}
    found = np.empty(n, dtype=object)
    found[:] = ["".join(rng.choice(list("ACGT"), 12, p=share[k])) for k in label]
    return found, label


def table(n: int, seed: int) -> NDArray[np.object_]:
    """A mixed table with gaps: a number, two names, a date in seconds, a text."""
    rng = np.random.default_rng(seed)
    found = np.empty((n, 5), dtype=object)
    found[:, 0] = np.round(rng.normal(size=n), 2).tolist()
    found[:, 1] = rng.choice(["red", "green", "blue"], n).tolist()
    found[:, 2] = rng.choice(["low", "medium", "high"], n).tolist()
    found[:, 3] = np.round(rng.uniform(0, 1e8, n)).tolist()
    found[:, 4] = [f"{word} of it" for word in strings(n, seed)[0]]
    for row in range(0, n, 7):
        found[row, row % 3] = None
    return found
