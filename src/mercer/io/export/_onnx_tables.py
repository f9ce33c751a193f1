"""Tables by name in ONNX: an input per column, text as text, gaps and unknown levels as at home."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.io.export._errors import NotExportable
from mercer.io.export._onnx_graph import Graph
from mercer.tables.dataset import TEXT
from mercer.tables.encoders import (
    GAP,
    CategoryEncoder,
    DateEncoder,
    Encoder,
    NumberEncoder,
    OrdinalEncoder,
)
from mercer.tables.encoders_trees import LevelCodes, PlainNumber, Ranks
from mercer.tables.preparation import TablePreparation
from mercer.tables.text_values import MISSING

ROOT2 = float(np.sqrt(2.0))


def named_table(graph: Graph, table: TablePreparation) -> str:
    """Declare an input for every column that is used, and encode them side by side."""
    blocks = []
    graph.schema = table.schema_
    for j, encoder in zip(table.used_, table.encoders_, strict=True):
        kind = table.stored_[j].partition(":")[0]
        name = table.names_[j]
        blocks.append(_encoded(graph, name, kind, encoder))
    return blocks[0] if len(blocks) == 1 else graph.add("Concat", *blocks, axis=1)


def _encoded(graph: Graph, name: str, kind: str, encoder: Encoder) -> str:
    text = kind == TEXT
    if isinstance(encoder, LevelCodes | Ranks):
        return _code(graph, graph.input(name, text), encoder.levels_, text)
    if type(encoder) is PlainNumber and not text:
        return as_number(graph, graph.input(name, text), encoder)
    if isinstance(encoder, CategoryEncoder | OrdinalEncoder):
        x = graph.input(name, text)
        write = _category if isinstance(encoder, CategoryEncoder) else _ordinal
        return write(graph, x, encoder, text)
    if text or not isinstance(encoder, NumberEncoder | DateEncoder):
        raise NotExportable(
            f"the column '{name}' is treated as {encoder.kind}: ONNX has no letters in a row.",
            f"Leave it out of the fit (--ignore '{name}'), or use skops.",
        )
    x = graph.input(name, text)
    return number(graph, x, encoder) if isinstance(encoder, NumberEncoder) else _date(
        graph, x, encoder, name
    )  # fmt: skip


def as_number(graph: Graph, x: str, encoder: Encoder) -> str:
    """A column of numbers, scaled for kernels or as it is for trees."""
    if isinstance(encoder, NumberEncoder):
        return number(graph, x, encoder)
    return graph.add("Where", graph.add("IsInf", x), np.nan, x)


def number(graph: Graph, x: str, encoder: NumberEncoder) -> str:
    """Centred, scaled, heavy tails drawn in, a gap as a level of its own."""
    missing = graph.add("Or", graph.add("IsNaN", x), graph.add("IsInf", x))
    z = graph.add("Where", missing, [[encoder.middle_]], x)
    z = graph.add("Div", graph.add("Sub", z, encoder.middle_), encoder.unit_)
    far = 1e150 if graph.dtype == np.float64 else 1e18  # its square is still a number
    z = graph.add("Min", graph.add("Max", z, -far), far)
    z = arcsinh(graph, z) if encoder.squash_ else z
    z = graph.add("Div", graph.add("Sub", z, encoder.mean_), encoder.spread_)
    z = graph.add("Where", missing, 0.0, z)
    if not encoder.gaps_:
        return z
    return graph.add("Concat", z, graph.add("Mul", graph.cast(missing), ROOT2), axis=1)


def arcsinh(graph: Graph, z: str) -> str:
    """sign(z)·ln(|z| + √(z² + 1)): the operator Asinh is not there for every number type."""
    size = graph.add("Abs", z)
    root = graph.add("Sqrt", graph.add("Add", graph.add("Mul", z, z), 1.0))
    return graph.add("Mul", graph.add("Sign", z), graph.add("Log", graph.add("Add", size, root)))


def _date(graph: Graph, x: str, encoder: DateEncoder, name: str) -> str:
    """Seconds since 1970; cosines are shifted sines, which runtimes have in double precision."""
    if graph.dtype != np.float64:
        raise NotExportable(
            f"the column '{name}' holds dates, which single precision cannot tell apart.",
            "Export in double precision.",
        )
    missing = graph.add("Or", graph.add("IsNaN", x), graph.add("IsInf", x))
    parts = [number(graph, x, encoder.number_)]
    moment = graph.add("Where", missing, 0.0, x)
    for period in encoder.periods_:
        turns = graph.add("Div", moment, period)
        angle = graph.add("Mul", graph.add("Sub", turns, graph.add("Floor", turns)), 2 * np.pi)
        for shift in (np.pi / 2, 0.0):
            circle = graph.add("Sin", graph.add("Add", angle, shift))
            parts.append(graph.add("Where", missing, 0.0, circle))
    return graph.add("Concat", *parts, axis=1)


def _places(graph: Graph, x: str, levels: list[str], text: bool) -> str:
    """The place of every value among the levels, -1 for others; shape (rows, 1), whole numbers."""
    if text:
        keys: list[str] = []
        places: list[int] = []
        for place, level in enumerate(levels):
            names = MISSING if level == GAP else (level,)
            keys += names
            places += [place] * len(names)
        return graph.label_places(x, keys, places)
    hits = graph.cast(graph.add("Equal", x, [_numbers(levels)]))
    if GAP in levels:
        at_gap = np.array([[level == GAP for level in levels]], dtype=float)
        hits = graph.add("Add", hits, graph.add("Mul", graph.cast(graph.add("IsNaN", x)), at_gap))
    best = graph.add("ArgMax", hits, axis=1, keepdims=1)
    found = graph.add("Greater", graph.reduce("ReduceMax", hits, 1, keep=True), 0.0)
    return graph.add("Where", found, best, graph.whole([[-1]]))


def _code(graph: Graph, x: str, levels: list[str], text: bool) -> str:
    """The place among the levels as a number, a gap for others: what trees are given."""
    place = graph.cast(_places(graph, x, levels, text))
    return graph.add("Where", graph.add("Less", place, 0.0), np.nan, place)


def _numbers(levels: list[str]) -> Any:
    """Levels of a column of numbers; a gap equals nothing."""
    return [np.nan if level == GAP else float(level) for level in levels]


def _category(graph: Graph, x: str, encoder: Any, text: bool) -> str:
    place = _places(graph, x, encoder.levels_, text)
    return graph.cast(graph.add("Equal", place, graph.whole([range(len(encoder.levels_))])))


def _ordinal(graph: Graph, x: str, encoder: Any, text: bool) -> str:
    steps = max(1, len(encoder.levels_) - 1)
    rank = graph.cast(_places(graph, x, encoder.levels_, text))
    climbed = graph.cast(graph.add("Greater", rank, [list(range(steps))]))
    climbed = graph.add("Mul", climbed, float(np.sqrt(4.0 / steps)))
    unknown = graph.add("Mul", graph.cast(graph.add("Less", rank, 0.0)), ROOT2)
    return graph.add("Concat", climbed, unknown, axis=1)
