"""Estimators, grouped as a reader of the texts would look for them.

Every file below this folder that defines an estimator is a plug-in: ``available()`` lists it, and
``from mercer.learners import KernelPerceptron`` finds it. Nothing is loaded before somebody asks.
"""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

from mercer._discover import rooms

__all__ = ["available"]

_room, _rooms = rooms(__name__)


@cache
def _classes() -> dict[str, type]:
    from sklearn.base import BaseEstimator

    from mercer._discover import discover

    return discover(sys.modules[__name__], BaseEstimator)


def available() -> dict[str, type]:
    """Every learner by its command-line name, e.g. ``"kernel_perceptron"``."""
    from mercer._discover import snake_case

    return {snake_case(name): learner for name, learner in _classes().items()}


def __getattr__(name: str) -> Any:
    if name[:1].isupper() and name in _classes():
        return _classes()[name]
    try:
        return _room(name)
    except AttributeError:
        raise AttributeError(
            f"mercer.learners has no learner {name!r}; see mercer.learners.available()"
        ) from None


def __dir__() -> list[str]:
    return sorted({*__all__, *_rooms(), *_classes()})
