"""Coordinates of a kernel at landmarks: Φ = k(x, Z) B with B'K(Z, Z)B = 1, in batches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from mercer import _config
from mercer._types import Samples
from mercer.kernels import Kernel
from mercer.kernels.features import inverse_root
from mercer.kernels.structured.from_callable import UserFunction
from mercer.kernels.validate import n_rows, take
from mercer.learners._door import Kind, TrainingSample
from mercer.learners._passes import BLOCK

Floats = NDArray[np.float64]
COORDINATES = 1 << 22  # of a block in single precision 16 MB


@dataclass(frozen=True)
class Landmarks:
    """The kernel, its landmarks and the whitening.

    Of a matrix of kernel values, ``places`` are the columns that stand for the landmarks; ``drawn``
    are the rows that became them, where these were drawn here.
    """

    kernel: Kernel
    rows: Any
    whitening: Floats
    places: NDArray[np.intp] | None = None
    drawn: NDArray[np.intp] | None = None

    @property
    def rank(self) -> int:
        """Number of coordinates: directions in which landmarks depend on each other are gone."""
        return int(self.whitening.shape[1])

    def values(self, X: Any) -> NDArray[Any]:
        """k(x, z) of checked rows."""
        if self.places is not None:
            return np.asarray(X[:, self.places])
        if isinstance(self.kernel, UserFunction):
            return np.asarray(self.kernel.values(X, self.rows))
        dtype = getattr(self.rows, "dtype", None)
        if getattr(X, "dtype", None) != dtype:
            X = X.astype(dtype)
        return self.kernel.tile(X, self.rows)

    def coordinates(self, X: Samples) -> NDArray[Any]:
        """Φ of checked rows, in the precision of the kernel's values."""
        values = self.values(X)
        return values @ self.whitening.astype(values.dtype)

    def blocks(self, rows: int) -> list[slice]:
        """So many rows in blocks whose coordinates are a few megabytes: sums hold three of them."""
        size = max(64, min(BLOCK, COORDINATES // max(1, len(self.whitening))))
        return [slice(start, start + size) for start in range(0, rows, size)]

    @property
    def block(self) -> int:
        """Rows whose coordinates may be held at a time."""
        return min(BLOCK, _config.block_rows(32 * max(1, len(self.whitening))))


def choose_landmarks(
    kernel: Kernel, sample: TrainingSample, many: int, seed: int, whiten: bool = True
) -> Landmarks:
    """Rows of positive weight, drawn at random: all of them if there are no more than ``many``.

    Without whitening there are kernel values, but no coordinates.
    """
    heavy = np.flatnonzero(sample.weight > 0)
    rng = np.random.default_rng(seed)
    chosen = np.sort(rng.choice(heavy, min(many, len(heavy)), replace=False))
    if sample.kind is Kind.GRAM:
        gram = sample.X[np.ix_(chosen, chosen)]
        B = whitened(gram) if whiten else gram[:, :0]
        return Landmarks(kernel, None, B, chosen, chosen)
    whole = sample.kind is Kind.WHOLE  # rows as the user has them: a list, a frame
    rows = _safe_indexing(sample.X, chosen) if whole else take(sample.X, chosen)
    B = whitened(gram_of(kernel, rows)) if whiten else np.zeros((len(chosen), 0))
    return Landmarks(kernel, rows, B, drawn=chosen)


def gram_of(kernel: Kernel, rows: Any) -> NDArray[Any]:
    """K(Z, Z), in the precision that values for other rows have."""
    if isinstance(kernel, UserFunction):
        return np.asarray(kernel.values(rows, rows))
    return kernel.tile(rows, take(rows, np.arange(n_rows(rows))))


def whitened(gram: NDArray[Any]) -> Floats:
    """B, from which directions are left out that the precision of the values cannot tell from 0."""
    return inverse_root(0.5 * (gram + gram.T))
