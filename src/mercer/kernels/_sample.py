"""A kernel on a fixed sample, addressed by index: what a Gram object asks for tiles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mercer import _config
from mercer.kernels.fused import native
from mercer.kernels.validate import take

if TYPE_CHECKING:
    from mercer.kernels._base import Kernel


class Sample:
    """Tiles ``K(X[I], X[J])`` of one sample.

    Work that depends on the sample alone is done once here: shifting and scaling for the compiled
    core. Composite kernels keep their per-object statistics in the same way.
    """

    def __init__(self, kernel: Kernel, X: Any) -> None:
        self.kernel = kernel
        self.X = X
        self.fused = None if sparse.issparse(X) else kernel.fused_for(X)
        self._prepared: NDArray[np.floating] | None = None

    def tile(self, rows: Any, columns: Any) -> NDArray[Any]:
        """K(X[rows], X[columns]); either may be a slice or an integer array."""
        core = native()
        if self.fused is None or core is None:
            return self.kernel._values(take(self.X, rows), take(self.X, columns))
        if self._prepared is None:
            self._prepared = self.fused.prepare(self.X, self.fused.shift(self.X))
        left = np.ascontiguousarray(take(self._prepared, rows))
        right = np.ascontiguousarray(take(self._prepared, columns))
        threads = _config.n_threads()
        return core.kernel_tile(left, right, self.fused.family, self.fused.params, threads)
