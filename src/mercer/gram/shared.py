"""Gram matrices of many kernels on one sample: what they have in common is computed once."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mercer import _config
from mercer.kernels import Fused, Kernel
from mercer.kernels.fused import native

_PRODUCTS = frozenset({"linear", "polynomial", "sigmoid", "gaussian"})
_ROOTS = frozenset(
    {"matern12", "matern32", "matern52"}
)  # functions of the distance, not its square
_SUMS = frozenset({"laplacian", "intersection", "jaccard"})  # functions of |x - y|_1


class Pairs(NamedTuple):
    """<x, y> or |x - y|_1 of all pairs of rows, and |x|^2 or the sum of each row."""

    values: NDArray[Any]
    norms: NDArray[Any]


class SharedGrams:
    """Kernel matrices of one sample, one kernel after the other.

    Families that the compiled core knows are functions of the inner products of the rows, or of
    their city-block distances. Those are kept, so another bandwidth costs one sweep over them,
    however many columns the data have. Columns scaled one by one (ARD) are another sample: the
    pairs of the last scaling are kept. Any other kernel is computed directly.

    Parameters
    ----------
    X : array or sparse matrix
        Rows that `Kernel.validate` has accepted.
    memory_limit : float, str or None
        Pairs are kept only if they and two matrices take no more than a third of it.
    """

    def __init__(self, X: Any, memory_limit: float | str | None = None) -> None:
        self.X = X
        self.memory_limit = memory_limit
        self._kept: dict[Any, Pairs] = {}
        self.computed = 0  # how many times pairs were computed

    def matrix(
        self, kernel: Kernel, dtype: Any = None, out: NDArray[Any] | None = None
    ) -> NDArray[Any]:
        """K(X, X) with the kernel's own diagonal, to rounding what `Kernel.tile` returns.

        ``out`` may be a matrix that is no longer needed: fresh memory costs more than computing
        what goes into it.
        """
        kind = np.dtype(dtype or self.X.dtype)
        fused = kernel.fused_for(self.X)
        if fused is None or not self._shares(fused, kind):
            X = self.X if self.X.dtype == kind else self.X.astype(kind)
            K = np.require(kernel.tile(X), requirements="W")
        else:
            K = self._from_pairs(fused, kind, out)
        np.fill_diagonal(K, kernel._diag(self.X))
        return K

    def _shares(self, fused: Fused, kind: np.dtype[Any]) -> bool:
        known = _PRODUCTS | _ROOTS | (frozenset() if sparse.issparse(self.X) else _SUMS)
        n = self.X.shape[0]
        fits = 9 * kind.itemsize * n * n <= _config.memory_limit(self.memory_limit)
        return fused.family in known and native() is not None and fits

    def _from_pairs(
        self, fused: Fused, kind: np.dtype[Any], out: NDArray[Any] | None
    ) -> NDArray[Any]:
        from mercer import _paths

        # exp(-r) has a kink at r = 0, where r is the root of a cancelled difference
        exact = np.dtype(np.float64) if fused.family == "matern12" else kind
        pairs = self._pairs(fused, exact)
        if out is None or out.dtype != exact or out.shape != pairs.values.shape:
            out = np.empty_like(pairs.values)
        _paths.finish(
            pairs.values, pairs.norms, pairs.norms, fused.family, fused.params, out,
            _config.n_threads(),
        )  # fmt: skip
        return out.astype(kind, copy=False)

    def _pairs(self, fused: Fused, kind: np.dtype[Any]) -> Pairs:
        if sparse.issparse(self.X):
            return self._kept_or(("sparse", _scale_key(fused), kind), self._sparse, fused, kind)
        shift = fused.shift(np.empty((1, self.X.shape[1]))) is not None
        key = ("sums" if fused.family in _SUMS else "products", shift, _scale_key(fused), kind)
        return self._kept_or(key, self._dense, fused, kind)

    def _kept_or(self, key: Any, compute: Any, fused: Fused, kind: np.dtype[Any]) -> Pairs:
        if key not in self._kept:
            self._kept = {}  # one at a time: they are as large as the matrices themselves
            self._kept[key] = compute(fused, kind)
            self.computed += 1
        return self._kept[key]

    def _dense(self, fused: Fused, kind: np.dtype[Any]) -> Pairs:
        X = self.X.astype(kind, copy=False)
        X = fused.prepare(X, fused.shift(X))
        sums = fused.family in _SUMS
        core: Any = native()
        plain = "manhattan" if sums else "linear"
        values = core.kernel_tile(X, X, plain, (0.0, 0.0, 0.0), _config.n_threads())
        wide = X.astype(np.float64, copy=False)
        norms = wide.sum(axis=1) if sums else np.einsum("ij,ij->i", wide, wide)
        return Pairs(values, norms.astype(kind))

    def _sparse(self, fused: Fused, kind: np.dtype[Any]) -> Pairs:
        X = self.X.astype(kind)
        if fused.scale is not None:
            X = X @ sparse.diags_array(fused.scale.astype(kind))
        norms = np.asarray(X.multiply(X).sum(axis=1), dtype=kind).ravel()
        return Pairs(np.ascontiguousarray((X @ X.T).toarray()), norms)


def _scale_key(fused: Fused) -> bytes | None:
    return None if fused.scale is None else fused.scale.tobytes()
