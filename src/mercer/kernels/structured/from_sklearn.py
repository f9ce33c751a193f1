"""A kernel object of scikit-learn's Gaussian processes that has no counterpart here."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._types import Samples
from mercer.kernels._base import Kernel
from mercer.kernels.sklearn_objects import takes_objects
from mercer.kernels.validate import VECTORS, n_rows, take

BLOCK = 64  # rows of which the derivatives of the diagonal are taken at a time


class FromSklearn(Kernel):
    """k(x, y) and its derivatives by an object of ``sklearn.gaussian_process.kernels``.

    Made where such an object is given as ``kernel=``; those that `translate` knows become kernels
    of ours, which are faster.

    Parameters
    ----------
    kernel : kernel of scikit-learn, or of a user's own class derived from it
    """

    plug_in = False
    psd: bool | None = None  # an instance attribute, unlike the inherited property

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel

    @property
    def accepts(self) -> frozenset[str]:  # type: ignore[override]
        """Vectors, or anything if the kernel says that it does not need them."""
        return frozenset({"objects"}) if takes_objects(self.kernel) else VECTORS

    def _tile(self, X: Samples, Y: Samples) -> NDArray[Any]:
        return np.asarray(self.kernel(X, Y))  # with Y given, white noise does not appear

    def _diag(self, X: Samples) -> NDArray[Any]:
        return np.asarray(self.kernel.diag(X))

    def _tile_gradient(self, X: Samples, Y: Samples) -> dict[str, NDArray[Any]]:
        """In the logarithms of the parameters, scikit-learn's ``theta``."""
        n = n_rows(X)
        _, slopes = self.kernel(np.concatenate([X, Y]), eval_gradient=True)
        return {"theta": slopes[:n, n:]}

    def _diag_gradient(self, X: Samples) -> dict[str, NDArray[Any]]:
        parts = [take(X, slice(start, start + BLOCK)) for start in range(0, n_rows(X), BLOCK)]
        slopes = [self.kernel(part, eval_gradient=True)[1] for part in parts]
        return {"theta": np.concatenate([np.einsum("iip->ip", each) for each in slopes])}
