"""Kernels that count shared substrings: of one length, and of all lengths up to one."""

from __future__ import annotations

from typing import Any

from scipy import sparse

from mercer._types import Samples
from mercer.kernels.sequences._counted import CountedKernel, counts_matrix, split_rows
from mercer.kernels.sequences.encoded import encode, lengths_of
from mercer.kernels.sequences.kmers import joined, window_codes, window_places
from mercer.kernels.validate import natural, real


class Spectrum(CountedKernel):
    """Shared substrings of exactly ``length`` symbols (Leslie et al. 2002).

    k(u, v) = Σ_b count_b(u) count_b(v) over all b of ``length`` symbols, overlapping occurrences
    counted. The work grows linearly with the data: windows are turned into sparse counts.

    Parameters
    ----------
    length : int
        Symbols of a substring, the k of "k-mer".
    normalize : bool
        Give every sequence length one, so that long ones do not dominate.

    Examples
    --------
    >>> from mercer.kernels import Spectrum
    >>> Spectrum(2, normalize=False)(["gatta"], ["cata"])
    array([[2.]])
    """

    def __init__(self, length: int = 3, normalize: bool = True) -> None:
        self.length = length
        self.normalize = normalize

    def _check_parameters(self) -> None:
        natural(self.length, "Spectrum: length")

    def _counts(self, samples: tuple[Any, ...]) -> list[Any]:
        data = joined(encode(*samples)[0])
        rows, places = window_places(data, int(self.length))
        codes = window_codes(data, int(self.length), places)
        return split_rows(counts_matrix(rows, codes, data.n)[0], samples)

    def _occupied(self, X: Samples) -> Any:
        return lengths_of(X) >= int(self.length)

    def _tile_gradient(self, X: Samples, Y: Samples) -> dict[str, Any]:
        return {}

    @classmethod
    def examples(cls) -> list[Spectrum]:
        """Counts, and cosines."""
        return [cls(2), cls(3, normalize=False)]


class Substring(CountedKernel):
    """Shared substrings of 1 to ``length`` symbols, weighted by their length.

    k(u, v) = Σ_{s=1..r} λ^{2s} · (pairs of equal windows of s symbols): Herbrich, Learning Kernel
    Classifiers, (2.25). λ < 1 favours short matches, λ > 1 long ones.

    Parameters
    ----------
    length : int
        The longest substring, r.
    decay : float
        λ > 0.
    normalize : bool
        Give every sequence length one.

    Examples
    --------
    >>> from mercer.kernels import Substring
    >>> Substring(2, 0.5, normalize=False)(["gatta"], ["cata"])
    array([[1.625]])
    """

    def __init__(self, length: int = 3, decay: float = 0.5, normalize: bool = True) -> None:
        self.length = length
        self.decay = decay
        self.normalize = normalize

    def _check_parameters(self) -> None:
        natural(self.length, "Substring: length")
        real(self.decay, "Substring: decay", low=0, closed=False)

    def _counts(self, samples: tuple[Any, ...]) -> list[Any]:
        data = joined(encode(*samples)[0])
        blocks = []
        for size in range(1, int(self.length) + 1):
            rows, places = window_places(data, size)
            counts, _ = counts_matrix(rows, window_codes(data, size, places), data.n)
            blocks.append(counts * float(self.decay) ** size)
        return split_rows(sparse.hstack(blocks, format="csr"), samples)

    def _occupied(self, X: Samples) -> Any:
        return lengths_of(X) >= 1

    @classmethod
    def examples(cls) -> list[Substring]:
        """Long matches favoured, and short ones."""
        return [cls(3, 1.2), cls(2, 0.7, normalize=False)]
