"""A small writer of ONNX graphs: one method per operation, constants in one number type."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.io.export._errors import needs

EXTRA = "onnx"
OPSET = 18
IR_VERSION = 9  # what opset 18 came with, so that older runtimes open the file
INPUT = "X"
LEARNED = 2  # version of the operators for machine learning
OUTPUTS = ("label", "decision", "probability", "prediction")


class Graph:
    """Nodes and constants of a graph: of one input ``X``, shape (rows, ``width``), or of inputs by
    name.
    """

    def __init__(self, width: int, dtype: str) -> None:
        self._onnx = needs("onnx", EXTRA)
        self.dtype = np.dtype(dtype)
        self.width = width
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._outputs: list[Any] = []
        self._inputs: list[Any] = []
        self.columns_of_inputs: dict[str, str] = {}
        self.schema: list[dict[str, Any]] = []  # of those columns
        self._learned = False  # whether an operator of the machine-learning set is used
        self._count = 0

    def _name(self, stem: str) -> str:
        self._count += 1
        return f"/{stem}_{self._count}"

    def constant(self, value: object, *, raw: bool = False) -> str:
        """A constant of the graph's number type, or with ``raw`` of its own."""
        array = np.asarray(value) if raw else np.asarray(value, dtype=self.dtype)
        if array.dtype.kind in "US":
            array = array.astype(object)
        name = self._name("c")
        self._constants.append(self._onnx.numpy_helper.from_array(array, name))
        return name

    def add(self, operation: str, *inputs: Any, **attributes: Any) -> str:
        """One operation; inputs that are not names become constants."""
        names = [x if isinstance(x, str) else self.constant(x) for x in inputs]
        out = self._name(operation.lower())
        self._nodes.append(self._onnx.helper.make_node(operation, names, [out], **attributes))
        return out

    def input(self, column: str, text: bool) -> str:
        """Declare a column of its own, shape (rows, 1), as text or numbers; its name in the graph.

        An output of the same name would be in the way: then the input has a dash behind its name.
        """
        name = column or "column"
        while name in OUTPUTS or name in self.columns_of_inputs:
            name += "_"
        kind = self._type(np.dtype(object) if text else self.dtype)
        make = self._onnx.helper.make_tensor_value_info
        self._inputs.append(make(name, kind, ["rows", 1]))
        self.columns_of_inputs[name] = column
        return name

    def whole(self, values: Any) -> str:
        """A constant of whole numbers."""
        return self.constant(np.array([list(row) for row in values], dtype=np.int64), raw=True)

    def label_places(self, x: str, keys: list[str], places: list[int]) -> str:
        """Whole numbers in place of texts, -1 for all others."""
        out = self._name("labelencoder")
        self._learned = True
        node = self._onnx.helper.make_node(
            "LabelEncoder", [x], [out], domain="ai.onnx.ml", keys_strings=keys,
            values_int64s=places, default_int64=-1,
        )  # fmt: skip
        self._nodes.append(node)
        return out

    def reduce(self, operation: str, value: str, axis: int, *, keep: bool = False) -> str:
        """Sum, mean or largest along one axis, which is an input of these operations."""
        along = self.constant(np.array([axis], dtype=np.int64), raw=True)
        return self.add(operation, value, along, keepdims=int(keep))

    def product(self, left: str, right: Any, *offset: Any) -> str:
        """Matrix product, plus an offset.

        Not as MatMul: onnxruntime merges a factor before it into it, in single precision.
        """
        return self.add("Gemm", left, right, *offset)

    def cast(self, value: str, dtype: Any = None) -> str:
        """Change the number type; None: the graph's own."""
        return self.add("Cast", value, to=self._type(dtype or self.dtype))

    def columns(self, value: str, which: Any) -> str:
        """Some columns of a matrix."""
        chosen = self.constant(np.asarray(which, dtype=np.int64), raw=True)
        return self.add("Gather", value, chosen, axis=1)

    def flat(self, value: str) -> str:
        """A matrix of one column as a vector."""
        return self.add("Reshape", value, self.constant(np.array([-1], np.int64), raw=True))

    def output(self, name: str, value: str, dtype: Any, width: int | None) -> None:
        """Publish a value; ``width`` None for a vector."""
        self._nodes.append(self._onnx.helper.make_node("Identity", [value], [name]))
        shape = ["rows"] if width is None else ["rows", width]
        make = self._onnx.helper.make_tensor_value_info
        self._outputs.append(make(name, self._type(dtype), shape))

    def _type(self, dtype: Any) -> int:
        dtype = np.dtype(dtype)
        kind = np.dtype(object) if dtype.kind in "US" else dtype
        return int(self._onnx.helper.np_dtype_to_tensor_dtype(kind))

    def finish(self, facts: dict[str, str]) -> bytes:
        """The file, checked, with ``facts`` as its metadata."""
        helper = self._onnx.helper
        whole = helper.make_tensor_value_info(INPUT, self._type(self.dtype), ["rows", self.width])
        graph = helper.make_graph(
            self._nodes,
            "mercer",
            self._inputs or [whole],
            self._outputs,
            initializer=self._constants,
        )
        model = helper.make_model(
            graph,
            opset_imports=[
                helper.make_opsetid("", OPSET),
                *[helper.make_opsetid("ai.onnx.ml", LEARNED)] * self._learned,
            ],
            ir_version=IR_VERSION,
            producer_name="mercer",
        )
        helper.set_model_props(model, facts)
        self._onnx.checker.check_model(model, full_check=True)
        return bytes(model.SerializeToString())
