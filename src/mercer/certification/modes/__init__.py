"""Ways to spend rows on a certificate: one file each, found by looking into this folder."""

from __future__ import annotations

import sys
from functools import cache

from mercer._discover import discover
from mercer.certification.modes._base import Mode, Option

__all__ = ["Mode", "Option", "available", "describe", "get"]


@cache
def available() -> dict[str, type[Mode]]:
    """Every mode by its name, as ``mercer.certified_fit(mode=...)`` takes it."""
    found = discover(sys.modules[__name__], Mode)  # type: ignore[type-abstract]
    return dict(sorted((mode.name, mode) for mode in found.values()))


def get(name: str) -> type[Mode]:
    """The mode of this name."""
    if name not in available():
        raise ValueError(f"mode must be None or one of {[*available()]}, got {name!r}")
    return available()[name]


def describe() -> str:
    """Names, what each mode certifies, and its options, to be printed."""
    lines = []
    for name, mode in available().items():
        lines.append(f"{name}: {mode.title}")
        lines += [
            f"    {option}={made.default!r}: {made.help}" for option, made in mode.options.items()
        ]
    return "\n".join(lines)
