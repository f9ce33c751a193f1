"""Kernels made of kernels, in the compiled core.

The rows that each part wants stand side by side in one array; the parts and what is done with them
are steps in postfix order, which ``csrc/spec.h`` reads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.kernels.fused import Fused

# name, three numbers, and: the columns of a part, or how many results a rule takes
Step = tuple[str, tuple[float, float, float], int, int]

SUM = ("sum", (0.0, 0.0, 0.0))
PRODUCT = ("product", (0.0, 0.0, 0.0))


def affine(factor: float, constant: float, degree: int = 1) -> tuple[str, tuple[float, ...]]:
    """(factor k + constant)^degree."""
    return "affine", (float(factor), float(constant), float(degree))


def no_columns(X: NDArray[Any]) -> NDArray[Any]:
    """Rows of which nothing is looked at."""
    return X[:, :0]


@dataclass(frozen=True)
class Part:
    """A kernel that the core knows by name, and how to get the columns it looks at."""

    fused: Fused
    views: tuple[Callable[[Any], Any], ...] = ()

    def of(self, X: NDArray[Any]) -> NDArray[Any]:
        """What it looks at."""
        for view in self.views:
            X = view(X)
        return X


@dataclass(frozen=True)
class Composed(Fused):
    """Several parts and the steps that make one kernel of them; ``params`` are the steps."""

    parts: tuple[Part, ...] = ()

    @classmethod
    def of(
        cls,
        pieces: list[Fused],
        rule: tuple[str, Any] | None,
        view: Callable[[Any], Any],
        X: NDArray[Any],
    ) -> Composed:
        """A rule applied to kernels of what ``view`` shows; without one there is one kernel."""
        parts: list[Part] = []
        steps: list[Step] = []
        count = 0
        for piece in pieces:
            inner = piece.parts if isinstance(piece, Composed) else (Part(piece),)
            start = sum(part.fused.width(part.of(X)) for part in parts)
            parts += [Part(part.fused, (view, *part.views)) for part in inner]
            own = list(_moved(piece, start, parts[-1].of(X).shape[1]))
            # a sum of sums is a sum, if that leaves the order of the summands
            joins = not steps and rule is not None and own[-1][0] == rule[0] != "affine"
            steps += own[:-1] if joins else own
            count += own[-1][2] if joins else 1
        if rule is not None:
            steps.append((*rule, count, 0))
        return cls("composed", steps, None, tuple(parts))

    @property
    def kinked(self) -> bool:
        """Whether a part is."""
        return any(part.fused.kinked for part in self.parts)

    @property
    def gains_by_single(self) -> bool:
        """Combining costs half as much in single precision, even where the parts are cheap."""
        return not self.kinked

    def single_size_of(self, rows: NDArray[np.floating]) -> tuple[float, float]:
        """Values and errors followed through the steps."""
        known = iter(self.parts)
        stack: list[tuple[float, float]] = []
        for name, numbers, a, b in self.params:
            if name in ("sum", "product", "affine"):
                taken, stack = stack[-a:], stack[:-a]
                stack.append(_size(name, numbers, taken))
            else:
                stack.append(next(known).fused.single_size_of(rows[:, a:b]))
        value, error = stack[0]
        return (value, error) if error < 100 else (np.inf, np.inf)

    def shift(self, Y: NDArray[np.floating]) -> Any:
        """That of every part."""
        return [part.fused.shift(part.of(Y)) for part in self.parts]

    def width(self, X: NDArray[Any]) -> int:
        """The columns of all parts."""
        return sum(part.fused.width(part.of(X)) for part in self.parts)

    def fill(self, rows: NDArray[Any], X: NDArray[Any], shift: Any) -> None:
        """Write the rows of every part side by side into an array."""
        start = 0
        moves = [None] * len(self.parts) if shift is None else shift
        for part, moved in zip(self.parts, moves, strict=True):
            seen = part.of(X)
            stop = start + part.fused.width(seen)
            part.fused.fill(rows[:, start:stop], seen, moved)
            start = stop


def _moved(piece: Fused, start: int, width: int) -> Iterator[Step]:
    """The steps of a piece whose first column is ``start``."""
    if not isinstance(piece, Composed):
        yield piece.family, piece.params, start, start + width
        return
    for name, numbers, a, b in piece.params:
        rule = name in ("sum", "product", "affine")
        yield (name, numbers, a, b) if rule else (name, numbers, start + a, start + b)


def _size(
    name: str, numbers: tuple[float, ...], taken: list[tuple[float, float]]
) -> tuple[float, float]:
    """How large the result of a rule can be, and its error."""
    values, errors = np.array(taken).T
    if not np.isfinite(errors).all():
        return np.inf, np.inf
    if name == "sum":
        return float(values.sum()), float(errors.sum())
    if name == "product":
        whole = float(values.prod())
        return whole, whole * float((errors / values).sum())
    factor, constant, degree = numbers
    inner = abs(factor) * values[0] + abs(constant)
    slope = degree * inner ** max(degree - 1.0, 0.0) * abs(factor)
    with np.errstate(over="ignore"):
        return float(inner**degree), float(slope * errors[0] + inner**degree)
