"""Products with a kernel matrix in single precision, and how far off they are.

For who wants to know on which side of a boundary a row lies: most rows lie so far from it that
single precision tells, in half the time or less, and the others can be looked at again.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mercer import _config
from mercer.kernels._base import Kernel
from mercer.kernels.fused import Fused, native

Floats = NDArray[np.float64]

_WORTH = 2_000_000  # kernel values; fewer take no time anyway
_CHECKED = 48  # rows computed in both precisions
_SAFETY = (
    16.0  # times the largest error seen: errors of other rows are of that size, not larger by far
)
_ROUNDING = float(np.finfo(np.float32).eps)


def rough_product(kernel: Kernel, X: Any, Y: Any, V: Floats) -> tuple[Floats, float] | None:
    """K(X, Y) @ V in single precision and a limit of its error, or None where that gains nothing.

    The limit is measured: `_CHECKED` rows, spread over X and with the one farthest from the centre
    among them, are computed in double precision as well.
    """
    fused, core = kernel.fused_for(X), native()
    if fused is None or core is None or not fused.gains_by_single:
        return None
    if sparse.issparse(X) or X.dtype != np.float64 or X.shape[0] * Y.shape[0] < _WORTH:
        return None
    found = _product(fused, core, X, Y, V)
    if found is None:
        return None
    product, farthest = found
    checked = np.unique(np.r_[np.linspace(0, len(X) - 1, _CHECKED).astype(np.intp), farthest])
    exact = kernel._matmul(np.ascontiguousarray(X[checked]), Y, V, same=False)
    error = float(np.max(np.abs(product[checked] - exact), initial=0.0))
    floor = _ROUNDING * float(np.sqrt(np.max(np.einsum("ij,ij->j", V, V), initial=0.0)))
    limit = _SAFETY * max(error, floor)
    return (product, limit) if np.isfinite(limit) else None


def _product(
    fused: Fused, core: ModuleType, X: Floats, Y: Floats, V: Floats
) -> tuple[Floats, int] | None:
    """The product, and the row that lies farthest out; None if single precision overflows."""
    shift = fused.shift(Y)
    with np.errstate(over="ignore"):
        left, right = (fused.prepare(rows, shift).astype(np.float32) for rows in (X, Y))
    squares = np.einsum("ij,ij->i", left, left)
    if not (np.isfinite(squares).all() and np.isfinite(right).all()):
        return None
    columns = np.ascontiguousarray(V)
    product = core.single_matmul(
        left, right, columns, fused.family, fused.params, _config.n_threads()
    )
    return product, int(np.argmax(squares))
