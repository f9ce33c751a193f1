"""Dynamic time warping."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer._types import Samples
from mercer.kernels.sequences.series import Series, as_series, check_series
from mercer.kernels.sequences.subsequence import sequences_core, threads_for
from mercer.metrics._base import Floats, Metric


class DTW(Metric):
    """Root of the least sum of squared differences along a warping path.

    It is symmetric and zero on equal series, but breaks the triangle inequality (and series that
    differ only in speed have distance zero), so exp(-DTW²/t) is no kernel:
    `mercer.kernels.GlobalAlignment` is one. `mercer.metrics.report` measures by how much it fails
    on given data.

    Parameters
    ----------
    window : int or None
        A path may leave the diagonal by at most so many moments; None: without limit.
    """

    accepts = frozenset({"objects"})
    is_metric = False
    euclidean = False

    def __init__(self, window: int | None = None) -> None:
        self.window = window

    def _check(self, X: Samples, name: str = "X") -> None:
        good = self.window is None or (isinstance(self.window, int) and self.window >= 0)
        if not good:
            raise ValueError(f"DTW: window must be None or a whole number >= 0, got {self.window}")
        check_series(X, "DTW", name)

    def _tile(self, X: Samples, Y: Samples) -> Floats:
        left = as_series(X)
        right = left if X is Y else as_series(Y)
        if left.points.shape[1] != right.points.shape[1]:
            raise ValueError("DTW: X and Y have different numbers per moment")
        window = -1 if self.window is None else self.window
        core = sequences_core()
        if core is None:
            return warping_twin(left, right, window)
        sides = (left.points, left.starts, right.points, right.starts)
        threads = threads_for(float(left.lengths.sum()) * float(right.lengths.sum()))
        return core.warping(*sides, window, X is Y, threads)

    @classmethod
    def examples(cls) -> list[DTW]:
        """Free, and within a window."""
        return [cls(), cls(window=1)]

    @classmethod
    def example_data(cls, n: int, rng: np.random.Generator) -> Any:
        """Random walks of different lengths."""
        data = np.empty(n, dtype=object)
        for i in range(n):
            data[i] = tuple(np.cumsum(rng.normal(size=3 + i % 4)).tolist())
        return data


def warping_twin(left: Series, right: Series, window: int) -> Floats:
    """The recursion cell by cell: the tests' oracle."""
    D = np.empty((left.n, right.n))
    for i in range(left.n):
        for j in range(right.n):
            x, y = left.one(i), right.one(j)
            reach = len(x) + len(y) if window < 0 else max(window, abs(len(x) - len(y)))
            A = np.full((len(x) + 1, len(y) + 1), np.inf)
            A[0, 0] = 0.0
            for a in range(1, len(x) + 1):
                for b in range(max(1, a - reach), min(len(y), a + reach) + 1):
                    step = min(A[a - 1, b - 1], A[a - 1, b], A[a, b - 1])
                    A[a, b] = np.sum((x[a - 1] - y[b - 1]) ** 2) + step
            D[i, j] = np.sqrt(A[-1, -1])
    return D
