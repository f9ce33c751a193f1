"""scikit-learn's linear machines, which ``mercer fit`` uses on kernel features of large tables."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression, Ridge

from mercer.io.export._onnx_graph import Graph

LINEAR = (LogisticRegression, Ridge)


def linear(graph: Graph, x: str, model: Any) -> str:
    """Outputs, shape (rows, outputs)."""
    weights = np.atleast_2d(model.coef_).T
    return graph.product(x, weights, np.broadcast_to(model.intercept_, weights.shape[1:]))


def logistic_winners(graph: Graph, values: str, model: LogisticRegression) -> str:
    """Number of the predicted class; publishes the probabilities on the way."""
    if len(model.classes_) == 2:
        likely = graph.add("Sigmoid", values)
        both = graph.add("Concat", graph.add("Sub", 1.0, likely), likely, axis=1)
        graph.output("probability", both, graph.dtype, 2)
        return graph.flat(graph.cast(graph.add("Greater", values, 0.0), np.int64))
    shares = graph.add("Softmax", values, axis=1)
    graph.output("probability", shares, graph.dtype, len(model.classes_))
    return graph.add("ArgMax", values, axis=1, keepdims=0)
