"""Parts that come already fitted: they may have seen the very rows that are counted.

scikit-learn's FrozenEstimator says so itself. A fitted object can also hide in a function: as a
bound method (``FunctionTransformer(selector.transform)``), in a partial, a closure, a default, a
global name, or as the function of a kernel.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterator
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils._tags import get_tags
from sklearn.utils.validation import check_is_fitted

from mercer.certification.checks.finding import FIRST_LINE, Finding

NAME = "frozen"
_DEPTH = 4


def frozen_parts(estimator: Any) -> list[Finding]:
    """One finding that names the parts of an estimator that were fitted beforehand."""
    if not hasattr(estimator, "get_params"):
        return []
    names = dict.fromkeys(
        type(part).__name__
        for value in estimator.get_params(deep=True).values()
        for part in fitted_inside(value)
    )
    if not names:
        return []
    words = f"{', '.join(names)} came already fitted and may have seen the rows that are counted"
    return [Finding(NAME, FIRST_LINE, words)]


def is_frozen(part: Any) -> bool:
    """Whether cloning returns the same fitted object."""
    cloned = getattr(part, "__sklearn_clone__", None)
    return (
        not isinstance(part, type)
        and callable(cloned)
        and is_fitted(part)
        and part.__sklearn_clone__() is part
    )


def is_fitted(part: Any) -> bool:
    """Whether an object is an estimator that has learned something."""
    if isinstance(part, type) or not isinstance(part, BaseEstimator) or not hasattr(part, "fit"):
        return False
    try:
        if not get_tags(part).requires_fit:
            return False
        check_is_fitted(part)
    except (NotFittedError, TypeError, AttributeError):
        return False
    return True


def fitted_inside(value: Any, depth: int = _DEPTH) -> Iterator[Any]:
    """Fitted objects that a parameter brings along although it is cloned."""
    if is_frozen(value):
        yield value
    elif depth and callable(value) and not isinstance(value, type | BaseEstimator):
        for part in _held(value):
            if is_fitted(part):
                yield part
            else:
                yield from fitted_inside(part, depth - 1)


def _held(function: Any) -> Iterator[Any]:
    """What a function carries around: its object, arguments, closure, defaults, globals."""
    if isinstance(function, functools.partial):
        yield from (function.func, *function.args, *function.keywords.values())
        return
    if inspect.ismethod(function):
        yield from (function.__self__, function.__func__)
        return
    if not inspect.isfunction(function):
        yield from getattr(function, "__dict__", {}).values()  # an object that can be called
        return
    try:
        names = inspect.getclosurevars(function)
        yield from (*names.nonlocals.values(), *names.globals.values())
    except ValueError:  # an empty cell
        pass
    yield from (function.__defaults__ or ())
    yield from (function.__kwdefaults__ or {}).values()
