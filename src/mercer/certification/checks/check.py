"""What an assumption check returns, and the permutation arithmetic all of them share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mercer._types import Samples
from mercer.bounds.plain_data import plain

Floats = NDArray[np.float64]
LEVEL = 0.01  # a check that is right when nothing is wrong 99 times in 100
PROJECTIONS = 32


@dataclass(frozen=True)
class Check:
    """A test of one assumption: evidence against it, never a proof of it.

    ``p_value`` is the probability of a statistic at least as extreme if the assumption holds.
    ``ok`` says that nothing was found, not that nothing is wrong.
    """

    name: str
    statistic: float
    p_value: float
    message: str
    ok: bool
    details: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        mark = "nothing found" if self.ok else "WARNING"
        return f"{self.name}: {mark} (p = {self.p_value:.2g}). {self.message}"

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON types."""
        return plain(self)


def permutation_p(statistics: Floats) -> tuple[float, int]:
    """One p-value from several statistics, and which of them was the most extreme.

    Row 0 holds the observed statistics, the others those of permuted data; large is extreme. Every
    column is standardised over all rows alike and the largest of a row is compared with the
    largest of the others, so looking at several columns costs nothing and the p-value stays exact.
    """
    spread = statistics.std(axis=0)
    scores = (statistics - statistics.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    worst = scores.max(axis=1)
    return float(np.mean(worst >= worst[0] - 1e-9)), int(scores[0].argmax())


def numeric(X: Samples, what: str) -> Floats | Any:
    """Rows of numbers, dense or CSR; a clear error for anything else."""
    if sparse.issparse(X):
        return sparse.csr_array(X, dtype=np.float64)
    try:
        array = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError) as problem:
        raise TypeError(
            f"{what} must hold numbers; for other objects check the losses or the labels instead"
        ) from problem
    array = array[:, None] if array.ndim == 1 else array
    if array.ndim != 2 or array.size == 0:
        raise ValueError(f"{what} must be a table with rows and columns, got shape {array.shape}")
    if not np.isfinite(array).all():
        row, column = (int(v) for v in np.argwhere(~np.isfinite(array))[0])
        raise ValueError(
            f"{what} has the value {array[row, column]} in row {row}, column {column}; "
            "fill or drop gaps before checking"
        )
    return array


def few_columns(X: Any, limit: int = 2 * PROJECTIONS) -> tuple[Floats, bool]:
    """X itself, or random projections of it when it is sparse or very wide; and which it was.

    Dense columns are brought to the same spread first, so that no unit of measurement drowns the
    others.
    """
    if not sparse.issparse(X) and X.shape[1] <= limit:
        return X, False
    directions = np.random.default_rng(0).standard_normal((X.shape[1], PROJECTIONS))
    if not sparse.issparse(X):
        spread = X.std(axis=0)
        directions /= np.where(spread > 0, spread, 1.0)[:, None]
    return np.asarray(X @ directions) / np.sqrt(PROJECTIONS), True


def column_names(count: int, names: Any, projected: bool) -> list[str]:
    """Names for messages."""
    if projected:
        return [f"projection {i}" for i in range(count)]
    if names is not None and len(names) == count:
        return [str(name) for name in names]
    return [f"column {i}" for i in range(count)]


def check_level(level: float) -> float:
    """A level strictly between 0 and 1."""
    if not 0.0 < level < 1.0:
        raise ValueError(f"level must lie strictly between 0 and 1, got {level!r}")
    return float(level)


def check_permutations(count: int, level: float) -> int:
    """Enough permutations to reach the level at all."""
    if int(count) != count or count + 1 < 1.0 / level:
        raise ValueError(
            f"{count} permutations cannot give a p-value below {level}; "
            f"use at least {int(np.ceil(1.0 / level)) - 1}"
        )
    return int(count)
