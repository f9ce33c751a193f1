"""Which kind of column is it? Decided on the training rows, by the values alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.tables.dataset import BOOL, DATE, NUMBER
from mercer.tables.encoders import GAP, as_floats, as_texts, natural_order

IGNORED = "ignored"
LONG_TEXT = 4.0  # words per value from which on a column is text rather than names
MANY_LEVELS = 0.5  # share of distinct values above which names tell nothing by being equal


def kind_of(values: NDArray[Any], stored: str) -> tuple[str, str]:
    """Treatment of one column and, if it is ignored, the reason.

    Parameters
    ----------
    values : array
        Training rows of the column.
    stored : str
        How the file stores it: "number", "date", "bool" or "text".
    """
    if stored in (NUMBER, BOOL, DATE):
        x = as_floats(values)
        seen = x[np.isfinite(x)]
        if not len(seen):
            return IGNORED, "no values"
        if float(seen.min()) == float(seen.max()) and len(seen) == len(x):
            return IGNORED, "constant"
        return ("date" if stored == DATE else "number"), ""
    texts = as_texts(values)
    present = [text for text in texts if text != GAP]
    if not present:
        return IGNORED, "no values"
    levels = set(present)
    if len(levels) == 1 and len(present) == len(texts):
        return IGNORED, "constant"
    words = float(np.mean([len(text.split()) for text in present[:1000]]))
    if words >= LONG_TEXT and len(levels) > 20:
        return "text", ""
    if len(levels) > 20 and len(levels) > MANY_LEVELS * len(present):
        return "text", ""
    return ("ordinal" if natural_order(sorted(levels)) else "category"), ""
