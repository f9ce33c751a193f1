"""Small samples of two columns and two classes to play with, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer import datasets

Floats = NDArray[np.float64]
MOST = 2000


@dataclass(frozen=True)
class Sample:
    """Points, signs, names of the axes, and the law they come from, if it is known."""

    X: Floats
    signs: Floats
    axes: tuple[str, str] = ("x", "y")
    law: Any = None


def _drawn(make: Callable[..., Any], **options: Any) -> Callable[[int, int], Sample]:
    def draw(n: int, seed: int) -> Sample:
        X, y, law = make(n, random_state=seed, **options)
        return Sample(np.asarray(X, float), np.where(np.asarray(y) > 0, 1.0, -1.0), law=law)

    return draw


def _iris(n: int, seed: int) -> Sample:
    table = datasets.load_iris()
    rows = table.y > 0  # versicolor against virginica
    X, y = table.X[rows][:, 2:], table.y[rows]
    return _some(X, y == 2, n, seed, ("petal length, cm", "petal width, cm"))


def _cancer(n: int, seed: int) -> Sample:
    from mercer.learners.spectral.pca import PCA

    table = datasets.load_breast_cancer()
    Z = (table.X - table.X.mean(axis=0)) / table.X.std(axis=0)
    plane = PCA(n_components=2).fit_transform(Z)
    return _some(plane, table.y == 1, n, seed, ("component 1", "component 2"))


def _some(X: Any, positive: Any, n: int, seed: int, axes: tuple[str, str]) -> Sample:
    order = np.random.default_rng(seed).permutation(len(X))[:n]
    return Sample(np.asarray(X, float)[order], np.where(positive, 1.0, -1.0)[order], axes)


SAMPLES: dict[str, Callable[[int, int], Sample]] = {
    "two moons": _drawn(datasets.make_moons, scale=0.25),
    "two clouds": _drawn(datasets.make_gaussian, d=2, distance=3.0),
    "crossed": _drawn(datasets.make_xor),
    "banana": _drawn(datasets.make_banana),
    "iris": _iris,
    "breast cancer": _cancer,
}


def draw(name: str, n: int, seed: int) -> Sample:
    """A sample by its name; real tables have as many rows as they have."""
    return SAMPLES[name](n, seed)
