"""Which rows a model was fitted on, as long as their owner keeps them.

Learners keep what their answers need, support vectors for instance. Criteria and label codes ask
about every training row. So that they can be asked about a model just fitted, without handing its
rows over again, a fit leaves weak references beside the model: they keep nothing alive, are part
of no file or pickle, and a model whose rows are gone is answered with what to pass.
"""

from __future__ import annotations

import weakref
from typing import Any

from numpy.typing import ArrayLike

from mercer._types import Samples

_GIVEN: weakref.WeakKeyDictionary[Any, tuple[Any, Any]] = weakref.WeakKeyDictionary()


def remember(model: object, X: Samples, y: ArrayLike | None) -> None:
    """Note where the rows and targets of this fit are; lists and hashless models are not noted."""
    forget(model)
    try:
        _GIVEN[model] = (weakref.ref(X), None if y is None else weakref.ref(y))
    except TypeError:
        return


def forget(model: object) -> None:
    """The model has seen other rows since."""
    try:
        _GIVEN.pop(model, None)
    except TypeError:
        return


def rows_given(model: object) -> tuple[Any, Any] | None:
    """X and y of the last ``fit``, or None if they are gone."""
    try:
        held = _GIVEN.get(model)
    except TypeError:
        return None
    if held is None:
        return None
    X, y = held[0](), None if held[1] is None else held[1]()
    return None if X is None or (held[1] is not None and y is None) else (X, y)
