"""Labels that are written into the names of sequences."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_NAMED = re.compile(r"\b(?:label|class|target|y)[=:]([^\s|;,]+)", re.IGNORECASE)


def find_labels(headers: Sequence[str]) -> tuple[NDArray[np.object_] | None, str]:
    """The label of every header and where it was found, or None.

    In order: ``label=X`` (or class, target, y) anywhere; the one word after the name; what follows
    the last bar. The last two count only if they repeat, as labels do and descriptions do not.
    """
    named = [_NAMED.search(header) for header in headers]
    if headers and all(named):
        found = [match.group(1) for match in named if match]
        return np.array(found, dtype=object), "label=... in the headers"
    words = [header.split() for header in headers]
    if words and all(len(parts) == 2 for parts in words) and few([w[1] for w in words]):
        return np.array([w[1] for w in words], dtype=object), "the word after the name"
    bars = [header.split("|") for header in headers]
    if bars and all(len(parts) > 1 for parts in bars) and few([b[-1].strip() for b in bars]):
        return np.array([b[-1].strip() for b in bars], dtype=object), "the last field of the header"
    return None, ""


def few(values: Sequence[str]) -> bool:
    """Whether these look like labels: at least two, and each several times."""
    kinds = len(set(values))
    return 2 <= kinds <= max(2, min(50, len(values) // 3))
