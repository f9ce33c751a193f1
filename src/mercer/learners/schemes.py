"""From two classes to many: which binary problems to solve, and how to read their answers.

Labels are codes 0..K-1 here. One-versus-one and DAG share their K(K-1)/2 machines, pair (i, j) with
i < j has class i as +1. One-versus-rest has K machines, class k as +1. Two classes need a single
machine, with class 1 as +1, under every scheme.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import _ovr_decision_function

from mercer.learners.margin.svm.machine import Machine

Codes = NDArray[np.intp]
Floats = NDArray[np.float64]
Task = tuple[NDArray[np.intp], Floats]  # rows of the training data, labels -1 and +1


def binary_tasks(codes: Codes, n_classes: int, scheme: str) -> list[Task]:
    """The binary problems of a scheme."""
    if n_classes == 2:
        return [(np.arange(len(codes)), np.where(codes == 1, 1.0, -1.0))]
    if scheme == "ovr":
        rows = np.arange(len(codes))
        return [(rows, np.where(codes == k, 1.0, -1.0)) for k in range(n_classes)]
    tasks = []
    for i, j in combinations(range(n_classes), 2):
        rows = np.flatnonzero((codes == i) | (codes == j))
        tasks.append((rows, np.where(codes[rows] == i, 1.0, -1.0)))
    return tasks


def task_names(classes: NDArray[Any], scheme: str) -> list[str]:
    """What each binary problem separates, in words."""
    if len(classes) == 2:
        return [f"{classes[1]} against {classes[0]}"]
    if scheme == "ovr":
        return [f"{label} against the rest" for label in classes]
    return [f"{a} against {b}" for a, b in combinations(classes, 2)]


def support_rows(machines: Sequence[Machine], codes: Codes) -> NDArray[np.intp]:
    """Rows that support any machine, grouped by class as in LIBSVM."""
    used = np.zeros(len(codes), dtype=bool)
    for machine in machines:
        used[machine.support] = True
    rows = np.flatnonzero(used)
    return rows[np.argsort(codes[rows], kind="stable")]


def pack(
    machines: Sequence[Machine], support: NDArray[np.intp], codes: Codes, pairwise: bool
) -> Floats:
    """Coefficients in scikit-learn's layout.

    Pairwise machines: shape (K-1, n_SV); a support vector of class c keeps its coefficient against
    class d in row d - 1 if d > c, else in row d. Otherwise one row per machine.
    """
    place = np.full(len(codes), -1)
    place[support] = np.arange(len(support))
    if not pairwise:
        packed = np.zeros((len(machines), len(support)))
        for row, machine in enumerate(machines):
            active = machine.coef != 0
            packed[row, place[machine.rows[active]]] = machine.coef[active]
        return packed
    n_classes = int(codes.max()) + 1
    packed = np.zeros((n_classes - 1, len(support)))
    for (i, j), machine in zip(combinations(range(n_classes), 2), machines, strict=True):
        active = machine.coef != 0
        rows = machine.rows[active]
        packed[np.where(codes[rows] == i, j - 1, i), place[rows]] = machine.coef[active]
    return packed


def unpack(packed: Floats, n_support: NDArray[np.integer], pairwise: bool) -> Floats:
    """One column of coefficients per machine, shape (n_SV, n_machines)."""
    if not pairwise:
        return np.ascontiguousarray(packed.T)
    ends = np.cumsum(n_support)
    of_class = [slice(end - count, end) for end, count in zip(ends, n_support, strict=True)]
    pairs = list(combinations(range(len(n_support)), 2))
    columns = np.zeros((packed.shape[1], len(pairs)))
    for column, (i, j) in enumerate(pairs):
        columns[of_class[i], column] = packed[j - 1, of_class[i]]
        columns[of_class[j], column] = packed[i, of_class[j]]
    return columns


def winners(values: Floats, n_classes: int, scheme: str) -> Codes:
    """Predicted codes from the outputs of all machines, shape (n, n_machines)."""
    if n_classes == 2:
        return (values[:, 0] >= 0).astype(np.intp)
    if scheme == "ovr":
        return values.argmax(axis=1)
    if scheme == "dag":
        return _walk(values, n_classes)
    votes = np.zeros((len(values), n_classes), dtype=np.intp)
    for column, (i, j) in enumerate(combinations(range(n_classes), 2)):
        first = values[:, column] > 0
        votes[:, i] += first
        votes[:, j] += ~first
    return votes.argmax(axis=1)


def doubtful(values: Floats, n_classes: int, scheme: str, error: float) -> NDArray[np.bool_]:
    """Rows that `winners` might answer differently if every value were off by up to ``error``."""
    if n_classes > 2 and scheme == "ovr":
        best = np.partition(values, -2, axis=1)[:, -2:]
        return np.asarray(best[:, 1] - best[:, 0] <= 2 * error)
    return np.asarray((np.abs(values) <= error).any(axis=1))


def _walk(values: Floats, n_classes: int) -> Codes:
    """Platt's decision graph: the first remaining class against the last, the loser goes."""
    number = np.zeros((n_classes, n_classes), dtype=np.intp)
    for column, (i, j) in enumerate(combinations(range(n_classes), 2)):
        number[i, j] = column
    first = np.zeros(len(values), dtype=np.intp)
    last = np.full(len(values), n_classes - 1)
    everyone = np.arange(len(values))
    for _ in range(n_classes - 1):
        first_wins = values[everyone, number[first, last]] > 0
        last = np.where(first_wins, last - 1, last)
        first = np.where(first_wins, first, first + 1)
    return first


def one_column_per_class(values: Floats, n_classes: int) -> Floats:
    """Votes of the pairwise machines, with their confidences as tie-breakers."""
    return _ovr_decision_function(values < 0, -values, n_classes)
