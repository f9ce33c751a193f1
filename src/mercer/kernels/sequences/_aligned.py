"""Kernels whose values come from a table over all pairs of positions: no short feature vectors."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer import _config
from mercer._types import Samples
from mercer.kernels.sequences._sequence_kernel import Floats, SequenceKernel, safe_inverse
from mercer.kernels.sequences.encoded import Encoded, encode

_WHOLE = 5000  # up to so many objects the whole Gram is computed once, by symmetry


class AlignedKernel(SequenceKernel):
    """A kernel with an expensive value for every pair; a subclass writes ``_raw``."""

    @abstractmethod
    def _raw(self, left: Any, right: Any, symmetric: bool) -> Floats:
        """Values of all pairs before normalisation; ``symmetric``: both sides are the same."""

    def _encode(self, *samples: Any) -> list[Any]:
        return encode(*samples)[0]

    def _own(self, data: Any) -> Floats:
        """k(x, x) before normalisation, one sequence at a time."""
        single = (data.part(slice(i, i + 1)) for i in range(data.n))
        return np.array([self._raw(one, one, True)[0, 0] for one in single])

    def _scaled(self, K: Floats, left: Floats, right: Floats) -> Floats:
        """The raw values, normalised with the raw k(x, x) of both sides."""
        roots = safe_inverse(np.sqrt(left))[:, None], safe_inverse(np.sqrt(right))[None, :]
        return K * roots[0] * roots[1]

    def _positive(self, own: Floats) -> NDArray[np.bool_]:
        """Which raw k(x, x) belong to an image other than zero."""
        return own > 0

    def _plain(self, raw: Floats) -> Floats:
        """Raw values as kernel values, when nothing is normalised."""
        return raw

    def _tile(self, X: Samples, Y: Samples) -> NDArray[Any]:
        if X is Y:
            return self._square(self._encode(X)[0])
        left, right = self._encode(X, Y)
        raw = self._raw(left, right, False)
        if not self.normalize:
            return self._plain(raw)
        return self._scaled(raw, self._own(left), self._own(right))

    def _square(self, data: Any) -> Floats:
        raw = self._raw(data, data, True)
        own = np.diagonal(raw).copy()
        return self._scaled(raw, own, own) if self.normalize else self._plain(raw)

    def _matrix(self, X: Samples, Y: Samples) -> NDArray[Any]:
        return self._tile(X, Y)  # its temporary arrays are no larger than the result

    def _diag(self, X: Samples) -> Floats:
        own = self._own(self._encode(X)[0])
        return self._positive(own).astype(np.float64) if self.normalize else self._plain(own)

    def bind(self, X: Samples) -> Any:
        """Tiles by index; a sample of moderate size is computed whole, each pair once."""
        return AlignedSample(self, self._encode(X)[0])


class AlignedSample:
    """Tiles of one encoded sample; norms, and the matrix if it is small, are kept."""

    fused = None

    def __init__(self, kernel: AlignedKernel, data: Encoded) -> None:
        self.kernel, self.data = kernel, data
        self._own: Floats | None = None
        self._whole: Floats | None = None

    def tile(self, rows: Any, columns: Any) -> NDArray[Any]:
        """K(X[rows], X[columns])."""
        n = self.data.n
        if n <= _WHOLE and 4 * 8 * n * n <= _config.memory_limit():
            if self._whole is None:
                self._whole = self.kernel._square(self.data)
            i, j = np.arange(n)[rows], np.arange(n)[columns]
            return self._whole[np.ix_(i, j)]
        raw = self.kernel._raw(self.data.take(rows), self.data.take(columns), False)
        if not self.kernel.normalize:
            return self.kernel._plain(raw)
        if self._own is None:
            self._own = self.kernel._own(self.data)
        return self.kernel._scaled(raw, self._own[rows], self._own[columns])
