"""Trees in ONNX, walked by plain operations in the graph's own number type.

The operators for trees answer in single precision whatever they are given, so that labels close to
a tie would differ from those at home.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.io.export._errors import NotExportable
from mercer.io.export._onnx_graph import Graph
from mercer.tables.trees import BoostedTrees, Forest
from mercer.tables.trees.walk import BITS, LEAF, TreeArrays

TREES = (BoostedTrees, Forest)


def tree_values(graph: Graph, x: str, model: Any) -> str:
    """Sums of boosted trees or means of a forest, shape (rows, outputs)."""
    if graph.dtype != np.float64:
        raise NotExportable(
            "thresholds of trees need double precision.", "Export with dtype='float64'."
        )
    if isinstance(model, Forest):
        single = graph.cast(graph.cast(x, np.float32))  # as at home: thresholds meet such values
        return graph.reduce("ReduceMean", _leaves(graph, single, model.trees_), 1)
    found = _leaves(graph, _ordered(graph, x, model), model.trees_)
    outputs = len(model.start_)
    shape = graph.constant(np.array([0, model.trees_.n_trees // outputs, outputs]), raw=True)
    total = graph.reduce("ReduceSum", graph.add("Reshape", found, shape), 1)
    return graph.add("Add", total, model.start_[None, :])


def _ordered(graph: Graph, x: str, model: BoostedTrees) -> str:
    """Categories first, as places among the levels of the training rows."""
    named = [int(j) for j in model.categories]
    rest = [j for j in range(model.n_features_in_) if j not in set(named)]
    parts = []
    for j, levels in zip(named, model.levels_, strict=True):
        hits = graph.cast(graph.add("Equal", graph.columns(x, [j]), levels[None, :]))
        place = graph.cast(graph.add("ArgMax", hits, axis=1, keepdims=1))
        known = graph.add("Greater", graph.reduce("ReduceMax", hits, 1, keep=True), 0.0)
        parts.append(graph.add("Where", known, place, np.nan))
    if rest:
        parts.append(graph.columns(x, rest))
    return parts[0] if len(parts) == 1 else graph.add("Concat", *parts, axis=1)


def _leaves(graph: Graph, x: str, trees: TreeArrays) -> str:
    """Values of the leaves, shape (rows, trees, outputs): a step down for every level."""
    leaf = trees.feature == LEAF
    stay = np.arange(len(leaf))
    tables = {
        "feature": np.where(leaf, 0, trees.feature).astype(np.int64),
        "threshold": trees.threshold,
        "missing": trees.missing_left,
        "left": np.where(leaf, stay, trees.left).astype(np.int64),
        "right": np.where(leaf, stay, trees.right).astype(np.int64),
        "subset": np.maximum(trees.subset, 0).astype(np.int64),
        "asks": trees.subset >= 0,
    }
    if not len(trees.subsets):
        del tables["subset"], tables["asks"]
    names = {key: graph.constant(value, raw=True) for key, value in tables.items()}
    first = graph.cast(graph.add("IsNaN", graph.columns(x, [0])), np.int64)
    none = graph.add("Mul", first, graph.whole([[0]]))
    place = graph.add("Add", none, graph.whole([trees.roots.tolist()]))
    member = _members(trees)
    sets = graph.constant(member.ravel(), raw=True) if member.size else ""
    for _ in range(_depth(trees)):
        value = graph.add("GatherElements", x, graph.add("Gather", names["feature"], place), axis=1)
        goes = graph.add("LessOrEqual", value, graph.add("Gather", names["threshold"], place))
        lost = graph.add("IsNaN", value)
        if sets:
            inside = _inside(graph, value, lost, place, names["subset"], sets, member.shape[1])
            goes = _either(graph, graph.add("Gather", names["asks"], place), inside, goes)
        goes = _either(graph, lost, graph.add("Gather", names["missing"], place), goes)
        down = [graph.add("Gather", names[side], place) for side in ("left", "right")]
        place = graph.add("Where", goes, *down)
    return graph.add("Gather", trees.value, place)


def _either(graph: Graph, asked: str, yes: str, no: str) -> str:
    """``Where`` of truth values, which runtimes do not have."""
    left = graph.add("And", asked, yes)
    return graph.add("Or", left, graph.add("And", graph.add("Not", asked), no))


def _inside(
    graph: Graph, value: str, lost: str, place: str, subset: str, sets: str, width: int
) -> str:
    """Whether a category is in the set of its node; gaps are dealt with by the caller."""
    code = graph.cast(graph.add("Where", lost, 0.0, value), np.int64)
    code = graph.add("Min", graph.add("Max", code, graph.whole([[0]])), graph.whole([[width - 1]]))
    start = graph.add("Mul", graph.add("Gather", subset, place), graph.whole([[width]]))
    return graph.add("Gather", sets, graph.add("Add", start, code))


def _members(trees: TreeArrays) -> NDArray[np.bool_]:
    """Sets as truth values, one column per category."""
    bits = np.arange(BITS, dtype=np.uint32)
    found = (trees.subsets[:, :, None] >> bits) & np.uint32(1)
    return found.reshape(len(trees.subsets), trees.subsets.shape[1] * BITS).astype(bool)


def _depth(trees: TreeArrays) -> int:
    """Steps from a root to the deepest leaf."""
    steps, level = 0, trees.roots[trees.feature[trees.roots] != LEAF]
    while len(level):
        steps += 1
        below = np.concatenate([trees.left[level], trees.right[level]])
        level = below[trees.feature[below] != LEAF]
    return steps
