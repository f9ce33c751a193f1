"""`Metric`: a distance between objects; write ``_tile(X, Y)``, inherit the rest."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from mercer import _config
from mercer._types import Samples
from mercer.kernels.validate import VECTORS, as_pair, n_rows, take

Floats = NDArray[np.float64]


class Metric(BaseEstimator):
    """A dissimilarity d(x, y) between vectors, strings, series or any other objects.

    Facts
    -----
    accepts : which data, as for kernels: "vectors", or "objects", "strings", "precomputed".
    is_metric : symmetric, zero on equal objects only, triangle inequality; None if nobody knows.
        (Objects that differ only in what the distance does not see count as equal.)
    euclidean : embeds isometrically in a Hilbert space, so exp(-d²/t) is a kernel; None: unknown.
    """

    _stored_as = "metric"
    accepts: frozenset[str] = VECTORS - {"sparse"}

    @property
    def is_metric(self) -> bool | None:
        """Whether the axioms of a metric hold; None means unknown."""
        return None

    @property
    def euclidean(self) -> bool | None:
        """Whether d embeds in a Hilbert space; None means unknown."""
        return None

    def _tile(self, X: Samples, Y: Samples) -> Floats:
        raise TypeError(f"{type(self).__name__} does not define _tile(X, Y)")

    def _check(self, X: Samples, name: str = "X") -> None:
        """Raise if the parameters are impossible or the data outside the metric's domain."""

    def validate(self, X: Samples, Y: Samples | None = None) -> tuple[Any, Any]:
        """Check both samples; Y is X when it is not given."""
        X, other = as_pair(X, Y, self.accepts)
        self._check(X, "X")
        if other is not X:
            self._check(other, "Y")
        return X, other

    def __call__(self, X: Any, Y: Any = None) -> Floats:
        """The matrix of d(x, y); without Y the symmetric one of X with itself."""
        X, other = self.validate(X, Y)
        _config.reserve(
            8 * n_rows(X) * n_rows(other),
            f"A distance matrix of {n_rows(X)} x {n_rows(other)}",
            "Use fewer objects, or raise it with mercer.set_config(memory_limit=...).",
        )
        return np.asarray(self._tile(X, other), dtype=np.float64)

    @classmethod
    def examples(cls) -> list[Self]:
        """Small instances for the contract tests."""
        return [cls()]

    @classmethod
    def example_data(cls, n: int, rng: np.random.Generator) -> Any:
        """Draw data that the examples accept."""
        return rng.normal(size=(n, 3))


def pairwise(function: Any, X: Any, Y: Any, symmetric: bool = False) -> Floats:
    """A Python function of two objects for all pairs; one triangle if X is Y."""
    same = X is Y and symmetric
    D = np.zeros((n_rows(X), n_rows(Y)))
    for i in range(n_rows(X)):
        for j in range(i if same else 0, n_rows(Y)):
            D[i, j] = function(X[i], Y[j])
            if same:
                D[j, i] = D[i, j]
    return D


__all__ = ["Floats", "Metric", "n_rows", "pairwise", "take"]
