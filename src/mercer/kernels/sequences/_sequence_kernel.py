"""What kernels on sequences share: the data they take, and normalisation."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mercer._types import Samples
from mercer.kernels._base import Kernel
from mercer.kernels.sequences.encoded import check_sequences

Floats = NDArray[np.float64]


class SequenceKernel(Kernel):
    """A kernel on strings, bytes, lists of tokens or arrays of integers.

    With ``normalize`` the values are cosines, k(x, y) / sqrt(k(x, x) k(y, y)); a sequence too short
    to contain anything that is counted has the zero vector as its image, and value 0 with all.
    """

    accepts = frozenset({"strings", "objects"})
    normalize: bool
    _state_version: ClassVar[int] = 1

    @property
    def bounded(self) -> bool:
        """If normalised."""
        return bool(self.normalize)

    @property
    def sup_norm(self) -> float | None:
        """One if normalised, whatever the data."""
        return 1.0 if self.normalize else None

    def _check(self, X: Samples, name: str = "X") -> None:
        self._check_parameters()
        check_sequences(X, type(self).__name__, name)

    def _check_parameters(self) -> None:
        """Raise if a parameter is impossible."""

    @classmethod
    def example_data(cls, n: int, rng: np.random.Generator) -> Any:
        """Short strings over four letters, of different lengths, one of them empty."""
        words = ["".join(rng.choice(list("ACGT"), size=4 + i % 7)) for i in range(n)]
        data = np.array(words, dtype=object)
        data[2] = ""
        return data


def safe_inverse(lengths: Floats) -> Floats:
    """1 / length, and 0 for the zero vector."""
    return np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
