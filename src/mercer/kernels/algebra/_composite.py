"""Kernels made of kernels.

A composite is a function of its parts' values and, for some, of a few numbers per object (such as
k(x, x)). It writes that function once, in `_combine`, and its derivative in `_tangent`; tiles,
diagonals, indexed tiles and gradients then follow for every composite alike.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mercer._types import Samples
from mercer.kernels._base import Kernel
from mercer.kernels._sample import Sample
from mercer.kernels.composed import Composed
from mercer.kernels.fused import Fused

Array = NDArray[Any]
Vectors = tuple[Array, ...]


class Composite(Kernel):
    """A kernel computed from the values of the kernels among its parameters.

    ``left`` and ``right`` below hold the statistics of the two objects of each entry, shaped to
    broadcast against the values.
    """

    sparse_tiles = True
    _grows = False  # whether a larger k(x, x) of a part never makes the composite's smaller

    def parts(self) -> dict[str, Kernel]:
        """The kernels inside, by parameter name."""
        parameters = self.get_params(deep=False)
        found = {name: value for name, value in parameters.items() if isinstance(value, Kernel)}
        expected = [name for name in ("kernel", "left", "right") if name in parameters]
        for name in expected:
            if name not in found:
                raise TypeError(
                    f"{type(self).__name__}: {name} must be a mercer Kernel, got "
                    f"{parameters[name]!r}; wrap functions in FromCallable"
                )
        return found

    @property
    def accepts(self) -> frozenset[str]:  # type: ignore[override]
        """The data that every part accepts."""
        kinds = [part.accepts for part in self.parts().values()]
        return frozenset.intersection(*kinds) if kinds else Kernel.accepts

    @property
    def psd(self) -> bool | None:
        """Positive semi-definite if all parts are; unknown if one part is unknown."""
        return all_known(*(part.psd for part in self.parts().values()))

    @property
    def bounded(self) -> bool:
        """Bounded if all parts are."""
        return all(part.bounded for part in self.parts().values())

    @property
    def stationary(self) -> bool:
        """Stationary if all parts are."""
        return all(part.stationary for part in self.parts().values())

    @property
    def sup_norm(self) -> float | None:
        """For rules that grow with every part: the rule applied to the largest k(x, x)."""
        norms = [part.sup_norm for part in self.parts().values()]
        if not self._grows or self.psd is not True or any(norm is None for norm in norms):
            return None
        largest = self._combine([np.asarray(norm, dtype=float) ** 2 for norm in norms], (), ())
        return float(np.sqrt(largest))

    # -- what a composite writes -----------------------------------------------------------------

    def _combine(self, values: list[Array], left: Vectors, right: Vectors) -> Array:
        raise TypeError(f"{type(self).__name__} does not define _combine")

    def _tangent(
        self,
        values: list[Array],
        left: Vectors,
        right: Vectors,
        moved: list[Any],
        moved_left: Vectors,
        moved_right: Vectors,
    ) -> Array:
        """How `_combine` changes when its arguments move in the given directions."""
        raise TypeError(f"{type(self).__name__} does not define _tangent")

    def _own_gradient(self, values: list[Array], left: Vectors, right: Vectors) -> dict[str, Array]:
        """Derivatives in the composite's own parameters."""
        return {}

    def _statistics(self, X: Samples) -> Vectors:
        """The numbers per object that `_combine` needs, each of shape (n,)."""
        return ()

    def _statistics_gradient(self, X: Samples) -> dict[str, Vectors]:
        """Derivatives of `_statistics` by parameter name, each of shape (n,) or (n, d)."""
        return {}

    def _rule(self) -> Any:
        """`_combine` as a rule of the compiled core (`composed`); NotImplemented if it is none."""
        return NotImplemented

    # -- what follows ----------------------------------------------------------------------------

    def fused_for(self, X: Any) -> Fused | None:
        """Compiled if the rule and all parts are, on dense vectors."""
        rule = self._rule()
        if rule is NotImplemented or sparse.issparse(X) or getattr(X, "ndim", 1) != 2:
            return None
        no_rows = X[:0]  # columns and precision decide; picking columns of all rows would copy them
        view = self._view(no_rows)
        found = [part.fused_for(view) for part in self.parts().values()]
        pieces = [piece for piece in found if piece is not None]
        return Composed.of(pieces, rule, self._view, no_rows) if len(pieces) == len(found) else None

    def _check(self, X: Samples, name: str = "X") -> None:
        view = self._view(X)
        for part in self.parts().values():
            part._check(view, name)

    def _tile(self, X: Samples, Y: Samples) -> Array:
        X, Y = self._view(X), self._view(Y)
        left = _as_columns(self._statistics(X))
        right = _turned(left) if X is Y else _as_rows(self._statistics(Y))
        return self._combine([part._values(X, Y) for part in self.parts().values()], left, right)

    def _diag(self, X: Samples) -> Array:
        X = self._view(X)
        own = self._statistics(X)
        return self._combine([part._diag(X) for part in self.parts().values()], own, own)

    def _against(self, Y: Samples) -> Callable[[Any], Array]:
        Y = self._view(Y)
        parts = [part._against(Y) for part in self.parts().values()]
        right = _as_rows(self._statistics(Y))

        def tile(X: Any) -> Array:
            X = self._view(X)
            return self._combine([p(X) for p in parts], _as_columns(self._statistics(X)), right)

        return tile

    def bind(self, X: Samples) -> CompositeSample | Sample:
        """Tiles by index; statistics are computed once for the sample."""
        return Sample(self, X) if self._compiled(X) else CompositeSample(self, self._view(X))

    def _tile_gradient(self, X: Samples, Y: Samples) -> dict[str, Array]:
        X, Y = self._view(X), self._view(Y)
        values = [part._values(X, Y) for part in self.parts().values()]
        gradients = [part._dense_gradient(X, Y) for part in self.parts().values()]
        sides = (self._statistics(X), self._statistics(Y))
        moved = (self._statistics_gradient(X), self._statistics_gradient(Y))
        return self._chain(values, gradients, sides, moved, tile=True)

    def _diag_gradient(self, X: Samples) -> dict[str, Array]:
        X = self._view(X)
        values = [part._diag(X) for part in self.parts().values()]
        gradients = [part._diag_gradient(X) for part in self.parts().values()]
        own, moved = self._statistics(X), self._statistics_gradient(X)
        return self._chain(values, gradients, (own, own), (moved, moved), tile=False)

    def _chain(
        self,
        values: list[Array],
        gradients: list[dict[str, Array]],
        sides: tuple[Vectors, Vectors],
        moved: tuple[dict[str, Vectors], dict[str, Vectors]],
        tile: bool,
    ) -> dict[str, Array]:
        """The chain rule; vector parameters travel with their axis in front, to broadcast."""
        columns, rows = (_as_columns, _as_rows) if tile else (_unchanged, _unchanged)
        left, right = columns(sides[0]), rows(sides[1])
        entry = values[0].ndim if values else sides[0][0].ndim + tile
        result = dict(self._own_gradient(values, left, right))
        for place, (name, gradient) in enumerate(zip(self.parts(), gradients, strict=True)):
            for parameter, slope in gradient.items():
                full = f"{name}__{parameter}"
                directions: list[Any] = [0.0] * len(values)
                directions[place] = _front(slope, entry)
                change = self._tangent(
                    values,
                    left,
                    right,
                    directions,
                    columns(_fronts(moved[0].get(full, ()))),
                    rows(_fronts(moved[1].get(full, ()))),
                )
                result[full] = np.moveaxis(change, 0, -1) if slope.ndim > entry else change
        return result


