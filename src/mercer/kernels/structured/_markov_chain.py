"""Markov chains on sequences, with the score of their transition probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._types import Samples
from mercer.kernels.sequences.encoded import check_sequences, encode
from mercer.kernels.validate import real

Floats = NDArray[np.float64]


@dataclass
class MarkovChain:
    """Sequences whose next symbol depends on the last one: P(first) and P(next | last)."""

    alphabet: tuple[Any, ...]
    first: Floats
    transition: Floats
    length: int = 50  # of the sequences that `sample` draws
    data_dependent: bool = False  # whether a kernel fitted it to the rows it is used on

    accepts = frozenset({"strings", "objects"})

    @classmethod
    def fit(cls, sequences: Any, smoothing: float = 1.0) -> MarkovChain:
        """Counts plus ``smoothing``, divided by their sums."""
        check_sequences(sequences, "MarkovChain")
        real(smoothing, "MarkovChain: smoothing", low=0)
        (data,), alphabet = encode(sequences)
        k = len(alphabet)
        if not k:
            raise ValueError("MarkovChain.fit: all sequences are empty, there is no symbol")
        starts = data.symbols[data.starts[:-1][data.lengths > 0]]
        first = np.bincount(starts, minlength=k) + smoothing
        counts = np.zeros((k, k)) + smoothing
        inside = np.ones(len(data.symbols), dtype=bool)
        inside[data.starts[:-1][data.lengths > 0]] = False
        after = np.flatnonzero(inside)
        np.add.at(counts, (data.symbols[after - 1], data.symbols[after]), 1.0)
        middle = int(np.median(data.lengths))
        return cls(
            tuple(alphabet), first / first.sum(), counts / counts.sum(axis=1)[:, None], middle
        )

    def scores(self, X: Samples) -> Floats:
        """Gradient in the logarithms of the (soft-max) parameters: counts minus expectations.

        A symbol that the model does not know breaks the sequence: it has no transitions.
        """
        check_sequences(X, "MarkovChain")
        (data,), symbols = encode(X)
        place = {symbol: i for i, symbol in enumerate(self.alphabet)}
        known = np.array([place.get(s, -1) for s in symbols] or [0], dtype=np.int64)
        k = len(self.alphabet)
        rows = np.zeros((data.n, k + k * k))
        for i in range(data.n):
            own = known[data.symbols[data.starts[i] : data.starts[i + 1]]]
            if len(own) and own[0] >= 0:
                rows[i, :k] = -self.first
                rows[i, own[0]] += 1.0
            good = (own[:-1] >= 0) & (own[1:] >= 0)
            counts = np.zeros((k, k))
            np.add.at(counts, (own[:-1][good], own[1:][good]), 1.0)
            rows[i, k:] = (counts - counts.sum(axis=1)[:, None] * self.transition).ravel()
        return rows

    def sample(self, n: int, rng: np.random.Generator) -> Any:
        """Draw sequences of ``length`` symbols."""
        k, steps = len(self.alphabet), np.cumsum(self.transition, axis=1)
        found = np.empty(n, dtype=object)
        for i in range(n):
            state = int(rng.choice(k, p=self.first))
            walk = [state]
            for u in rng.random(max(0, self.length - 1)):
                state = min(int(np.searchsorted(steps[state], u)), k - 1)
                walk.append(state)
            found[i] = [self.alphabet[s] for s in walk]
        return found
