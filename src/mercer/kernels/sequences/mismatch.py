"""Shared substrings, a few symbols of which may differ."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mercer import _config
from mercer._types import Samples
from mercer.kernels.sequences._alphabet import ReadAlphabet, read_alphabet
from mercer.kernels.sequences._counted import CountedKernel, counts_matrix, ranked, split_rows
from mercer.kernels.sequences._sequence_kernel import safe_inverse
from mercer.kernels.sequences.encoded import Encoded, encode, lengths_of
from mercer.kernels.sequences.kmers import joined, window_places
from mercer.kernels.validate import n_rows, natural

Ints = NDArray[np.int64]
_SMALL = 1024  # words up to which a table of all of them is quicker than a sparse matrix
_NOTICEABLE = 100_000  # neighbours: less than that is no memory to speak of


class Mismatch(CountedKernel):
    """Substrings of ``length`` symbols shared up to ``mismatches`` replaced ones (Leslie 2004).

    φ_b(v) counts the windows of v that differ from b in at most m places, for all b over the
    alphabet, and k(u, v) = Σ_b φ_b(u) φ_b(v). With m = 0 it is `Spectrum`.

    Parameters
    ----------
    length : int
    mismatches : int
        m < length.
    alphabet : str, sequence of symbols, or None
        The symbols that may be put in. None: those of the training sample, read by ``resolve`` as
        learners do. A window with another symbol, such as N in DNA, is left out.
    normalize : bool
        Give every sequence length one.

    Examples
    --------
    >>> from mercer.kernels import Mismatch
    >>> Mismatch(2, 1, "AB", normalize=False)(["AA"], ["AB"])
    array([[2.]])
    """

    def __init__(
        self,
        length: int = 4,
        mismatches: int = 1,
        alphabet: Any = None,
        normalize: bool = True,
    ) -> None:
        self.length = length
        self.mismatches = mismatches
        self.alphabet = alphabet
        self.normalize = normalize

    @property
    def data_dependent(self) -> bool:
        """Whether the alphabet is, or was, read off the data."""
        return self.alphabet is None or isinstance(self.alphabet, ReadAlphabet)

    def _resolved(self, X: Samples) -> dict[str, Any]:
        return {"alphabet": read_alphabet(X)} if self.alphabet is None else {}

    def _check_parameters(self) -> None:
        length = natural(self.length, "Mismatch: length")
        if natural(self.mismatches, "Mismatch: mismatches", low=0) >= length:
            raise ValueError(
                f"Mismatch: mismatches={self.mismatches} of length={length} symbols leave nothing "
                "to share; choose fewer"
            )
        if self.alphabet is None:
            raise ValueError(
                "Mismatch: alphabet=None means the symbols of the training sample; call "
                "kernel.resolve(X_train) first (learners and Gram objects do), or name them, as in "
                "Mismatch(4, 1, 'ACGT')"
            )
        if (len(self.alphabet) + 0.0) ** length > 2.0**62:
            raise ValueError(
                f"Mismatch: {len(self.alphabet)} symbols in {length} places give more words than "
                "can be numbered; use a smaller alphabet or length"
            )

    def _counts(self, samples: tuple[Any, ...]) -> list[Any]:
        n, rows, codes = self._windows(samples)
        counts, words = counts_matrix(rows, codes, n)
        neighbours = neighborhood(words, int(self.length), int(self.mismatches), len(self.alphabet))
        return split_rows(sparse.csr_array(counts @ neighbours), samples)

    def _matrix(self, X: Samples, Y: Samples) -> NDArray[Any]:
        """Where all words fit into a small table, without sparse matrices: few strings, quickly."""
        words = len(self.alphabet) ** int(self.length)
        samples = (X,) if X is Y else (X, Y)
        rows = sum(n_rows(sample) for sample in samples)
        if words > _SMALL or 8 * rows * words > _config.memory_limit() // 8:
            return super()._matrix(X, Y)
        n, row, code = self._windows(samples)
        counts = np.bincount(row * words + code, minlength=n * words).reshape(n, words)
        near = dense_neighborhood(int(self.length), int(self.mismatches), len(self.alphabet))
        features = counts @ near  # whole numbers in float64: exact
        if self.normalize:
            features *= safe_inverse(np.sqrt(np.einsum("ij,ij->i", features, features)))[:, None]
        left = features[: n_rows(X)]
        return left @ (left if X is Y else features[n_rows(X) :]).T

    def _windows(self, samples: tuple[Any, ...]) -> tuple[int, Ints, Ints]:
        """Number of sequences; sequence and number of each window over the alphabet."""
        parts, symbols = encode(*samples)
        data = joined(parts)
        position = {symbol: i for i, symbol in enumerate(self.alphabet)}
        known = np.array([position.get(symbol, -1) for symbol in symbols], dtype=np.int64)
        rows, codes = _known_windows(data, int(self.length), known, len(self.alphabet))
        return data.n, rows, codes

    def _occupied(self, X: Any) -> Any:
        if all(isinstance(thing, str) for thing in X) and set("".join(X)) <= set(self.alphabet):
            return lengths_of(X) >= int(self.length)
        n, rows, _ = self._windows((X,))
        return np.bincount(rows, minlength=n) > 0

    def _tile_gradient(self, X: Samples, Y: Samples) -> dict[str, Any]:
        return {}

    @classmethod
    def examples(cls) -> list[Mismatch]:
        """Two mismatches, and an alphabet that leaves out symbols of the data."""
        return [cls(4, 2, "ACGT", normalize=False), cls(2, 1, "ACG")]


def _known_windows(data: Encoded, length: int, known: Ints, base: int) -> tuple[Ints, Ints]:
    """Row and number of each window whose symbols are all in the alphabet."""
    rows, places = window_places(data, length)
    symbols = known[data.symbols] if len(known) else data.symbols.astype(np.int64)
    codes, good = np.zeros(len(places), dtype=np.int64), np.ones(len(places), dtype=bool)
    for offset in range(length):
        here = symbols[places + offset]
        good &= here >= 0
        codes = codes * base + here
    return rows[good], codes[good]


def neighborhood(words: Ints, length: int, mismatches: int, base: int) -> Any:
    """CSR of shape (words, all neighbours): 1 where a word differs in at most so many places."""
    powers = base ** np.arange(length - 1, -1, -1, dtype=np.int64)
    digits = (words[:, None] // powers) % base
    sources, targets = [np.arange(len(words))], [words]
    size = _neighbours(length, mismatches, base) * len(words)
    if size > _NOTICEABLE:
        _config.reserve(
            40 * size,
            f"The {size:,} neighbours of {len(words):,} different windows",
            "Use fewer mismatches, a shorter length or a smaller alphabet.",
        )
    for count in range(1, mismatches + 1):
        for where in combinations(range(length), count):
            for steps in product(range(1, base), repeat=count):
                moved = words.copy()
                for place, step in zip(where, steps, strict=True):
                    new = (digits[:, place] + step) % base
                    moved += (new - digits[:, place]) * powers[place]
                sources.append(sources[0])
                targets.append(moved)
    columns, number = ranked(np.concatenate(targets))
    ones = np.ones(len(number))
    places = (np.concatenate(sources), number)
    return sparse.coo_array((ones, places), shape=(len(words), len(columns))).tocsr()


@lru_cache(maxsize=8)
def dense_neighborhood(length: int, mismatches: int, base: int) -> NDArray[np.float64]:
    """The same for all words over a small alphabet, as a matrix of zeros and ones."""
    words = np.arange(base**length, dtype=np.int64)
    found = neighborhood(words, length, mismatches, base).toarray()
    found.setflags(write=False)
    return found


def _neighbours(length: int, mismatches: int, base: int) -> int:
    from math import comb

    return sum(comb(length, m) * (base - 1) ** m for m in range(mismatches + 1))
