"""What is known about a kernel before any data; certificates build on it, so a wrong fact lies."""

from __future__ import annotations

import math
from typing import Any

from numpy.typing import NDArray


class Facts:
    """Mixin: the facts with their cautious defaults. A kernel states the ones it knows."""

    # The distance of which k(x, y) is a decreasing function once the columns are divided by
    # ``length_scale``: "euclidean" or "cityblock".
    radial: str | None = None

    @property
    def bounded(self) -> bool:
        """Whether k(x, x) is bounded on the whole input space."""
        return False

    @property
    def stationary(self) -> bool:
        """Whether k(x, y) depends on x - y only."""
        return False

    @property
    def universal(self) -> bool:
        """Whether the kernel is known to be universal."""
        return False

    @property
    def psd(self) -> bool | None:
        """Whether every Gram matrix is positive semi-definite; None means unknown."""
        return True

    @property
    def sup_norm(self) -> float | None:
        """A number that sqrt(k(x, x)) never exceeds, whatever x; None if nobody knows one."""
        return None

    @property
    def value_range(self) -> tuple[float, float] | None:
        """Limits of k(x, y) over all pairs of inputs; None if nobody knows them."""
        return None

    @property
    def spread(self) -> float | None:
        """Length of `value_range`."""
        limits = self.value_range
        return None if limits is None else limits[1] - limits[0]

    def dimension(self, n_features: int | None) -> float | None:
        """Dimension of the feature space, or more than it; None if nobody knows.

        Parameters
        ----------
        n_features : int or None
            Columns of the data; None for objects without columns.
        """
        return math.inf if self.universal else None

    def known_radius(self, diagonal: NDArray[Any]) -> float | None:
        """The radius of a ball around the origin that holds every image; None if there is none.

        Parameters
        ----------
        diagonal : array
            k(x, x) of some data: for a stationary kernel it is the same everywhere, so one value
            tells. Nothing else is read off it.
        """
        if self.psd is not True:
            return None
        if self.sup_norm is None and self.stationary:
            return math.sqrt(max(float(diagonal[0]), 0.0))
        return self.sup_norm


def monomials(variables: float, degree: int) -> float:
    """Products of ``degree`` out of so many variables."""
    if math.isinf(variables):
        return math.inf
    try:
        return float(math.comb(int(variables) + degree - 1, degree)) if variables else 1.0
    except OverflowError:
        return math.inf
