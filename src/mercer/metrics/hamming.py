"""In how many places two sequences differ."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from mercer.kernels.sequences.encoded import check_sequences, encode
from mercer.metrics._base import Floats, Metric


class Hamming(Metric):
    """The number of places where two sequences of one length differ; with ``share`` divided by it.

    The distance is its own square on 0/1 differences, so its root is Euclidean; itself it is not.
    """

    accepts = frozenset({"strings", "objects"})
    is_metric = True

    def __init__(self, share: bool = False) -> None:
        self.share = share

    def _check(self, X: Any, name: str = "X") -> None:
        check_sequences(X, "Hamming", name)
        lengths = [len(thing) for thing in X]
        other = next((i for i, n in enumerate(lengths) if n != lengths[0]), None)
        if other is not None:
            raise ValueError(
                f"Hamming compares sequences of one length, but {name}[0] has {lengths[0]} symbols "
                f"and {name}[{other}] has {lengths[other]}; use mercer.metrics.Edit"
            )

    def _tile(self, X: Any, Y: Any) -> Floats:
        if len(X[0]) != len(Y[0]):
            raise ValueError(f"Hamming: X has {len(X[0])} symbols per sequence and Y {len(Y[0])}")
        if len(X[0]) == 0:
            return np.zeros((len(X), len(Y)))
        left, right = (part.symbols.reshape(part.n, -1) for part in encode(X, Y)[0])
        shares = cdist(left, right, "hamming")
        return shares if self.share else np.rint(shares * left.shape[1])

    @classmethod
    def examples(cls) -> list[Hamming]:
        """Counts and shares."""
        return [cls(), cls(share=True)]

    @classmethod
    def example_data(cls, n: int, rng: np.random.Generator) -> Any:
        """Different strings of length six."""
        return np.array([f"{i:06b}" for i in rng.permutation(64)[:n]], dtype=object)
