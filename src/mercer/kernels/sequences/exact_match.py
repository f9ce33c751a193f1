"""The kernel that only asks whether two objects are equal."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from mercer._types import Samples
from mercer.kernels.sequences._counted import CountedKernel, split_rows
from mercer.kernels.validate import n_rows


class ExactMatch(CountedKernel):
    """k(u, v) = 1 if u = v, else 0.

    By itself it learns nothing about new objects; as a part of a sum it is the effect of an
    identity or a category.

    Examples
    --------
    >>> from mercer.kernels import ExactMatch
    >>> ExactMatch()(["red", "blue"], ["red"])
    array([[1.],
           [0.]])
    """

    normalize = True

    def __init__(self) -> None: ...

    def _check(self, X: Any, name: str = "X") -> None:
        for i, thing in enumerate(X):
            if thing is None or thing is np.nan:
                raise ValueError(f"ExactMatch: {name}[{i}] is missing ({thing!r})")

    def _counts(self, samples: tuple[Any, ...]) -> list[Any]:
        numbers: dict[Any, int] = {}
        index = [
            numbers.setdefault(_key(thing), len(numbers)) for sample in samples for thing in sample
        ]
        total = sum(n_rows(sample) for sample in samples)
        places = (np.arange(total), np.array(index, dtype=np.int64))
        ones = sparse.coo_array((np.ones(total), places), shape=(total, len(numbers)))
        return split_rows(ones.tocsr(), samples)

    def _tile_gradient(self, X: Samples, Y: Samples) -> dict[str, Any]:
        return {}


def _key(thing: Any) -> Any:
    """Something hashable that is equal exactly when the objects are."""
    if isinstance(thing, np.ndarray):
        return ("sequence", *(_key(part) for part in thing.tolist()))
    if isinstance(thing, (list, tuple)):
        return ("sequence", *(_key(part) for part in thing))
    return thing
