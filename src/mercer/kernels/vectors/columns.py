"""One kernel per column of a table, combined so that the whole is a kernel by construction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from mercer.kernels._base import Kernel
from mercer.kernels.validate import real

COMBINE = ("sum", "product", "anova")


class Columns(Kernel):
    """Gaussian kernels k_1, ..., k_p on blocks of columns, combined; k(x, x) = 1.

    - ``"sum"``: Σ w_j k_j, an additive model (Stitson et al. 1999; Durrande et al. 2012);
    - ``"product"``: Π k_j, all blocks have to agree;
    - ``"anova"``: Σ w_j k_j + Σ_{i<j} w_i w_j k_i k_j, main effects and interactions of two
      blocks, scaled to one on the diagonal.

    With a category written as indicator columns its block takes two values, 1 for equal levels and
    exp(−1/l²) for different ones; a gap is a level like the others. Sums and products of kernels
    are kernels, so no data can make this one indefinite, unlike Gower's similarity with gaps.

    Parameters
    ----------
    blocks : sequence of sequences of int, default=None
        The columns of each block; None: every column is one.
    combine : {"sum", "product", "anova"}, default="sum"
        How the blocks are combined.
    length_scale : float, default=1.0
        Width of every block's Gaussian.
    weights : array-like, default=None
        Non-negative weights of the blocks, scaled to sum to one; None: equal ones.

    Examples
    --------
    >>> import numpy as np
    >>> kernel = Columns(blocks=[[0], [1, 2]], combine="anova")
    >>> kernel(np.array([[0.0, 1.0, 0.0], [0.5, 0.0, 1.0]])).round(2)
    array([[1.  , 0.57],
           [0.57, 1.  ]])
    """

    choices = frozenset({"combine", "blocks"})

    def __init__(
        self,
        blocks: Sequence[Sequence[int]] | None = None,
        combine: str = "sum",
        length_scale: float = 1.0,
        weights: Any = None,
    ) -> None:
        self.blocks = blocks
        self.combine = combine
        self.length_scale = length_scale
        self.weights = weights

    @property
    def bounded(self) -> bool:
        """Every value lies between 0 and 1."""
        return True

    @property
    def stationary(self) -> bool:
        """All blocks depend on differences only."""
        return True

    @property
    def universal(self) -> bool:
        """Only the product, and only if no column is left out, which is not known here."""
        return False

    def _check(self, X: Any, name: str = "X") -> None:
        real(self.length_scale, "Columns: length_scale", low=0, closed=False)
        if self.combine not in COMBINE:
            raise ValueError(f"Columns: combine must be one of {COMBINE}, got {self.combine!r}")
        self._weights(X.shape[1])
        wrong = [i for block in self._blocks(X.shape[1]) for i in block if not 0 <= i < X.shape[1]]
        if wrong:
            raise ValueError(f"Columns: {name} has {X.shape[1]} columns, a block names {wrong[0]}")

    def _blocks(self, width: int) -> list[list[int]]:
        if self.blocks is None:
            return [[i] for i in range(width)]
        blocks = [[int(i) for i in block] for block in self.blocks]
        if not blocks or not all(blocks):
            raise ValueError("Columns: every block needs at least one column")
        return blocks

    def _weights(self, width: int) -> NDArray[np.float64]:
        count = len(self._blocks(width))
        if self.weights is None:
            return np.full(count, 1.0 / count)
        weights = np.asarray(self.weights, dtype=np.float64)
        if weights.shape != (count,) or not np.all(weights >= 0) or not weights.sum() > 0:
            raise ValueError(f"Columns: weights must be {count} numbers >= 0, not all zero")
        return weights / weights.sum()

    def _parts(self, X: Any, Y: Any) -> Iterator[NDArray[np.float64]]:
        for block in self._blocks(X.shape[1]):
            left, right = (np.asarray(Z[:, block], dtype=np.float64) for Z in (X, Y))
            yield np.exp(cdist(left, right, "sqeuclidean") / (-2.0 * self.length_scale**2))

    def _tile(self, X: Any, Y: Any) -> NDArray[np.float64]:
        if self.combine == "product":
            total = np.ones((X.shape[0], Y.shape[0]))
            for part in self._parts(X, Y):
                total *= part
            return total
        weights = self._weights(X.shape[1])
        first = np.zeros((X.shape[0], Y.shape[0]))
        squares = np.zeros_like(first) if self.combine == "anova" else first
        for weight, part in zip(weights, self._parts(X, Y), strict=True):
            part *= weight
            first += part
            if self.combine == "anova":
                part *= part
                squares += part
        if self.combine == "sum":
            return first
        return (first + 0.5 * (first * first - squares)) / self._at_zero(weights)

    @staticmethod
    def _at_zero(weights: NDArray[np.float64]) -> float:
        """The unscaled value of k(x, x) with "anova"."""
        return float(1.0 + 0.5 * (1.0 - np.sum(weights * weights)))

    def _diag(self, X: Any) -> NDArray[np.float64]:
        return np.ones(X.shape[0])

    @classmethod
    def examples(cls) -> list[Columns]:
        """The three ways to combine."""
        return [
            cls(combine="product"),
            cls([[0], [1, 2]], "sum", 0.7, weights=(1.0, 3.0)),
            cls([[0, 1], [2]], "anova", 1.3),
            cls(None, "anova"),
        ]
