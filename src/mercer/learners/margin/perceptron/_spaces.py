"""Where a perceptron's rule lives: as weights of features or as coefficients of rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mercer import _config
from mercer.gram import KernelGram
from mercer.kernels.fused import native

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]
Effects = Callable[[int], Any]


class PrimalSpace:
    """``f(x) = w·x``, one column of weights for each output: a sweep costs one pass."""

    def __init__(self, X: Any, weights: Floats) -> None:
        self.X, self.weights = X, weights

    def outputs(self, rows: Rows) -> Floats:
        """Outputs at some rows."""
        return np.asarray(self.X[rows] @ self.weights, dtype=np.float64)

    def effects(self, rows: Rows) -> Effects:
        """Inner products of one of the rows with all of them."""
        part = self.X[rows]
        if not sparse.issparse(part):
            return lambda place: part @ part[place]
        values = (part @ part.T).toarray()
        return lambda place: values[place]

    def absorb(self, rows: Rows, changes: Floats) -> None:
        """Add the changes times the rows to the weights."""
        self.weights = self.weights + np.asarray(self.X[rows].T @ changes, dtype=np.float64)


class DualSpace:
    """``f(x) = Σ β_i k(x_i, x)`` for each column, outputs at all rows kept up to date.

    Kernel values are asked for in blocks: those of a mistake with the rows of its block at once,
    those of all mistakes of a block with everybody when it is done.
    """

    def __init__(self, gram: Any, coef: Floats) -> None:
        self.gram, self.coef = gram, coef.copy()
        self.output = np.zeros(coef.shape)
        self._ready = _prepared(gram)
        active = np.flatnonzero(coef.any(axis=1))
        if active.size:
            self.coef = np.zeros(coef.shape)
            self.absorb(active, coef[active])

    def outputs(self, rows: Rows) -> Floats:
        """Outputs at some rows."""
        return self.output[rows]

    def effects(self, rows: Rows) -> Effects:
        """Kernel values of one of the rows with all of them; computed only for mistakes."""
        core = native()
        if self._ready is None or core is None:
            values = np.asarray(self.gram.tile(rows, rows), dtype=np.float64)
            return lambda place: values[place]
        part, fused = self._ready[rows], self.gram.fused
        return lambda place: core.kernel_tile(
            part[place : place + 1], part, fused.family, fused.params, 1
        )[0]

    def absorb(self, rows: Rows, changes: Floats) -> None:
        """Add the changes to the rows' coefficients and to everybody's output."""
        np.add.at(self.coef, rows, changes)
        self.output += self._product(rows, changes)

    def _product(self, rows: Rows, changes: Floats) -> Floats:
        gram, core = self.gram, native()
        if self._ready is not None and core is not None:
            fused, X = gram.fused, self._ready
            return core.kernel_matmul(
                X, X[rows], changes, fused.family, fused.params, _config.n_threads()
            )
        result = np.empty(self.output.shape)
        for part in gram.blocks():
            result[part] = gram.tile(part, rows) @ changes
        return result


def _prepared(gram: Any) -> Any:
    """The rows as the compiled core wants them, made once instead of at every product."""
    if not isinstance(gram, KernelGram) or gram.fused is None or sparse.issparse(gram.X):
        return None
    if gram.fused.kinked and gram.X.dtype == np.float32:
        return None  # its kink asks for float64, which the tiles see to
    return gram.fused.prepare(gram.X, gram.fused.shift(gram.X))
