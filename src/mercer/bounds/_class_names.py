"""What a number about classes is called: by the names of those it is about."""

from __future__ import annotations

from collections.abc import Mapping

from mercer._clean import clean

BY_CLASS = {"classes": "largest error rate", "balanced": "balanced error rate"}
_SHOWN = 8


def class_quantity(error: str, classes: Mapping[str, object], of: str = "") -> str:
    """``"largest error rate among classes 0, 1"``: those that never occurred are not among them."""
    names = [clean(name, 60) for name in classes]
    if len(names) > _SHOWN:
        names = [*names[: _SHOWN - 1], f"... (the {len(names)} that occurred)"]
    return f"{BY_CLASS[error]}{of} among classes {', '.join(names)}"
