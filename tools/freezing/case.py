"""One model to be frozen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Case:
    """A name (``group/what``), how the fitted model is made, and the rows it is asked about."""

    name: str
    build: Callable[[], Any]
    rows: Any
