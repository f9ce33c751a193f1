"""Which classes a model file may name, and how. Nothing else is ever constructed."""

from __future__ import annotations

import importlib
import json
from functools import cache
from importlib.resources import files
from typing import Any

from mercer import _storable

# scikit-learn's classes that are plain data after fitting, and where they live today.
SKLEARN = {
    "Pipeline": "sklearn.pipeline",
    "ColumnTransformer": "sklearn.compose._column_transformer",
    "StandardScaler": "sklearn.preprocessing._data",
    "MinMaxScaler": "sklearn.preprocessing._data",
    "MaxAbsScaler": "sklearn.preprocessing._data",
    "RobustScaler": "sklearn.preprocessing._data",
    "Normalizer": "sklearn.preprocessing._data",
    "QuantileTransformer": "sklearn.preprocessing._data",
    "PowerTransformer": "sklearn.preprocessing._data",
    "OneHotEncoder": "sklearn.preprocessing._encoders",
    "OrdinalEncoder": "sklearn.preprocessing._encoders",
    "FunctionTransformer": "sklearn.preprocessing._function_transformer",
    "LabelEncoder": "sklearn.preprocessing._label",
    "LabelBinarizer": "sklearn.preprocessing._label",
    "SimpleImputer": "sklearn.impute._base",
    "MissingIndicator": "sklearn.impute._base",
    "LogisticRegression": "sklearn.linear_model._logistic",
    "Ridge": "sklearn.linear_model._ridge",
    "LinearSVC": "sklearn.svm._classes",
    "PCA": "sklearn.decomposition._pca",
} | dict.fromkeys(
    (
        "CompoundKernel", "ConstantKernel", "DotProduct", "ExpSineSquared", "Exponentiation",
        "Matern", "PairwiseKernel", "Product", "RBF", "RationalQuadratic", "Sum", "WhiteKernel",
    ),
    "sklearn.gaussian_process.kernels",
)  # fmt: skip
FORBIDDEN_STATE = {"FunctionTransformer": ("func", "inverse_func")}


def name_of(cls: type) -> str | None:
    """How a class is called in files; None if its objects may not be stored."""
    if SKLEARN.get(cls.__qualname__) == cls.__module__:
        return f"sklearn:{cls.__qualname__}"
    return _storable.tag_of(cls)


def version_of(cls: type) -> int:
    """Which version of its attributes a class has; counted up where they change."""
    return int(getattr(cls, "_state_version", 0))


def find(name: Any) -> type | None:
    """The class called ``name``, or None if it may not be stored or does not exist."""
    if not isinstance(name, str):
        return None
    kind, _, called = name.partition(":")
    if kind != "sklearn":
        return _storable.find(name)
    if called not in SKLEARN:
        return None
    return getattr(importlib.import_module(SKLEARN[called]), called, None)


def name_since(path: Any) -> Any:
    """The present name of a class that format 1 called by its module, "module:Class"."""
    if not isinstance(path, str):
        return None
    module, _, called = path.partition(":")
    if SKLEARN.get(called) == module:
        return f"sklearn:{called}"
    return format_1_names().get(path)


@cache
def format_1_names() -> dict[str, str]:
    """Tags of the classes that files of format 1 may name; frozen, never edited."""
    text = files("mercer.io.model_file").joinpath("format_1_names.json").read_text("utf-8")
    return dict(json.loads(text))
