"""Models in the formats of others: ONNX to run them without Python, skops and MLflow in it.

Each target is one file here with a function of its name; ``TARGETS`` is what the command line
offers.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from mercer.io.export._errors import NotExportable
from mercer.io.export.mlflow import to_mlflow
from mercer.io.export.onnx import to_onnx
from mercer.io.export.skops import from_skops, to_skops, trusted_types

TARGETS: dict[str, Callable[[Any, str | Path], Any]] = {
    "onnx": to_onnx,
    "skops": to_skops,
    "mlflow": to_mlflow,
}

__all__ = [
    "TARGETS",
    "NotExportable",
    "from_skops",
    "to_mlflow",
    "to_onnx",
    "to_skops",
    "trusted_types",
]
