"""Which class wins: votes of pairwise machines, one against the rest, and the decision graph."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from mercer.io.export._onnx_graph import Graph


def winners(graph: Graph, values: str, model: Any) -> str:
    """Number of the predicted class, a vector of int64."""
    count = len(model.classes_)
    if count == 2:
        return graph.flat(graph.cast(graph.add("GreaterOrEqual", values, 0.0), np.int64))
    if model.multi_class == "ovr":
        return graph.add("ArgMax", values, axis=1, keepdims=0)
    if model.multi_class == "dag":
        return _walk(graph, values, count)
    if model.break_ties:
        return graph.add("ArgMax", per_class(graph, values, count), axis=1, keepdims=0)
    first = graph.cast(graph.add("Greater", values, 0.0))
    return graph.add("ArgMax", _votes(graph, first, count), axis=1, keepdims=0)


def per_class(graph: Graph, values: str, count: int) -> str:
    """Votes plus confidences squeezed into (-1/3, 1/3), as ``decision_function`` gives them."""
    lead, trail = _sides(count)
    votes = _votes(graph, graph.cast(graph.add("GreaterOrEqual", values, 0.0)), count)
    total = graph.product(values, lead - trail)
    size = graph.add("Mul", graph.add("Add", graph.add("Abs", total), 1.0), 3.0)
    return graph.add("Add", votes, graph.add("Div", total, size))


def _sides(count: int) -> tuple[Any, Any]:
    """Which class each pairwise machine is for, and which against."""
    pairs = list(combinations(range(count), 2))
    lead, trail = np.zeros((len(pairs), count)), np.zeros((len(pairs), count))
    for k, (i, j) in enumerate(pairs):
        lead[k, i] = trail[k, j] = 1.0
    return lead, trail


def _votes(graph: Graph, first: str, count: int) -> str:
    """Votes of each class; ``first`` is 1 where the first class of the pair wins."""
    lead, trail = _sides(count)
    return graph.product(first, lead - trail, trail.sum(axis=0))


def _walk(graph: Graph, values: str, count: int) -> str:
    """The first remaining class against the last; the loser goes, until one is left."""
    number = np.zeros((count, count), dtype=np.int64)
    for column, (i, j) in enumerate(combinations(range(count), 2)):
        number[i, j] = column
    table = graph.constant(number.ravel(), raw=True)
    one = graph.constant(np.array([[1]], dtype=np.int64), raw=True)
    size = graph.constant(np.array([[count]], dtype=np.int64), raw=True)
    zero = graph.product(values, np.zeros((count * (count - 1) // 2, 1)))
    first = graph.cast(zero, np.int64)
    end = graph.constant(np.array([[count - 1]], dtype=np.int64), raw=True)
    last = graph.add("Add", first, end)
    for _ in range(count - 1):
        place = graph.add("Add", graph.add("Mul", first, size), last)
        asked = graph.add("GatherElements", values, graph.add("Gather", table, place), axis=1)
        wins = graph.add("Greater", asked, 0.0)
        last = graph.add("Where", wins, graph.add("Sub", last, one), last)
        first = graph.add("Where", wins, first, graph.add("Add", first, one))
    return graph.flat(first)
