"""Substrings shared at the same place: for sequences that are aligned to each other."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mercer._types import Samples
from mercer.kernels.sequences._counted import CountedKernel, counts_matrix, ranked, split_rows
from mercer.kernels.sequences.encoded import Encoded, encode, lengths_of
from mercer.kernels.sequences.kmers import joined, window_codes, window_places
from mercer.kernels.validate import natural

Ints = NDArray[np.int64]


class WeightedDegree(CountedKernel):
    """Substrings of 1 to ``length`` symbols shared at the same position (Rätsch, Sonnenburg 2004).

    k(u, v) = Σ_{s=1..r} β_s Σ_{i,j} (1 - |i-j|/(shift+1))_+ [window of s symbols at i of u equals
    that at j of v], β_s = 2(r-s+1)/(r(r+1)). With ``shift=0`` only windows at the same position
    count. For sequences cut around a common point, such as a splice site or the start of a gene,
    where `Spectrum` would forget where a substring stood. Positions count from the left end.

    Parameters
    ----------
    length : int
        The longest substring, r.
    shift : int
        From how many positions apart on a shared substring counts for nothing, less one.
    normalize : bool
        Give every sequence length one.

    Examples
    --------
    >>> from mercer.kernels import WeightedDegree
    >>> WeightedDegree(1, normalize=False)(["GATTACA"], ["CATTGAC"])
    array([[3.]])
    """

    def __init__(self, length: int = 3, shift: int = 0, normalize: bool = True) -> None:
        self.length = length
        self.shift = shift
        self.normalize = normalize

    def _check_parameters(self) -> None:
        natural(self.length, "WeightedDegree: length")
        natural(self.shift, "WeightedDegree: shift", low=0)

    def _counts(self, samples: tuple[Any, ...]) -> list[Any]:
        data = joined(encode(*samples)[0])
        blocks = []
        for size in range(1, int(self.length) + 1):
            rows, _, codes = self._placed(data, size)
            blocks.append(counts_matrix(rows, codes, data.n)[0] * self._scale(size))
        return split_rows(sparse.hstack(blocks, format="csr"), samples)

    def _scale(self, size: int) -> float:
        r = int(self.length)
        return float(np.sqrt(2.0 * (r - size + 1) / (r * (r + 1)) / (int(self.shift) + 1)))

    def _placed(self, data: Encoded, size: int) -> tuple[Ints, Ints, Ints]:
        """Sequence, position and number of each window, once for each place it may stand for.

        A window at i stands for the places i to i + shift; two windows at i and j then have
        shift + 1 - |i-j| places in common, which makes the kernel an inner product.
        """
        rows, places = window_places(data, size)
        position = places - data.starts[rows]
        words = ranked(window_codes(data, size, places))[1].astype(np.int64)
        wide = int(self.shift) + 1
        width = int(position.max(initial=0)) + wide
        codes = (words * width + position)[:, None] + np.arange(wide)
        return np.repeat(rows, wide), np.repeat(position, wide), codes.ravel()

    def window_values(self, support: Any, weight: Any, sequence: Any) -> list[NDArray[Any]]:
        """For each window size, Σ_i weight_i <φ(x_i), the window at each position of one sequence>.

        Before normalisation. `mercer.kernels.contributions` hands them to the symbols.
        """
        data = joined(encode(support, sequence)[0])
        found = []
        for size in range(1, int(self.length) + 1):
            rows, position, codes = self._placed(data, size)
            own = rows == data.n - 1
            _, number = ranked(codes)
            of_code = np.bincount(number[~own], weight[rows[~own]], minlength=number.max() + 1)
            count = max(0, int(data.lengths[-1]) - size + 1)
            shares = np.bincount(position[own], of_code[number[own]], minlength=count)
            found.append(shares * self._scale(size) ** 2)
        return found

    def _occupied(self, X: Samples) -> Any:
        return lengths_of(X) >= 1

    def _tile_gradient(self, X: Samples, Y: Samples) -> dict[str, Any]:
        return {}

    @classmethod
    def examples(cls) -> list[WeightedDegree]:
        """Strictly in place, and two positions of play."""
        return [cls(3), cls(2, shift=2, normalize=False)]
