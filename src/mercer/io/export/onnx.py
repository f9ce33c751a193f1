"""Models as ONNX files: run anywhere, without Python and without Mercer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from mercer.errors import refuse_changed
from mercer.io.atomic import write_bytes
from mercer.io.export import _onnx_votes as votes
from mercer.io.export._errors import NotExportable, needs
from mercer.io.export._onnx_graph import EXTRA, INPUT, Graph
from mercer.io.export._onnx_kernels import expansion
from mercer.io.export._onnx_linear import LINEAR, linear, logistic_winners
from mercer.io.export._onnx_steps import step
from mercer.io.export._onnx_trees import TREES, tree_values
from mercer.learners.describe import answering
from mercer.learners.expansion import expansion_of
from mercer.selection import KernelSearch
from mercer.tables.machine import TableMachine
from mercer.tables.trees import BoostedTrees

DTYPES = ("float64", "float32")


def to_onnx(model: object, path: str | Path, *, dtype: str = "float64") -> Path:
    """Write a fitted model as an ONNX file.

    Parameters
    ----------
    model : fitted estimator
        ``SVC``, ``NuSVC``, ``SVR``, ``NuSVR``, ``OneClassSVM`` or ``KernelRidge`` with a linear,
        polynomial, Gaussian, sigmoid or one-per-column kernel; a pipeline of scikit-learn's scalers
        or PCA and one of them; what ``mercer fit`` saved from a table without free text, trees and
        linear machines included; a ``KernelSearch`` of any of these.
    path : str or Path
        Where to; replaced at once or not at all.
    dtype : {"float64", "float32"}, default="float64"
        Number type of the input and of all calculations.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    NotExportable
        If ONNX cannot express the model; the message names the part and the reason.

    Notes
    -----
    The input is ``X``, shape (rows, columns). A model of a table has one input for every column it
    uses instead, by the column's name and of shape (rows, 1): numbers, true and false as 1 and
    0, dates as seconds since 1970, names as text; NaN and the empty text are gaps. The metadata
    ``mercer.schema`` holds kinds, levels and ranges. The outputs are ``label`` and ``decision``
    (classification and novelty) or ``prediction`` (regression), with the values and shapes of
    ``predict`` and ``decision_function``; two classes with ``probability=True`` also have
    ``probability``. The probabilities of more classes come from an iteration and are left out. The
    certificate, if there is one, is kept as text in the metadata, for people to read.
    """
    if dtype not in DTYPES:
        raise ValueError(f"dtype must be one of {DTYPES}, got {dtype!r}")
    needs("onnx", EXTRA)
    refuse_changed(model)
    _refuse_several(model)
    inner = _unwrapped(model)
    try:
        check_is_fitted(inner)
    except TypeError:
        raise NotExportable(f"a {type(inner).__name__} is not a model.") from None
    graph = Graph(_width(inner), dtype)
    _write(graph, INPUT, inner)
    return write_bytes(path, graph.finish(_facts(model) | _columns(graph)))


def _refuse_several(model: object) -> None:
    """Models that are more than one function of a row."""
    model = answering(model)
    if hasattr(model, "models"):
        raise NotExportable(
            f"this model is a {type(model).__name__}: several models answer together, and its "
            "certificate is about their common answer.",
            "Export a model certified with mode='auto' or 'in-sample'.",
        )
    if hasattr(model, "accepts"):
        raise NotExportable(
            "this model may refuse to answer, and its certificate is about the answers it gives; "
            "the refusal would be lost.",
            "Export a model certified with mode='auto' instead of 'selective'.",
        )


def _unwrapped(model: object) -> Any:
    """The estimator that answers."""
    model = answering(model)
    return model.best_estimator_ if isinstance(model, KernelSearch) else model


def _width(model: object) -> int:
    width = getattr(model, "n_features_in_", None)
    if width is None:
        raise NotExportable(
            f"this {type(model).__name__} does not take a table of numbers, which is what an ONNX "
            "file takes."
        )
    return int(width)


def _write(graph: Graph, x: str, model: object) -> None:
    """Nodes and outputs of a fitted estimator."""
    _refuse_several(model)
    if isinstance(model, TableMachine):
        _table_machine(graph, x, model)
    else:
        _machine(graph, *_last(graph, x, model))


def _last(graph: Graph, x: str, model: object) -> tuple[str, Any]:
    """The machine at the end of pipelines and searches, and what it is given."""
    model = _unwrapped(model)
    if not isinstance(model, Pipeline):
        return x, model
    for transformer in [part for _, part in model.steps[:-1]]:
        x = step(graph, x, transformer)
    return _last(graph, x, model[-1])


def _table_machine(graph: Graph, x: str, model: TableMachine) -> None:
    if model.prepare in ("kernel", "objects"):
        reason = {"kernel": "kernel values with its training rows", "objects": "sequences"}
        raise NotExportable(f"this model takes {reason[model.prepare]}, not a table of numbers.")
    x, machine = _last(graph, x, model.best_estimator_)
    if model.task == "classification":
        _machine(graph, x, machine)
        return
    values = graph.add("Mul", _values(graph, x, machine), model.target_spread_)
    values = graph.add("Add", values, model.target_mean_)
    graph.output("prediction", graph.flat(values), graph.dtype, None)


def _machine(graph: Graph, x: str, model: Any) -> None:
    """Outputs of the machine at the end."""
    if isinstance(model, TREES):
        _trees(graph, x, model)
        return
    values, written = _values(graph, x, model), expansion_of(model)
    kind = None if written is None else written.kind
    if isinstance(model, LogisticRegression):
        _label(graph, logistic_winners(graph, values, model), model.classes_)
        _decision(graph, values, len(model.classes_))
    elif kind == "classifier":
        _classifier(graph, values, model)
    elif kind == "detector":
        inside = graph.cast(graph.add("Greater", values, 0.0), np.int64)
        labels = graph.constant(np.array([-1, 1], dtype=np.int64), raw=True)
        graph.output("label", graph.flat(graph.add("Gather", labels, inside)), np.int64, None)
        graph.output("decision", graph.flat(values), graph.dtype, None)
    elif written is not None and not written.flat:
        graph.output("prediction", values, graph.dtype, written.coef.shape[1])
    elif isinstance(model, Ridge) and model.coef_.ndim == 2:
        graph.output("prediction", values, graph.dtype, len(model.coef_))
    else:
        graph.output("prediction", graph.flat(values), graph.dtype, None)


def _values(graph: Graph, x: str, model: object) -> str:
    """Outputs of all machines, shape (rows, machines)."""
    _refuse_several(model)
    if isinstance(model, TREES):
        return tree_values(graph, x, model)
    written = expansion_of(model)
    if written is not None:
        return expansion(graph, x, *written[:4])
    if isinstance(model, LINEAR):
        return linear(graph, x, model)
    raise NotExportable(
        f"a {type(model).__name__} cannot be written as ONNX.",
        "SVC, NuSVC, SVR, NuSVR, OneClassSVM, KernelRidge and trees can; skops takes every model.",
    )


def _trees(graph: Graph, x: str, model: Any) -> None:
    """Labels and sums of boosted trees, labels and shares of a forest, or numbers."""
    values = tree_values(graph, x, model)
    if model.task != "classification":
        graph.output("prediction", graph.flat(values), graph.dtype, None)
        return
    sums = isinstance(model, BoostedTrees)
    if sums and len(model.classes_) == 2:
        winner = graph.flat(graph.cast(graph.add("Greater", values, 0.0), np.int64))
    else:
        winner = graph.add("ArgMax", values, axis=1, keepdims=0)
    _label(graph, winner, model.classes_)
    if sums:
        _decision(graph, values, len(model.classes_))
    else:
        graph.output("probability", values, graph.dtype, len(model.classes_))


def _classifier(graph: Graph, values: str, model: Any) -> None:
    count = len(model.classes_)
    _label(graph, votes.winners(graph, values, model), model.classes_)
    if count == 2 or model.multi_class == "ovr":
        _decision(graph, values, count)
    elif model.decision_function_shape == "ovo":
        graph.output("decision", values, graph.dtype, count * (count - 1) // 2)
    else:
        graph.output("decision", votes.per_class(graph, values, count), graph.dtype, count)
    if count == 2 and model.fitted_.calibration is not None:
        _probability(graph, values, model.fitted_.calibration)


def _decision(graph: Graph, values: str, count: int) -> None:
    """One output per class, or a vector for two classes."""
    if count == 2:
        graph.output("decision", graph.flat(values), graph.dtype, None)
    else:
        graph.output("decision", values, graph.dtype, count)


def _label(graph: Graph, winner: str, classes: Any) -> None:
    labels = _labels(classes)
    chosen = graph.add("Gather", graph.constant(labels, raw=True), winner)
    graph.output("label", chosen, labels.dtype, None)


def _labels(classes: Any) -> Any:
    """Class labels in a type that ONNX has."""
    kind = classes.dtype.kind
    if kind == "O" and all(isinstance(label, str) for label in classes):
        return classes.astype(str)
    if kind in "iu":
        return classes.astype(np.int64)
    if kind in "bU":
        return classes
    if kind == "f":
        return classes.astype(np.float64)
    raise NotExportable(f"labels such as {classes[0]!r} have no type in ONNX.")


def _probability(graph: Graph, values: str, calibration: Any) -> None:
    """Two slopes, one on each side of zero."""
    above = graph.add("Greater", values, 0.0)
    slope = graph.add("Where", above, [calibration.above], [calibration.below])
    likely = graph.add("Sigmoid", graph.add("Mul", slope, values))
    likely = graph.add("Min", graph.add("Max", likely, 1e-12), 1 - 1e-12)
    both = graph.add("Concat", graph.add("Sub", 1.0, likely), likely, axis=1)
    graph.output("probability", both, graph.dtype, 2)


def _columns(graph: Graph) -> dict[str, str]:
    """The inputs of a table, for people and programmes: which column each is, and what it holds."""
    if not graph.columns_of_inputs:
        return {}
    return {
        "mercer.inputs": json.dumps(graph.columns_of_inputs),
        "mercer.schema": json.dumps(graph.schema),
    }


def _facts(model: Any) -> dict[str, str]:
    """What is known about the model, for people who open the file."""
    from mercer._versions import version

    facts = {"mercer.version": version(), "mercer.model": type(_unwrapped(model)).__name__}
    names = getattr(model, "names", None)
    if names is not None:
        facts["mercer.columns"] = json.dumps([str(name) for name in names])
    if getattr(model, "tolerance_", None) is not None:
        facts["mercer.tolerance"] = repr(float(model.tolerance_))
    try:
        certificate = model.certificate_
    except AttributeError:
        certificate = None
    if certificate is not None:
        facts["mercer.certificate"] = certificate.explain()
    return facts
