"""Fitted parts of a model, each with the rows as they come to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer
from sklearn.feature_selection import SelectorMixin
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.utils import _safe_indexing

from mercer._types import Samples
from mercer.certification.answers._several import Several
from mercer.certification.checks.frozen import is_fitted, is_frozen
from mercer.learners.describe import Answering

_DEPTH = 5
_MEMBERS = 5  # of a list that are asked
_Parts = Iterator[tuple[Any, Any]]


def learners_inside(model: object, X: Samples, depth: int = _DEPTH) -> _Parts:
    """The model and every fitted part of it, with the rows as they come to each."""
    yield X, model
    if not depth:
        return
    for rows, part in _parts(model, X):
        yield from learners_inside(part, rows, depth - 1)


def _parts(model: object, X: Samples) -> _Parts:
    if isinstance(model, Pipeline):
        yield from _steps(model, X)
    elif isinstance(model, FeatureUnion):
        yield from ((X, part) for _, part in model.transformer_list if _has_learned(part))
    elif isinstance(model, ColumnTransformer):
        for _, part, columns in model.transformers_:
            if _has_learned(part):
                yield _safe_indexing(X, columns, axis=1), part
    elif isinstance(model, Several):
        yield from ((model._own(i, X), part) for i, part in enumerate(model.models[:_MEMBERS]))
    elif isinstance(model, Answering) and hasattr(model, "_view"):
        yield model._view(X), model.model_
    elif isinstance(model, SelectorMixin):
        yield from ((model.transform(X), part) for part in _members(model))
    else:
        columns = getattr(model, "estimators_features_", ())  # of a bag
        for i, part in enumerate(_members(model)):
            yield _safe_indexing(X, columns[i], axis=1) if i < len(columns) else X, part


def _steps(model: Pipeline, X: Samples) -> _Parts:
    *first, (_, last) = model.steps
    for _, step in first:
        if hasattr(step, "transform"):
            yield X, step
            X = step.transform(X)
    yield X, last


def _members(model: Any) -> Iterator[Any]:
    """Fitted estimators that a model holds, not those it was given to be cloned."""
    cloned = isinstance(model, BaseEstimator) and not is_frozen(model)
    given = set(model.get_params(deep=False)) if cloned else set()
    told = set()
    for name, value in list(getattr(model, "__dict__", {}).items()):
        if name not in given or is_frozen(value):
            for part in _fitted_in(value):  # in a list and again by name
                if id(part) not in told:
                    told.add(id(part))
                    yield part


def _fitted_in(value: object) -> Iterator[Any]:
    if _has_learned(value):
        yield value
    elif isinstance(value, list | tuple | Mapping):
        items = value.values() if isinstance(value, Mapping) else value
        for item in islice(items, _MEMBERS):
            if _has_learned(item) and not hasattr(item, "tree_"):  # trees speak together
                yield item
            elif not isinstance(item, BaseEstimator):  # a calibrated classifier, say
                held = getattr(item, "__dict__", {}).values()
                yield from (part for part in held if _has_learned(part))


def _has_learned(part: Any) -> bool:
    """Whether an estimator was fitted, also one that answers without (a Gaussian process)."""
    if not isinstance(part, BaseEstimator):
        return False
    return is_fitted(part) or any(
        name.endswith("_") and not name.startswith("__") for name in vars(part)
    )
