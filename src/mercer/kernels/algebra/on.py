"""A kernel that looks at some columns only."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mercer.kernels._base import Kernel
from mercer.kernels.algebra._composite import Array, Composite, Vectors
from mercer.kernels.vectors.gaussian import Gaussian


class On(Composite):
    """k(x[columns], y[columns]); sums and products of these build structured models.

    Parameters
    ----------
    kernel : Kernel
    columns : slice, list of int, or boolean mask over the columns
    """

    def __init__(self, kernel: Kernel, columns: Any) -> None:
        self.kernel = kernel
        self.columns = columns

    @property
    def universal(self) -> bool:
        """Never: what the other columns say is lost."""
        return False

    def _view(self, X: Any) -> Any:
        if getattr(X, "ndim", 1) != 2:
            raise ValueError("On selects columns, but the data have none: they are objects")
        try:
            part = X[:, self.columns if isinstance(self.columns, slice) else list(self.columns)]
        except (IndexError, TypeError) as error:
            raise ValueError(
                f"On: columns={self.columns!r} do not fit data with {X.shape[1]} columns "
                f"({error}); use a slice, a list of column numbers or a boolean mask"
            ) from None
        if part.shape[1] == 0:
            raise ValueError(f"On: columns={self.columns!r} selects no column")
        return part if not isinstance(part, np.ndarray) else np.ascontiguousarray(part)

    def _combine(self, values: list[Array], left: Vectors, right: Vectors) -> Array:
        return values[0]

    def _rule(self) -> Any:
        return None  # the view is all

    def _tangent(
        self,
        values: ArrayLike,
        left: Any,
        right: Any,
        moved: Any,
        moved_left: Any,
        moved_right: Any,
    ) -> Array:
        return moved[0]

    @classmethod
    def examples(cls) -> list[On]:
        """By number, by slice and by mask."""
        mask = np.array([True, False, True])
        return [cls(Gaussian(0.8), [2, 0]), cls(Gaussian(1.1), slice(1, 3)), cls(Gaussian(), mask)]
