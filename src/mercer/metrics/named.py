"""Distances between vectors that SciPy knows by name."""

from __future__ import annotations

from scipy.spatial.distance import cdist

from mercer._types import Samples
from mercer.metrics._base import Floats, Metric

# name: (is a metric, is Euclidean)
NAMES: dict[str, tuple[bool, bool | None]] = {
    "euclidean": (True, True),
    "cityblock": (True, None),
    "manhattan": (True, None),
    "chebyshev": (True, None),
    "sqeuclidean": (False, None),
    "cosine": (False, None),
    "correlation": (False, None),
    "canberra": (True, None),
    "braycurtis": (False, None),
    "jensenshannon": (True, True),
}


class Named(Metric):
    """A distance between rows of numbers, by its name in ``scipy.spatial.distance``.

    The root of the Jensen-Shannon divergence (which is what SciPy computes) embeds in a Hilbert
    space; the squared Euclidean distance and the cosine break the triangle inequality.
    """

    def __init__(self, name: str = "euclidean") -> None:
        self.name = name

    @property
    def is_metric(self) -> bool | None:
        """As known for each name."""
        return NAMES[self.name][0] if self.name in NAMES else None

    @property
    def euclidean(self) -> bool | None:
        """As known for each name."""
        return NAMES[self.name][1] if self.name in NAMES else None

    def _check(self, X: Samples, name: str = "X") -> None:
        if self.name not in NAMES:
            raise ValueError(f"Named: {self.name!r} is not one of {sorted(NAMES)}")

    def _tile(self, X: Samples, Y: Samples) -> Floats:
        return cdist(X, Y, "cityblock" if self.name == "manhattan" else self.name)

    @classmethod
    def examples(cls) -> list[Named]:
        """A few."""
        return [cls(), cls("cityblock"), cls("chebyshev"), cls("sqeuclidean")]
