"""Rows of a streamed kernel matrix, remembered while memory lasts."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer import _config
from mercer.gram._base import Gram
from mercer.kernels import Kernel


class CachedGram(Gram):
    """Another Gram whose recently used rows are kept, least recently used out first.

    Parameters
    ----------
    gram : Gram
        Where rows come from.
    memory_limit : bytes or "500MB", optional
        For the rows. By default a quarter of the limit that ``gram`` has.

    Attributes
    ----------
    hits, misses : int
        How many rows were found, and how many had to be computed.
    """

    def __init__(self, gram: Gram, memory_limit: float | str | None = None) -> None:
        self.gram = gram
        self.n, self.dtype, self.kernel = gram.n, gram.dtype, gram.kernel
        self.memory_limit = gram.memory_limit
        self._limit = memory_limit
        allowed = memory_limit or _config.memory_limit(gram.memory_limit) // 4
        self.capacity = _config.parse_bytes(allowed) // (self.n * self.dtype.itemsize)
        self.hits = self.misses = 0
        self._rows: OrderedDict[int, NDArray[Any]] = OrderedDict()

    def rows(self, index: Any) -> NDArray[Any]:
        """Whole rows; the missing ones are computed in one go."""
        index = np.arange(self.n)[np.atleast_1d(index)]
        found = {int(i): self._rows[int(i)] for i in index if int(i) in self._rows}
        missing = [i for i in dict.fromkeys(map(int, index)) if i not in found]
        if missing:
            found.update(zip(missing, self.gram.rows(missing), strict=True))
        self.hits += len(index) - len(missing)
        self.misses += len(missing)
        for i in dict.fromkeys(map(int, index)):
            self._remember(i, found[i])
        return np.stack([found[int(i)] for i in index])

    def _remember(self, i: int, row: NDArray[Any]) -> None:
        if self.capacity < 1:
            return
        # A copy: a view would keep the whole block of rows alive, and break the limit.
        self._rows[i] = self._rows[i] if i in self._rows else row.copy()
        self._rows.move_to_end(i)
        while len(self._rows) > self.capacity:
            self._rows.popitem(last=False)

    def tile(self, rows: Any, columns: Any) -> NDArray[Any]:
        """Entries of the given rows and columns, from rows at hand if they are all there."""
        index = np.arange(self.n)[rows]
        if all(int(i) in self._rows for i in index):
            return self.rows(index)[:, columns]
        return self.gram.tile(rows, columns)

    def matmul(self, V: Any) -> NDArray[np.float64]:
        """K @ V, by the Gram underneath: a pass over all rows would empty the cache."""
        return self.gram.matmul(V)

    def diag(self) -> NDArray[Any]:
        """The diagonal."""
        return self.gram.diag()

    def subset(self, index: Any) -> CachedGram:
        """The Gram matrix of some of the objects, with a cache of its own."""
        return CachedGram(self.gram.subset(index), self._limit)

    def nbytes(self) -> int:
        """Bytes of the rows kept, and of the Gram underneath."""
        return sum(row.nbytes for row in self._rows.values()) + self.gram.nbytes()

    @property
    def X(self) -> Any:
        """The sample underneath."""
        return getattr(self.gram, "X", None)

    kernel: Kernel | None
