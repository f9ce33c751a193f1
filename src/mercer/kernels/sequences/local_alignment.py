"""All local alignments of two sequences, weighted by their scores."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.kernels.sequences._aligned import AlignedKernel
from mercer.kernels.sequences._blosum import BLOSUM62
from mercer.kernels.sequences._sequence_kernel import Floats
from mercer.kernels.sequences.encoded import Encoded, encode
from mercer.kernels.sequences.subsequence import sequences_core, threads_for
from mercer.kernels.validate import real


class LocalAlignment(AlignedKernel):
    """k(u, v) = Σ over all local alignments of exp(β · score) (Saigo, Vert, Ueda, Akutsu 2004).

    The Smith-Waterman score is the largest term alone, which is no kernel; the sum over all of
    them is one whenever the matrix exp(β·s) of the substitution scores is positive semi-definite
    (``psd`` says). The values of a sequence with itself are enormous beside the others unless β is
    small: look at ``gram_report(...).diagonal_dominance``.

    Parameters
    ----------
    match, mismatch : float
        Scores of equal and of different symbols.
    gap_open, gap_extend : float
        Costs of the first and of each further symbol of a gap, ≥ 0.
    beta : float
        β > 0: how much the best alignments dominate.
    substitution : None, "blosum62", or mapping from pairs of symbols to scores
        Replaces ``match`` and ``mismatch`` for the pairs it names.
    normalize : bool
        Give every sequence length one.
    """

    def __init__(
        self,
        match: float = 2.0,
        mismatch: float = -1.0,
        gap_open: float = 3.0,
        gap_extend: float = 1.0,
        beta: float = 0.5,
        substitution: Any = None,
        normalize: bool = True,
    ) -> None:
        self.match = match
        self.mismatch = mismatch
        self.gap_open = gap_open
        self.gap_extend = gap_extend
        self.beta = beta
        self.substitution = substitution
        self.normalize = normalize

    @property
    def psd(self) -> bool:
        """Whether exp(β·score) over all symbols, known and other ones, is a kernel."""
        others = [object(), object()]  # two symbols that no table names
        symbols = [*dict.fromkeys(symbol for pair in self._table() for symbol in pair), *others]
        values = np.linalg.eigvalsh(self._factors(symbols))
        return bool(values[0] >= -1e-10 * values[-1])

    def _table(self) -> dict[tuple[Any, Any], float]:
        if self.substitution is None:
            return {}
        if isinstance(self.substitution, str):
            if self.substitution.lower() != "blosum62":
                raise ValueError(
                    f"LocalAlignment: substitution={self.substitution!r} is not known; pass "
                    "'blosum62' or a mapping from pairs of symbols to scores"
                )
            return BLOSUM62
        return dict(self.substitution)

    def _check_parameters(self) -> None:
        for name in ("match", "mismatch"):
            real(getattr(self, name), f"LocalAlignment: {name}")
        for name in ("gap_open", "gap_extend"):
            real(getattr(self, name), f"LocalAlignment: {name}", low=0)
        real(self.beta, "LocalAlignment: beta", low=0, closed=False)
        self._table()

    def _factors(self, symbols: list[Any]) -> Floats:
        scores = np.full((len(symbols), len(symbols)), float(self.mismatch))
        np.fill_diagonal(scores, float(self.match))
        place = {symbol: i for i, symbol in enumerate(symbols)}
        for (a, b), score in self._table().items():
            if a in place and b in place:
                scores[place[a], place[b]] = scores[place[b], place[a]] = score
        return np.exp(float(self.beta) * scores)

    def _encode(self, *samples: Any) -> list[Any]:
        parts, symbols = encode(*samples)
        factors = self._factors(symbols)
        return [_Scored(part, factors) for part in parts]

    def _raw(self, left: Any, right: Any, symmetric: bool) -> Floats:
        """Logarithms: the values themselves overflow."""
        gaps = [float(np.exp(-self.beta * cost)) for cost in (self.gap_open, self.gap_extend)]
        core, a, b = sequences_core(), left.data, right.data
        if core is None:
            return local_alignment_twin(a, b, left.factors, *gaps)
        sides = (a.symbols, a.starts, b.symbols, b.starts)
        threads = threads_for(float(a.lengths.sum()) * float(b.lengths.sum()))
        return core.local_log(*sides, left.factors, *gaps, symmetric, threads)

    def _scaled(self, K: Floats, left: Floats, right: Floats) -> Floats:
        return np.exp(K - (left[:, None] + right[None, :]) / 2)

    def _positive(self, own: Floats) -> NDArray[np.bool_]:
        return np.ones(len(own), dtype=bool)  # the empty alignment always counts

    def _plain(self, raw: Floats) -> Floats:
        if np.max(raw, initial=0.0) > 700:
            raise ValueError(
                f"LocalAlignment: values reach exp({np.max(raw):.0f}), which no number holds; use "
                "normalize=True or a smaller beta"
            )
        return np.exp(raw)

    @classmethod
    def examples(cls) -> list[LocalAlignment]:
        """Plain scores, and a table for some of the pairs."""
        table = {("A", "G"): 0.5, ("C", "T"): 0.5}
        return [cls(), cls(gap_open=2.0, beta=0.3, substitution=table, normalize=False)]


class _Scored:
    """An encoded sample with the factors of its symbols."""

    def __init__(self, data: Encoded, factors: Floats) -> None:
        self.data, self.factors, self.n = data, factors, data.n

    def part(self, rows: slice) -> _Scored:
        return _Scored(self.data.part(rows), self.factors)

    def take(self, index: Any) -> _Scored:
        return _Scored(self.data.take(index), self.factors)


def local_alignment_twin(
    left: Encoded, right: Encoded, factors: Floats, gap_open: float, gap_extend: float
) -> Floats:
    """The recursion cell by cell, without scaling: for short sequences, and the tests' oracle."""
    K = np.empty((left.n, right.n))
    for i in range(left.n):
        s = left.symbols[left.starts[i] : left.starts[i + 1]]
        for j in range(right.n):
            t = right.symbols[right.starts[j] : right.starts[j + 1]]
            M, X, Y = np.zeros((3, len(s) + 1, len(t) + 1))
            for a in range(1, len(s) + 1):
                for b in range(1, len(t) + 1):
                    before = 1.0 + M[a - 1, b - 1] + X[a - 1, b - 1] + Y[a - 1, b - 1]
                    M[a, b] = factors[s[a - 1], t[b - 1]] * before
                    X[a, b] = gap_open * M[a - 1, b] + gap_extend * X[a - 1, b]
                    both = M[a, b - 1] + X[a, b - 1]
                    Y[a, b] = gap_open * both + gap_extend * Y[a, b - 1]
            K[i, j] = np.log(1.0 + M.sum())
    return K
