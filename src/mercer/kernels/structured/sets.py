"""Kernels between sets of points."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._types import Samples
from mercer.kernels._base import Kernel
from mercer.kernels.sequences._sequence_kernel import safe_inverse
from mercer.kernels.sequences.series import check_series
from mercer.kernels.vectors.gaussian import Gaussian


class SetKernel(Kernel):
    """k(A, B) = mean of k₀(a, b) over a ∈ A and b ∈ B: the inner product of mean images.

    Objects are arrays of shape (points, coordinates), of any numbers of points; a one-dimensional
    array is a set of numbers. Bags in multi-instance learning and samples of distributions are
    such sets.

    Parameters
    ----------
    kernel : Kernel on vectors, without heuristics such as "median"
    normalize : bool
        Give every mean image length one.
    """

    _state_version = 1

    accepts = frozenset({"objects"})

    def __init__(self, kernel: Kernel, normalize: bool = True) -> None:
        self.kernel = kernel
        self.normalize = normalize

    @property
    def psd(self) -> bool | None:
        """As the kernel inside."""
        return self.kernel.psd

    @property
    def bounded(self) -> bool:
        """If normalised, or if the kernel inside is."""
        return bool(self.normalize) or self.kernel.bounded

    @property
    def sup_norm(self) -> float | None:
        """One if normalised."""
        return 1.0 if self.normalize else None

    def resolve(self, X: Any) -> Any:
        """The kernel inside sees all points of all sets."""
        from sklearn.base import clone

        points = np.concatenate([_points(thing) for thing in X])
        return clone(self).set_params(kernel=self.kernel.resolve(points))

    def _check(self, X: Samples, name: str = "X") -> None:
        if not isinstance(self.kernel, Kernel):
            raise TypeError(f"SetKernel: kernel must be a mercer Kernel, got {self.kernel!r}")
        check_series(X, "SetKernel", name)

    def _means(self, X: Any, Y: Any) -> NDArray[np.float64]:
        left, right = [_points(x) for x in X], [_points(y) for y in Y]
        K = self.kernel(np.concatenate(left), np.concatenate(right))
        rows = np.add.reduceat(K, _starts(left), axis=0)
        sums = np.add.reduceat(rows, _starts(right), axis=1)
        sizes = np.outer([len(a) for a in left], [len(b) for b in right])
        return np.asarray(sums / sizes)

    def _own(self, X: Any) -> NDArray[np.float64]:
        return np.array([self._means([x], [x])[0, 0] for x in X])

    def _tile(self, X: Samples, Y: Samples) -> NDArray[np.float64]:
        K = self._means(X, Y)
        if not self.normalize:
            return K
        left, right = safe_inverse(np.sqrt(self._own(X))), safe_inverse(np.sqrt(self._own(Y)))
        return K * left[:, None] * right[None, :]

    def _diag(self, X: Samples) -> NDArray[np.float64]:
        own = self._own(X)
        return (own > 0).astype(np.float64) if self.normalize else own

    def _tile_gradient(self, X: Samples, Y: Samples) -> dict[str, NDArray[Any]]:
        from sklearn.base import clone

        from mercer.kernels._numeric import float_parameters

        found = {}
        for name, value in float_parameters(self.kernel).items():
            step = 1e-5 * max(1e-3, abs(value))
            ends = [
                clone(self).set_params(**{f"kernel__{name}": value + s})._tile(X, Y)
                for s in (step, -step)
            ]
            found[f"kernel__{name}"] = (ends[0] - ends[1]) / (2 * step)
        return found

    @classmethod
    def examples(cls) -> list[SetKernel]:
        """Normalized or not."""
        return [cls(Gaussian(0.8)), cls(Gaussian(1.5), normalize=False)]

    @classmethod
    def example_data(cls, n: int, rng: np.random.Generator) -> Any:
        """Sets of numbers of different sizes."""
        data = np.empty(n, dtype=object)
        for i in range(n):
            data[i] = tuple(rng.normal(size=1 + i % 4).tolist())
        return data


def _points(thing: Any) -> NDArray[np.float64]:
    array = np.asarray(thing, dtype=np.float64)
    return array[:, None] if array.ndim == 1 else array


def _starts(sets: list[Any]) -> NDArray[np.intp]:
    return np.concatenate([[0], np.cumsum([len(s) for s in sets])[:-1]]).astype(np.intp)
