"""Results that show their arrays by size, so that a session shows the numbers that matter."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

SHOWN = 6  # entries of an array that are shown as they are


class Brief:
    """Base of data classes declared with ``repr=False``."""

    def __repr__(self) -> str:
        values = {f.name: getattr(self, f.name) for f in fields(self) if f.repr}  # type: ignore[arg-type]
        return f"{type(self).__name__}({', '.join(f'{k}={_short(v)}' for k, v in values.items())})"


def _short(value: object) -> str:
    if isinstance(value, np.ndarray) and value.size > SHOWN:
        return f"<{' × '.join(map(str, value.shape))} {value.dtype}>"
    return f"{value:.6g}" if isinstance(value, float) else repr(value)
