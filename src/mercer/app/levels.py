"""Values of a column as whole numbers, in the order in which they come; gaps are a level."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.tables.dataset import TEXT, Column


def level_codes(column: Column) -> NDArray[np.int32]:
    """Levels numbered as they appear: equal for columns that rename each other."""
    if column.kind == TEXT:  # by a dictionary: arrays of long texts are slow and large
        known: dict[Any, int] = {}
        listed = [known.setdefault(value, len(known)) for value in column.values.tolist()]
        return np.array(listed, dtype=np.int32)
    _, start, code = np.unique(column.values, return_index=True, return_inverse=True)
    rank = np.empty(len(start), dtype=np.int32)
    rank[np.argsort(start)] = np.arange(len(start), dtype=np.int32)
    return rank[code]
