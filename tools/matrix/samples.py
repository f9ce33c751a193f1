"""Rows small enough that every learner is fitted on them many times within a minute."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.utils import get_tags

import mercer
from mercer import kernels

RNG = np.random.default_rng(3)
N = 27
THREE = np.repeat([0, 1, 2], N // 3)
X = np.round(RNG.normal(size=(N, 3)), 3)
X[:, 0] += 4.0 * (THREE == 1)
X[:, 1] += 4.0 * (THREE == 2)
TWO = (THREE > 0).astype(int)
TARGET = X[:, 0] + 0.1 * RNG.normal(size=N)
TEXTS = ["".join(RNG.choice(list("ab" if i else "bc"), 6)) for i in TWO]
COPIES = np.where(np.arange(N) % 4 == 0, 2, 1)


def _corner(X: Any) -> np.ndarray:
    """A rule that knows where the three groups lie."""
    return np.where(X[:, 0] > 2.0, 1, np.where(X[:, 1] > 2.0, 2, 0))


def _never(X: Any) -> np.ndarray:
    return np.zeros(len(X), dtype=int)


def plain(cls: type) -> Any:
    """The first setting that contract tests try, with no bandwidth read off the rows."""
    model = cls.examples()[0]  # type: ignore[attr-defined]
    own = model.get_params(deep=False)
    if "estimator" in own:
        if own["estimator"] is None or is_classifier(model):
            inner = mercer.SVC(gamma=0.5) if is_classifier(model) else model._learner()
            return model.set_params(estimator=inner.set_params(gamma=0.5))
        return model
    if isinstance(own.get("kernel"), str) and "gamma" in own:
        model.set_params(gamma=0.5)
    if cls.__name__ == "FiniteClassERM":  # without rules it is a majority vote
        model.set_params(rules=[_corner, _never])
    if isinstance(own.get("length_scale"), str):
        model.set_params(length_scale=1.5)
    if own.get("affinity") == "kernel":
        model.set_params(affinity="rbf", gamma=0.5)
    return model.set_params(random_state=0) if "random_state" in own else model


def target(model: Any) -> Any:
    """Two classes, numbers, or nothing to learn from."""
    if is_classifier(model):
        return TWO
    return TARGET if is_regressor(model) else None


def rows(model: Any, X: Any = X) -> Any:
    """What the model takes for these rows: themselves, or all pairs of them."""
    if not get_tags(model).input_tags.pairwise:
        return X
    if model.get_params(deep=False).get("metric") == "precomputed":
        return cdist(X, X)
    return kernels.Gaussian(1.0)(X)


def fitted(model: Any, X: Any, y: Any, **options: Any) -> Any:
    """A clone trained on the rows; whatever it warns of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone(model).fit(X, y, **options)


def answers(model: Any, X: Any) -> np.ndarray:
    """Numbers that tell two models apart."""
    for name in ("decision_function", "predict_proba", "transform", "predict"):
        if hasattr(model, name):
            return np.asarray(getattr(model, name)(X), dtype=np.float64)
    for name in ("embedding_", "labels_"):
        if hasattr(model, name):
            return np.asarray(getattr(model, name), dtype=np.float64)
    raise TypeError(f"{type(model).__name__} answers nothing")
