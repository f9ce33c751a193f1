"""How much two sets differ."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.metrics._base import Floats, Metric, pairwise


class JaccardDistance(Metric):
    """1 - |intersection| / |union| of two sets of tokens; 0 for two empty sets.

    Objects may be sets, lists or tuples; a string is the set of its letters. Its root is Euclidean,
    because |intersection| / |union| is a kernel.
    """

    accepts = frozenset({"strings", "objects"})
    is_metric = True

    def __init__(self) -> None: ...

    def _tile(self, X: Any, Y: Any) -> Floats:
        left = [frozenset(thing) for thing in X]
        right = left if X is Y else [frozenset(thing) for thing in Y]
        return pairwise(_differ, left, right, symmetric=True)

    @classmethod
    def example_data(cls, n: int, rng: np.random.Generator) -> Any:
        """Different subsets of six letters, the empty one among them."""
        sets = [
            "".join(c for c, b in zip("abcdef", f"{i:06b}", strict=True) if b == "1")
            for i in range(n)
        ]
        return np.array(sets, dtype=object)


def _differ(a: frozenset[Any], b: frozenset[Any]) -> float:
    union = len(a | b)
    return 1.0 - len(a & b) / union if union else 0.0
