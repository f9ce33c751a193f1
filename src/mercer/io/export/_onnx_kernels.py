"""Kernel values against fixed rows, as ONNX operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mercer.io.export._errors import NotExportable
from mercer.io.export._onnx_graph import Graph
from mercer.kernels.vectors.columns import Columns
from mercer.kernels.vectors.gaussian import Gaussian
from mercer.kernels.vectors.linear import Linear
from mercer.kernels.vectors.polynomial import Polynomial
from mercer.kernels.vectors.sigmoid import Sigmoid

Floats = NDArray[np.float64]


def expansion(graph: Graph, x: str, kernel: Any, rows: Any, coef: Floats, offset: Floats) -> str:
    """Σ_i coef_i k(row_i, x) + offset, one column per machine."""
    if type(kernel) is not Linear and type(kernel) not in KERNELS:
        raise NotExportable(
            f"ONNX has no operator for the kernel {type(kernel).__name__}.",
            f"Kernels that can be exported: {', '.join(sorted(NAMES))}.",
        )
    single = getattr(rows, "dtype", None) == np.float32
    rows = np.asarray(rows.toarray() if sparse.issparse(rows) else rows, dtype=np.float64)
    if single and graph.dtype == np.float64:  # the machine itself rounds new rows like this
        x = graph.cast(graph.cast(x, np.float32))
    if type(kernel) is Linear or len(rows) == 0:  # without rows the weights are zero
        return graph.product(x, rows.T @ coef, offset)
    return graph.product(KERNELS[type(kernel)](graph, x, kernel, rows), coef, offset)


def _squares(graph: Graph, x: str, rows: Floats) -> str:
    """Squared distances to the rows; both are moved to the rows' mean, which costs no digits."""
    centre = rows.mean(axis=0)
    rows = rows - centre
    x = graph.add("Sub", x, centre)
    axis = graph.constant(np.array([1], dtype=np.int64), raw=True)
    own = graph.add("ReduceSumSquare", x, axis, keepdims=1)
    rest = graph.product(x, -2.0 * rows.T, np.sum(rows**2, axis=1))
    return graph.add("Max", graph.add("Add", own, rest), 0.0)


def _bell(graph: Graph, x: str, rows: Floats, scale: Any) -> str:
    """exp(-|x - row|²/2) after division by the length scales."""
    inverse = np.broadcast_to(1.0 / np.asarray(scale, dtype=np.float64), rows.shape[1:])
    scaled = graph.add("Mul", x, inverse)
    return graph.add("Exp", graph.add("Mul", _squares(graph, scaled, rows * inverse), -0.5))


def _gaussian(graph: Graph, x: str, kernel: Gaussian, rows: Floats) -> str:
    return _bell(graph, x, rows, kernel.length_scale)


def _argument(graph: Graph, x: str, kernel: Any, rows: Floats) -> str:
    gamma, coef0 = kernel._slope_and_offset()
    return graph.product(x, gamma * rows.T, np.full(len(rows), coef0))


def _polynomial(graph: Graph, x: str, kernel: Polynomial, rows: Floats) -> str:
    if not float(kernel.degree).is_integer():
        raise NotExportable(
            f"a polynomial kernel of degree {kernel.degree} is not defined for every input.",
            "Use a whole degree.",
        )
    return graph.add("Pow", _argument(graph, x, kernel, rows), float(kernel.degree))


def _sigmoid(graph: Graph, x: str, kernel: Sigmoid, rows: Floats) -> str:
    return graph.add("Tanh", _argument(graph, x, kernel, rows))


def _columns(graph: Graph, x: str, kernel: Columns, rows: Floats) -> str:
    """One bell per block; sums, products and interactions of two of them."""
    width = rows.shape[1]
    parts = [
        _bell(graph, graph.columns(x, block), rows[:, block], kernel.length_scale)
        for block in kernel._blocks(width)
    ]
    if kernel.combine == "product":
        return _fold(graph, "Mul", parts)
    weights = kernel._weights(width)
    parts = [graph.add("Mul", part, w) for part, w in zip(parts, weights, strict=True)]
    first = _fold(graph, "Add", parts)
    if kernel.combine == "sum":
        return first
    squares = _fold(graph, "Add", [graph.add("Mul", part, part) for part in parts])
    pairs = graph.add("Mul", graph.add("Sub", graph.add("Mul", first, first), squares), 0.5)
    return graph.add("Div", graph.add("Add", first, pairs), kernel._at_zero(weights))


def _fold(graph: Graph, operation: str, parts: list[str]) -> str:
    total = parts[0]
    for part in parts[1:]:
        total = graph.add(operation, total, part)
    return total


KERNELS: dict[type, Callable[[Graph, str, Any, Floats], str]] = {
    Gaussian: _gaussian,
    Polynomial: _polynomial,
    Sigmoid: _sigmoid,
    Columns: _columns,
}
NAMES = ["Linear", *(kind.__name__ for kind in KERNELS)]
