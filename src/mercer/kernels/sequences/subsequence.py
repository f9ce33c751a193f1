"""Shared subsequences with gaps."""

from __future__ import annotations

from functools import cache
from types import ModuleType

import numpy as np

from mercer import _config
from mercer.kernels.sequences._aligned import AlignedKernel
from mercer.kernels.sequences._sequence_kernel import Floats
from mercer.kernels.sequences.encoded import Encoded
from mercer.kernels.validate import natural, real

LONGEST = 64  # the compiled core's limit


class Subsequence(AlignedKernel):
    """Shared subsequences of ``length`` symbols, gaps allowed but paid for.

    φ_b(v) = Σ λ^(extent) over all places where the symbols of b occur in v in order, the extent
    being last minus first place plus one; k(u, v) = Σ_b φ_b(u) φ_b(v): Herbrich, Learning Kernel
    Classifiers, (2.28), and Lodhi et al. 2002. Work for a pair: ``length`` · |u| · |v|.

    Parameters
    ----------
    length : int
        Symbols of a subsequence, r.
    decay : float
        λ > 0, usually below 1: what one more place of extent costs.
    up_to : bool
        Add the values for 1 to ``length`` symbols instead of exactly ``length``.
    normalize : bool
        Give every sequence length one.

    Examples
    --------
    >>> from mercer.kernels import Subsequence
    >>> Subsequence(2, 0.5, normalize=False)(["gatta"], ["cata"])
    array([[0.1953125]])
    """

    def __init__(
        self, length: int = 3, decay: float = 0.5, up_to: bool = False, normalize: bool = True
    ) -> None:
        self.length = length
        self.decay = decay
        self.up_to = up_to
        self.normalize = normalize

    def _check_parameters(self) -> None:
        if natural(self.length, "Subsequence: length") > LONGEST:
            raise ValueError(f"Subsequence: length={self.length} is more than {LONGEST}")
        real(self.decay, "Subsequence: decay", low=0, closed=False)

    def _weights(self) -> Floats:
        weights = np.zeros(int(self.length))
        weights[0 if self.up_to else -1 :] = 1.0
        return weights

    def _raw(self, left: Encoded, right: Encoded, symmetric: bool) -> Floats:
        core = sequences_core()
        if core is None:
            return subsequence_twin(left, right, self._weights(), float(self.decay))
        if right.n < min(8, left.n) and not symmetric:  # eight of the right at a time
            return self._raw(right, left, False).T
        return core.subsequence(
            left.symbols,
            left.starts,
            right.symbols,
            right.starts,
            self._weights(),
            float(self.decay),
            symmetric,
            threads_for(float(left.lengths.sum()) * float(right.lengths.sum())),
        )

    @classmethod
    def examples(cls) -> list[Subsequence]:
        """Exactly and up to a length."""
        return [cls(3, 0.7, up_to=True), cls(2, 0.8, normalize=False)]


@cache
def _load() -> ModuleType | None:
    try:
        from mercer import _sequences
    except ImportError:
        return None
    return _sequences


def sequences_core() -> ModuleType | None:
    """The compiled module for sequences, or None if it is absent or switched off."""
    return _load() if _config.compiled() else None


def threads_for(cells: float) -> int:
    """Threads for a table of so many cells; 0 if starting one costs more than the work."""
    return 0 if cells < 1e5 else _config.n_threads()


def subsequence_twin(left: Encoded, right: Encoded, weights: Floats, decay: float) -> Floats:
    """The recursion in NumPy, all sequences of the right at once; slow, and the tests' oracle.

    Q_l[i][j] sums decay^(distance of the first symbols to the ends) over pairs of common
    subsequences of l symbols among the first i and j symbols; Q_0 = 1.
    """
    width = int(right.lengths.max(initial=0))
    table = np.full((width, right.n), -1)
    for j in range(right.n):
        own = right.symbols[right.starts[j] : right.starts[j + 1]]
        table[: len(own), j] = own
    values = np.zeros((left.n, right.n))
    for i in range(left.n):
        symbols = left.symbols[left.starts[i] : left.starts[i + 1]]
        previous = np.ones((len(symbols) + 1, width + 1, right.n))
        for size, weight in enumerate(weights, start=1):
            following = np.zeros_like(previous)
            total = np.zeros(right.n)
            for row, symbol in enumerate(symbols, start=1):
                running = np.zeros(right.n)
                for column in range(1, width + 1):
                    equal = table[column - 1] == symbol
                    shared = np.where(equal, previous[row - 1, column - 1], 0.0)
                    total += shared
                    running = decay * running + shared
                    following[row, column] = decay * following[row - 1, column] + running
            values[i] += weight * decay ** (2 * size) * total
            previous = following
    return values
