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
from mercer.io.export._onnx_tables import as_number, named_table
from mercer.kernels.features import NystroemFeatures
from mercer.tables.encoders import NumberEncoder
from mercer.tables.encoders_trees import PlainNumber
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
    """Columns by name; those of a bare array of numbers by their place in it."""
    plain = all(isinstance(e, NumberEncoder) or type(e) is PlainNumber for e in table.encoders_)
    if table.named_ or not plain:
        return named_table(graph, table)
    parts = [
        as_number(graph, graph.columns(x, [j]), encoder)
        for j, encoder in zip(table.used_, table.encoders_, strict=True)
    ]
    return parts[0] if len(parts) == 1 else graph.add("Concat", *parts, axis=1)


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
