"""Counts of substrings as sparse columns, for linear models on very many sequences."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from mercer._types import Samples
from mercer.kernels.sequences._counted import counts_matrix, row_squares
from mercer.kernels.sequences._sequence_kernel import safe_inverse
from mercer.kernels.sequences.encoded import Encoded, check_sequences, encode
from mercer.kernels.sequences.kmers import window_codes, window_places
from mercer.kernels.validate import as_objects, natural


class KmerFeatures(TransformerMixin, BaseEstimator):
    """One column per substring of ``length`` symbols that occurs in the training sequences.

    A linear machine on these columns is the machine with the `Spectrum` kernel, at a cost that
    grows with the number of symbols instead of the square of the number of sequences. Substrings
    that were never seen have no column; with ``normalize`` they count for the length that a new
    sequence is divided by, as they do in the kernel.

    Parameters
    ----------
    length : int
    normalize : bool
        Divide by the length of the vector of all counts.
    min_count : int
        Leave out substrings that occur in fewer training sequences.

    Attributes
    ----------
    alphabet_ : list of the symbols seen
    n_features_in_ : 1, a sequence
    """

    _state_version = 1

    def __init__(self, length: int = 5, normalize: bool = True, min_count: int = 1) -> None:
        self.length = length
        self.normalize = normalize
        self.min_count = min_count

    def fit(self, X: Samples, y: ArrayLike | None = None) -> Self:
        """Learn the columns."""
        self.fit_transform(X)
        return self

    def fit_transform(self, X: Samples, y: ArrayLike | None = None, **params: Any) -> Any:
        """Learn the columns and return the CSR matrix of the same sequences."""
        length = natural(self.length, "KmerFeatures: length")
        X = self._checked(X)
        (data,), self.alphabet_ = encode(X)
        if (len(self.alphabet_) + 1.0) ** length > 2.0**62:
            raise ValueError(
                f"KmerFeatures: {len(self.alphabet_)} symbols in {length} places give more "
                "substrings than can be numbered; use a shorter length"
            )
        counts, codes = self._count(data, len(self.alphabet_) + 1)
        kept = counts.count_nonzero(axis=0) >= natural(self.min_count, "KmerFeatures: min_count")
        norms = row_squares(counts)
        self._codes, self.n_features_in_ = codes[kept], 1
        return self._scaled(counts[:, np.flatnonzero(kept)], norms)

    def transform(self, X: Samples) -> Any:
        """CSR matrix of shape (sequences, columns)."""
        check_is_fitted(self)
        (data,), symbols = encode(self._checked(X))
        place = {symbol: i for i, symbol in enumerate(self.alphabet_)}
        strange = len(self.alphabet_)  # one number for all new symbols: no column has it
        table = np.array([place.get(symbol, strange) for symbol in symbols], dtype=np.int32)
        known = table[data.symbols] if len(table) else data.symbols
        counts, codes = self._count(Encoded(known, data.starts, strange + 1), strange + 1)
        if self.normalize and strange in table:  # different new symbols are different after all
            norms = row_squares(self._count(data, data.alphabet)[0])
        else:
            norms = row_squares(counts)
        here = np.searchsorted(self._codes, codes)
        inside = here < len(self._codes)
        inside[inside] = self._codes[here[inside]] == codes[inside]
        mapping = sparse.csr_array(
            (np.ones(inside.sum()), (np.flatnonzero(inside), here[inside])),
            shape=(len(codes), len(self._codes)),
        )
        return self._scaled(sparse.csr_array(counts @ mapping), norms)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """The substring of each column."""
        check_is_fitted(self)
        base, names = max(2, len(self.alphabet_) + 1), []
        for code in self._codes.tolist():
            digits = [(code // base**p) % base for p in range(self.length - 1, -1, -1)]
            symbols = [self.alphabet_[d] for d in digits]
            text = all(isinstance(s, str) for s in symbols)
            joint = "" if all(len(str(s)) == 1 for s in symbols) else " "
            names.append(joint.join(symbols) if text else str(tuple(symbols)))
        return np.array(names, dtype=object)

    def _checked(self, X: Samples) -> Any:
        X = as_objects(X)
        check_sequences(X, "KmerFeatures")
        return X

    def _count(self, data: Encoded, base: int) -> Any:
        length = int(self.length)
        rows, places = window_places(data, length)
        numbered = Encoded(data.symbols, data.starts, base)
        return counts_matrix(rows, window_codes(numbered, length, places), data.n)

    def _scaled(self, counts: Any, norms: Any) -> Any:
        if not self.normalize:
            return counts
        return sparse.csr_array(sparse.diags_array(safe_inverse(np.sqrt(norms))) @ counts)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        return tags
