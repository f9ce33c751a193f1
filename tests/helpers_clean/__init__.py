"""Laws of independent rows, of every kind a file may have: no check may raise an alarm.

Each module of this package is one kind of file. A law draws ``(X, y)``, or a `Case` where more has
to be said; every row is drawn by itself from one law, whatever values it has.
"""

from __future__ import annotations

import importlib
import pkgutil
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

from mercer.certification.checks import gate
from mercer.certification.checks.case import Case
from mercer.certification.checks.finding import FIRST_LINE

Law = Callable[[np.random.Generator], Any]
LAWS: dict[str, Law] = {}


def law(draw: Law) -> Law:
    """Enter a law under its own name."""
    if draw.__name__ in LAWS:
        raise ValueError(f"two laws are called {draw.__name__}")
    LAWS[draw.__name__] = draw
    return draw


def enter_all() -> None:
    """Import every module of this package: that enters its laws."""
    for module in pkgutil.iter_modules(__path__, f"{__name__}."):
        importlib.import_module(module.name)


def drawn(name: str, seed: int, draw: int) -> Case:
    """One file, the same in whatever order files are asked for."""
    found = LAWS[name](np.random.default_rng([zlib.crc32(name.encode()), seed, draw]))
    return found if isinstance(found, Case) else Case(found[0], np.asarray(found[1]))


def alarm(case: Case) -> str:
    """What would stand in the first line, or be acted on; nothing about clean files."""
    found = gate.look_at(case).findings
    return "; ".join(f"{f.code}: {f.words}" for f in found if f.level == FIRST_LINE)


def alarms(name: str, draws: int, seed: int = 0) -> list[str]:
    """One entry for each draw with an alarm."""
    heard = (alarm(drawn(name, seed, draw)) for draw in range(draws))
    return [words for words in heard if words]


def flipped(rng: np.random.Generator, y: Any, share: float = 0.1) -> Any:
    """Labels, some of them wrong."""
    y = np.asarray(y).astype(int)
    return np.where(rng.random(len(y)) < share, 1 - y, y)


def chance(rng: np.random.Generator, score: Any) -> Any:
    """Labels whose odds follow a score."""
    return (rng.random(len(score)) < 1 / (1 + np.exp(-np.asarray(score, float)))).astype(int)