class CompositeSample:
    """Tiles of a composite on one sample, from bound parts and statistics computed once."""

    fused = None

    def __init__(self, kernel: Composite, X: Any) -> None:
        self.kernel = kernel
        self.parts = [part.bind(X) for part in kernel.parts().values()]
        self.statistics = kernel._statistics(X)

    def tile(self, rows: Any, columns: Any) -> Array:
        """K(X[rows], X[columns])."""
        left = _as_columns(tuple(vector[rows] for vector in self.statistics))
        right = _as_rows(tuple(vector[columns] for vector in self.statistics))
        return self.kernel._combine([p.tile(rows, columns) for p in self.parts], left, right)


def all_known(*facts: bool | None) -> bool | None:
    """False if one is false, unknown if one is unknown, else true."""
    if any(fact is False for fact in facts):
        return False
    return None if any(fact is None for fact in facts) else True


def _as_columns(vectors: Vectors) -> Vectors:
    return tuple(vector[..., :, None] for vector in vectors)


def _as_rows(vectors: Vectors) -> Vectors:
    return tuple(vector[..., None, :] for vector in vectors)


def _turned(columns: Vectors) -> Vectors:
    """The same statistics for the other side of a square tile."""
    return tuple(np.swapaxes(vector, -1, -2) for vector in columns)


def _unchanged(vectors: Vectors) -> Vectors:
    return vectors


def _front(slope: Array, entry: int) -> Array:
    return np.moveaxis(slope, -1, 0) if slope.ndim > entry else slope


def _fronts(vectors: Vectors) -> Vectors:
    return tuple(_front(vector, 1) for vector in vectors)
