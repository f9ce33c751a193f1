"""Which classes a model file may name. Nothing else is ever constructed."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
from typing import Any

# Packages of Mercer whose estimators, kernels and records may be stored.
PACKAGES = (
    "mercer.bounds",
    "mercer.certification",
    "mercer.io.tables",
    "mercer.kernels",
    "mercer.learners",
    "mercer.losses",
    "mercer.metrics",
    "mercer.selection",
    "mercer.solvers",
)
# scikit-learn's classes that are plain data after fitting.
SKLEARN = {
    "sklearn.pipeline": ("Pipeline",),
    "sklearn.compose._column_transformer": ("ColumnTransformer",),
    "sklearn.preprocessing._data": (
        "StandardScaler", "MinMaxScaler", "MaxAbsScaler", "RobustScaler", "Normalizer",
        "QuantileTransformer", "PowerTransformer",
    ),
    "sklearn.preprocessing._encoders": ("OneHotEncoder", "OrdinalEncoder"),
    "sklearn.preprocessing._function_transformer": ("FunctionTransformer",),
    "sklearn.preprocessing._label": ("LabelEncoder", "LabelBinarizer"),
    "sklearn.impute._base": ("SimpleImputer", "MissingIndicator"),
    "sklearn.linear_model._logistic": ("LogisticRegression",),
    "sklearn.linear_model._ridge": ("Ridge",),
    "sklearn.decomposition._pca": ("PCA",),
}  # fmt: skip
FORBIDDEN_STATE = {"FunctionTransformer": ("func", "inverse_func")}


def name_of(cls: type) -> str:
    """How a class is called in the file."""
    return f"{cls.__module__}:{cls.__qualname__}"


def storable(cls: type) -> bool:
    """Whether objects of this class may be stored."""
    if cls.__qualname__ in SKLEARN.get(cls.__module__, ()):
        return True
    if not cls.__module__.startswith(tuple(p + "." for p in PACKAGES)):
        return False
    if "." in cls.__qualname__:  # a class inside a function or a class
        return False
    from sklearn.base import BaseEstimator

    return (
        issubclass(cls, BaseEstimator)
        or dataclasses.is_dataclass(cls)
        or bool(getattr(cls, "_in_model_files", False))
    )


def find(name: Any) -> type | None:
    """The class called ``name``, or None if it may not be stored or does not exist."""
    if not isinstance(name, str) or name.count(":") != 1 or len(name) > 200:
        return None
    module, _, qualified = name.partition(":")
    inside = module.startswith(tuple(p + "." for p in PACKAGES)) or module in SKLEARN
    if not inside or not all(part.isidentifier() for part in module.split(".")):
        return None
    try:
        found = getattr(importlib.import_module(module), qualified, None)
    except ImportError:
        return None
    if not inspect.isclass(found) or found.__module__ != module or not storable(found):
        return None
    return found
