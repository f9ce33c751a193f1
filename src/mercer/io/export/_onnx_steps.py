"""What stands before the machine: scaling of columns and tables of numbers, as ONNX operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.decomposition import PCA
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    RobustScaler,
    StandardScaler,
)

from mercer.io.export._errors import NotExportable
from mercer.io.export._onnx_graph import Graph
from mercer.io.export._onnx_kernels import expansion
from mercer.kernels.features import NystroemFeatures
from mercer.tables.encoders import NumberEncoder
from mercer.tables.preparation import TablePreparation


def step(graph: Graph, x: str, transformer: Any) -> str:
    """The transformed columns."""
    if transformer is None or transformer == "passthrough":
        return x
    if type(transformer) not in STEPS:
        raise NotExportable(
            f"the step {type(transformer).__name__} has no counterpart in ONNX here.",
            f"Steps that can be exported: {', '.join(sorted(t.__name__ for t in STEPS))}.",
        )
    return STEPS[type(transformer)](graph, x, transformer)


def _standard(graph: Graph, x: str, scaler: StandardScaler) -> str:
    return _centred_and_scaled(graph, x, scaler.mean_ if scaler.with_mean else None, scaler.scale_)


def _robust(graph: Graph, x: str, scaler: RobustScaler) -> str:
    return _centred_and_scaled(graph, x, scaler.center_, scaler.scale_)


def _max_abs(graph: Graph, x: str, scaler: MaxAbsScaler) -> str:
    return _centred_and_scaled(graph, x, None, scaler.scale_)


def _centred_and_scaled(graph: Graph, x: str, centre: Any, scale: Any) -> str:
    if centre is not None:
        x = graph.add("Sub", x, centre)
    return x if scale is None else graph.add("Div", x, scale)


def _min_max(graph: Graph, x: str, scaler: MinMaxScaler) -> str:
    x = graph.add("Add", graph.add("Mul", x, scaler.scale_), scaler.min_)
    if not scaler.clip:
        return x
    low, high = scaler.feature_range
    return graph.add("Min", graph.add("Max", x, low), high)


def _landmarks(graph: Graph, x: str, features: NystroemFeatures) -> str:
    projection = features.projection_
    nothing = np.zeros(projection.shape[1])
    return expansion(graph, x, features.kernel_, features.landmarks_, projection, nothing)


def _pca(graph: Graph, x: str, pca: PCA) -> str:
    components = pca.components_
    if pca.whiten:
        components = components / np.sqrt(pca.explained_variance_)[:, None]
    return graph.product(graph.add("Sub", x, pca.mean_), components.T)


def _identity(graph: Graph, x: str, transformer: FunctionTransformer) -> str:
    if transformer.func is not None:
        raise NotExportable(
            "a FunctionTransformer runs Python code, which ONNX cannot hold.",
            "Do this step before the model, or use one of scikit-learn's scalers.",
        )
    return x


def _table(graph: Graph, x: str, table: TablePreparation) -> str:
    """Columns of numbers: centred, scaled, heavy tails drawn in, gaps as a level of their own."""
    for j, encoder in zip(table.used_, table.encoders_, strict=True):
        if not isinstance(encoder, NumberEncoder):
            raise NotExportable(
                f"the column '{table.names_[j]}' is treated as {encoder.kind}: an ONNX file takes "
                "columns of numbers only.",
                "Leave the column out of the fit, or write numbers into it.",
            )
    encoders: list[Any] = list(table.encoders_)
    x = graph.columns(x, table.used_)
    missing = graph.add("Or", graph.add("IsNaN", x), graph.add("IsInf", x))
    middle = [e.middle_ for e in encoders]
    z = graph.add("Where", missing, [middle], x)
    z = graph.add("Div", graph.add("Sub", z, middle), [e.unit_ for e in encoders])
    far = 1e150 if graph.dtype == np.float64 else 1e18  # its square is still a number
    z = graph.add("Min", graph.add("Max", z, -far), far)
    squashed = np.array([e.squash_ for e in encoders])
    if squashed.any():
        inside = graph.constant(squashed[None, :], raw=True)
        z = graph.add("Where", inside, _arcsinh(graph, z), z)
    z = graph.add("Sub", z, [e.mean_ for e in encoders])
    z = graph.add("Div", z, [e.spread_ for e in encoders])
    z = graph.add("Where", missing, 0.0, z)
    if not any(e.gaps_ for e in encoders):
        return z
    marks = graph.add("Mul", graph.cast(missing), np.sqrt(2.0))
    order = []
    for k, encoder in enumerate(encoders):
        order += [k, len(encoders) + k] if encoder.gaps_ else [k]
    return graph.columns(graph.add("Concat", z, marks, axis=1), order)


def _arcsinh(graph: Graph, z: str) -> str:
    """sign(z)·ln(|z| + √(z² + 1)): the operator Asinh is not there for every number type."""
    size = graph.add("Abs", z)
    root = graph.add("Sqrt", graph.add("Add", graph.add("Mul", z, z), 1.0))
    return graph.add("Mul", graph.add("Sign", z), graph.add("Log", graph.add("Add", size, root)))


STEPS: dict[type, Callable[[Graph, str, Any], str]] = {
    StandardScaler: _standard,
    RobustScaler: _robust,
    MaxAbsScaler: _max_abs,
    MinMaxScaler: _min_max,
    PCA: _pca,
    NystroemFeatures: _landmarks,
    FunctionTransformer: _identity,
    TablePreparation: _table,
}
