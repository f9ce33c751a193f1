"""Dataclasses to plain JSON types and nothing else; infinities become strings."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any

import numpy as np

from mercer.bounds.numerics.level import Level


def plain(value: object) -> Any:
    """``value`` as dict, list, str, int, float, bool or None."""
    if is_dataclass(value) and not isinstance(value, type):
        return {
            f.name: plain(getattr(value, f.name))
            for f in fields(value)
            if f.default is MISSING or not _is_default(getattr(value, f.name), f.default)
        }
    if isinstance(value, np.ndarray):
        return [plain(v) for v in value.tolist()]
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(v) for v in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, Level):
        return value.to_json()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    raise TypeError(f"{type(value).__name__} cannot be written to JSON")


def _is_default(value: object, default: Any) -> bool:
    return value is default or (
        isinstance(value, (str, int, float, bool, tuple))
        and type(value) is type(default)
        and value == default
    )
