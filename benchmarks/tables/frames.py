"""A table as pandas would hold it: numbers, dates, truth values, objects with None for gaps."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.tables.dataset import BOOL, DATE, NUMBER, Dataset


def frame_of(data: Dataset) -> Any:
    """A data frame with the cells that were read."""
    import pandas as pd

    made = {}
    for column in data.columns:
        values = column.values
        if column.kind == DATE:
            stamps = np.where(column.missing, 0, values).astype("datetime64[s]")
            made[column.name] = np.where(column.missing, np.datetime64("NaT"), stamps)
        elif column.kind == BOOL:
            made[column.name] = [
                None if m else bool(v) for v, m in zip(values, column.missing, strict=True)
            ]
        else:
            made[column.name] = values if column.kind == NUMBER else values.astype(object)
    return pd.DataFrame(made)
