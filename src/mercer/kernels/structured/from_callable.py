"""A user's function as a kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from mercer import _config
from mercer._types import Samples
from mercer.kernels._base import Kernel
from mercer.kernels.validate import VECTORS, n_rows


class FromCallable(Kernel):
    """k(x, y) given by a Python function.

    Parameters
    ----------
    function : callable
        ``function(X, Y)`` returning the matrix of values, as scikit-learn's kernels do, or with
        ``pairwise=True`` ``function(x, y)`` returning one number.
    psd : bool or None
        Whether the function is known to be positive semi-definite; None means unknown.
    pairwise : bool
        The function takes two objects and returns a number.
    objects : bool
        The data are not vectors: any list of objects is handed over unchanged.
    """

    psd: bool | None = None  # an instance attribute, unlike the inherited property

    def __init__(
        self,
        function: Callable[[Any, Any], Any],
        psd: bool | None = None,
        pairwise: bool = False,
        objects: bool = False,
    ) -> None:
        self.function = function
        self.psd = psd
        self.pairwise = pairwise
        self.objects = objects

    @property
    def accepts(self) -> frozenset[str]:  # type: ignore[override]
        """Vectors, or anything if ``objects`` is set."""
        return frozenset({"objects"}) if self.objects else VECTORS

    @property
    def sparse_tiles(self) -> bool:  # type: ignore[override]
        """A function of whole matrices sees CSR input as it is."""
        return not self.pairwise

    def _tile(self, X: Any, Y: Any) -> NDArray[Any]:
        if self.pairwise:
            return np.array([[float(self.function(x, y)) for y in Y] for x in X])
        K = np.array(self.function(X, Y))
        expected = (X.shape[0], Y.shape[0])
        if K.shape != expected or K.dtype.kind not in "fiub":
            raise ValueError(
                f"the kernel function must return numbers of shape {expected} for this input, "
                f"got shape {K.shape} of {K.dtype}; a function of two single objects needs "
                "pairwise=True"
            )
        if not np.all(np.isfinite(K)):
            raise ValueError("the kernel function returned NaN or infinite values")
        return K

    def _tile_gradient(self, X: Samples, Y: Samples) -> dict[str, NDArray[Any]]:
        return {}

    @classmethod
    def examples(cls) -> list[FromCallable]:
        """A function of matrices and a function of pairs."""
        return [cls(_affine, psd=True), cls(_bump, psd=True, pairwise=True)]


class UserFunction(FromCallable):
    """A plain function given as ``kernel=``: called once on whole samples, as the user has them.

    No kernel to choose by name: `kernel_meant` makes it where scikit-learn's learners would call
    the function themselves.
    """

    plug_in = False

    def values(
        self, X: Samples, Y: Samples, memory_limit: float | str | None = None
    ) -> NDArray[np.float64]:
        """All values between two samples, which the function sees exactly as they are."""
        _reserve(X, Y, memory_limit)
        values = self.function(X, Y)
        if sparse.issparse(values):
            values = values.toarray()
        return np.ascontiguousarray(values, dtype=np.float64)

    def square(self, X: Samples, memory_limit: float | str | None = None) -> NDArray[np.float64]:
        """The values within one sample; refused unless finite and one per pair."""
        K, n = self.values(X, X, memory_limit), n_rows(X)
        if K.shape != (n, n):
            raise ValueError(
                f"The kernel function must return a {n} x {n} matrix for the {n} training samples; "
                f"got shape {K.shape}."
            )
        if not np.all(np.isfinite(K)):
            raise ValueError("The kernel function returned NaN or infinite values.")
        return K


class RowFunction(UserFunction):
    """A plain function of two rows that returns one number, called on every pair of rows."""

    plug_in = False

    def values(
        self, X: Samples, Y: Samples, memory_limit: float | str | None = None
    ) -> NDArray[np.float64]:
        """All values between two samples; within one each pair is asked for once."""
        _reserve(X, Y, memory_limit)
        left, within = _rows(X), X is Y
        right = left if within else _rows(Y)
        K = np.empty((len(left), len(right)))
        for i, x in enumerate(left):
            for j, y in enumerate(right[: i + 1] if within else right):
                K[i, j] = self.function(x, y)
        if within:
            upper = np.triu_indices(len(left), 1)
            K[upper] = K.T[upper]
        return K


def takes_two_rows(function: Callable[[Any, Any], Any], X: Any) -> bool:
    """Whether a function answers two rows with a number, but not two samples with their matrix.

    Samples of two and three rows are tried, and of three and two: a product of vectors must not
    pass for one of matrices that happen to fit.
    """
    if sparse.issparse(X) or n_rows(X) < 3:
        return False
    rows = _rows(X)[:3]
    two, three = X[:2], X[:3]
    whole = _shape(function, two, three) == (2, 3) and _shape(function, three, two) == (3, 2)
    return not whole and _shape(function, rows[0], rows[1]) == ()


def _shape(function: Callable[[Any, Any], Any], x: Any, y: Any) -> tuple[int, ...] | None:
    try:
        return np.shape(function(x, y))
    except Exception:  # a user's function may raise anything where it is not meant
        return None


def _rows(X: Any) -> list[Any]:
    """One after the other; those of a frame as arrays."""
    return list(X.to_numpy() if hasattr(X, "to_numpy") else X)


def _reserve(X: Samples, Y: Samples, memory_limit: float | str | None) -> None:
    _config.reserve(
        8 * n_rows(X) * n_rows(Y),
        f"The matrix of a callable kernel, {n_rows(X)} x {n_rows(Y)}",
        "Write the kernel as a mercer Kernel, which is evaluated in tiles.",
        memory_limit,
    )


def _affine(X: Any, Y: Any) -> Any:
    return (X @ Y.T) + 1.0 if isinstance(X, np.ndarray) else (X @ Y.T).toarray() + 1.0


def _bump(x: Any, y: ArrayLike) -> float:
    return float(np.exp(-np.sum((x - y) ** 2)))
