"""All warpings of two series at once: the kernel behind dynamic time warping."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._types import Samples
from mercer.kernels.bandwidth import Resolved
from mercer.kernels.sequences._aligned import AlignedKernel
from mercer.kernels.sequences._sequence_kernel import Floats
from mercer.kernels.sequences.series import Series, as_series, check_series
from mercer.kernels.sequences.subsequence import sequences_core, threads_for
from mercer.kernels.validate import natural, real


class GlobalAlignment(AlignedKernel):
    """k(x, y) = Σ over all warping paths of Π κ(x_i, y_j) (Cuturi et al. 2007, Cuturi 2011).

    Dynamic time warping takes the best path alone, which is neither a metric nor, in
    exp(-DTW²/t), a kernel. The sum over all paths is one, because the local kernel is
    κ = φ / (2 - φ) with the Gaussian φ. Series of very different lengths have values near zero.

    Parameters
    ----------
    length_scale : float or "median"
        Of the Gaussian φ between two moments. "median": the median distance of moments times the
        root of the median length, read off the training sample by ``resolve``.
    band : int
        Paths may leave the diagonal by less than so many steps; then φ is multiplied by the
        triangular kernel (1 - |i-j|/band)₊ and the work falls. 0: no limit.
    normalize : bool
        Give every series length one.
    """

    accepts = frozenset({"objects"})

    def __init__(
        self, length_scale: float | str = 1.0, band: int = 0, normalize: bool = True
    ) -> None:
        self.length_scale = length_scale
        self.band = band
        self.normalize = normalize

    def _resolved(self, X: Samples) -> dict[str, Any]:
        if not isinstance(self.length_scale, str):
            return {}
        if self.length_scale != "median":
            raise ValueError(
                f"GlobalAlignment: length_scale={self.length_scale!r} is neither a number nor "
                "'median'"
            )
        check_series(X, "GlobalAlignment")
        return {"length_scale": Resolved(_median_scale(as_series(X)), "median")}

    def _check(self, X: Samples, name: str = "X") -> None:
        if isinstance(self.length_scale, str):
            raise ValueError(
                f"GlobalAlignment: length_scale={self.length_scale!r} is not a number; call "
                "kernel.resolve(X_train) first; learners and Gram objects do"
            )
        real(self.length_scale, "GlobalAlignment: length_scale", low=0, closed=False)
        natural(self.band, "GlobalAlignment: band", low=0)
        check_series(X, "GlobalAlignment", name)

    def _encode(self, *samples: Any) -> list[Any]:
        found = [as_series(sample) for sample in samples]
        if len({series.points.shape[1] for series in found}) > 1:
            raise ValueError("GlobalAlignment: X and Y have different numbers per moment")
        return found

    def _raw(self, left: Series, right: Series, symmetric: bool) -> Floats:
        core, scale, band = sequences_core(), float(self.length_scale), int(self.band)
        if core is None:
            return global_alignment_twin(left, right, scale, band)
        sides = (left.points, left.starts, right.points, right.starts)
        threads = threads_for(float(left.lengths.sum()) * float(right.lengths.sum()))
        return core.global_log(*sides, scale, band, symmetric, threads)

    def _scaled(self, K: Floats, left: Floats, right: Floats) -> Floats:
        return np.exp(K - (left[:, None] + right[None, :]) / 2)

    def _positive(self, own: Floats) -> NDArray[np.bool_]:
        return np.ones(len(own), dtype=bool)

    def _plain(self, raw: Floats) -> Floats:
        if np.max(raw, initial=0.0) > 700:
            raise ValueError(
                f"GlobalAlignment: values reach exp({np.max(raw):.0f}), which no number holds; "
                "use normalize=True"
            )
        return np.exp(raw)

    @classmethod
    def examples(cls) -> list[GlobalAlignment]:
        """Within a band, and free but not normalised."""
        return [cls(0.7, band=4), cls(1.5, normalize=False)]

    @classmethod
    def example_data(cls, n: int, rng: np.random.Generator) -> Any:
        """Random walks of different lengths."""
        data = np.empty(n, dtype=object)
        for i in range(n):
            data[i] = tuple(np.cumsum(rng.normal(size=3 + i % 4)).tolist())
        return data


def _median_scale(series: Series) -> float:
    rng = np.random.default_rng(0)
    pairs = rng.integers(len(series.points), size=(2, 2000))
    gaps = np.linalg.norm(series.points[pairs[0]] - series.points[pairs[1]], axis=1)
    scale = float(np.median(gaps) * np.sqrt(np.median(series.lengths)))
    return scale if scale > 0 else 1.0


def global_alignment_twin(left: Series, right: Series, scale: float, band: int) -> Floats:
    """The recursion cell by cell: for short series, and the tests' oracle."""
    K = np.empty((left.n, right.n))
    for i in range(left.n):
        for j in range(right.n):
            x, y = left.one(i), right.one(j)
            squares = ((x[:, None, :] - y[None, :, :]) ** 2).sum(axis=2)
            phi = np.exp(-squares / (2 * scale**2))
            if band > 0:
                off = np.abs(np.subtract.outer(np.arange(len(x)), np.arange(len(y))))
                phi = phi * np.maximum(0.0, 1.0 - off / band)
            kappa = phi / (2.0 - phi)
            A = np.zeros((len(x) + 1, len(y) + 1))
            A[0, 0] = 1.0
            for a in range(1, len(x) + 1):
                for b in range(1, len(y) + 1):
                    paths = A[a - 1, b - 1] + A[a - 1, b] + A[a, b - 1]
                    A[a, b] = kappa[a - 1, b - 1] * paths
            with np.errstate(divide="ignore"):
                K[i, j] = np.log(A[-1, -1])
    return K
