"""Parts that come already fitted: they may have seen the very rows that are counted.

scikit-learn's FrozenEstimator says so itself. A fitted object can also hide in a function: as a
bound method (``FunctionTransformer(selector.transform)``), in a partial, a closure, a default, a
global name, a dictionary or an object of the user's own, or as the function of a kernel.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterator, Mapping
from itertools import islice
from types import ModuleType
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils._tags import get_tags
from sklearn.utils.validation import check_is_fitted

from mercer._types import Estimator
from mercer.certification.checks.finding import FIRST_LINE, Finding

NAME = "frozen"
_DEPTH = 4
_MOST = 1000  # items of a container that are looked at
_CONTAINERS = (Mapping, list, tuple, set, frozenset)  # scikit-learn clones estimators in them
_CLOSED = (BaseEstimator, type, ModuleType, str, bytes, np.ndarray, np.generic)


def frozen_parts(estimator: Estimator) -> list[Finding]:
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


def fitted_inside(value: object, depth: int = _DEPTH, cloned: bool = True) -> Iterator[Any]:
    """Fitted objects that a parameter brings along; ``cloned``: estimators in it are made anew."""
    if is_frozen(value) or (not cloned and is_fitted(value)):
        yield value
    elif depth and not isinstance(value, _CLOSED):
        anew = cloned and isinstance(value, _CONTAINERS)
        for part in islice(_held(value), _MOST):
            yield from fitted_inside(part, depth - 1, anew)


def _held(value: object) -> Iterator[Any]:
    """What a value carries around: a container's items, or what a function or object refers to."""
    if isinstance(value, Mapping):
        yield from value.values()
    elif isinstance(value, _CONTAINERS):
        yield from value
    elif isinstance(value, functools.partial):
        yield from (value.func, *value.args, *value.keywords.values())
    elif inspect.ismethod(value):
        yield from (value.__self__, value.__func__)
    elif inspect.isfunction(value):
        yield from _of_function(value)
    else:
        yield from list(getattr(value, "__dict__", {}).values())


def _of_function(function: Any) -> Iterator[Any]:
    """Closure, global names and defaults."""
    try:
        names = inspect.getclosurevars(function)
        yield from (*names.nonlocals.values(), *names.globals.values())
    except ValueError:  # an empty cell
        pass
    yield from (function.__defaults__ or ())
    yield from (function.__kwdefaults__ or {}).values()
