"""What a fit was: constructor arguments as they were, and who called it.

Evidence may read nothing else, so that a certificate stays a statement about the fit whatever
happens to the object later.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache
from types import FrameType
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from mercer.bounds import Choice
from mercer.kernels import Kernel

AROUND = "what was fitted around it"
# Callers of scikit-learn's that choose nothing from the rows before they call fit.
_HARMLESS = ("sklearn.base", "sklearn.utils", "sklearn.callback", "sklearn.model_selection._valid")


def snapshot(estimator: Any) -> dict[str, Any]:
    """Constructor arguments by name: references, but kernels, which can change, as copies."""
    held, kind = vars(estimator), estimator.__class__
    return {name: _kept(held[name]) for name in _names(kind) if name in held}


def _kept(value: object) -> Any:
    if not isinstance(value, Kernel):
        return value
    twin = object.__new__(type(value))
    twin.__dict__.update({name: _kept(inner) for name, inner in vars(value).items()})
    return twin


def changed(estimator: BaseEstimator, params: Mapping[str, Any]) -> list[str]:
    """Names of arguments that are no longer what they were at fit."""
    now = vars(estimator)
    return [name for name, then in params.items() if not _same(then, now.get(name))]


def _same(then: Any, now: Any) -> bool:
    if then is now:
        return True
    if type(then) is not type(now):
        return False
    if isinstance(then, Kernel):
        held = vars(now)
        return all(_same(value, held.get(name)) for name, value in vars(then).items())
    if isinstance(then, np.ndarray):
        return np.array_equal(then, now)
    try:
        return bool(then == now)
    except (TypeError, ValueError):
        return False


@cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(kind._get_param_names())


def surroundings(estimator: BaseEstimator) -> tuple[str, ...]:
    """The nearest estimator, or part of scikit-learn, from within which ``fit`` was called.

    In a worker thread the outer estimator is out of sight, but the function that scikit-learn runs
    there is not. An estimator that says ``accounts_for_fit`` reads the evidence of what it fits and
    adds what it did itself (multi-class wrappers, searches, ``Certified``).
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        owner = _owner(frame)
        module = frame.f_globals.get("__name__", "")
        if owner is not None and owner is not estimator:
            if getattr(owner, "accounts_for_fit", False):
                return ()
            if not _starts_with(owner, estimator):
                return (type(owner).__name__,)
        elif module.startswith("sklearn.") and not module.startswith(_HARMLESS):
            return (module,)
        frame = frame.f_back
    return ()


def _owner(frame: FrameType) -> BaseEstimator | None:
    """The estimator whose method is running, if it is one."""
    code = frame.f_code
    if not code.co_argcount or code.co_varnames[0] != "self":
        return None
    owner = frame.f_locals.get("self")
    return owner if isinstance(owner, BaseEstimator) else None


def _starts_with(owner: Any, estimator: object) -> bool:
    """A pipeline whose first step this is did nothing before it."""
    steps = getattr(owner, "steps", None)
    return steps is not None and len(steps) > 0 and steps[0][1] is estimator


def around(names: tuple[str, ...]) -> tuple[Choice, ...]:
    """The choices that surroundings stand for."""
    return tuple(Choice(AROUND, f"fitted by {name}") for name in names)
