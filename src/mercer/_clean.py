"""Other people's words made safe to print: in a terminal, on a page, in a certificate."""

from __future__ import annotations

import unicodedata

_DIRECTIONS = {*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C}


def clean(value: object, limit: int = 80) -> str:
    """``value`` on one line: no control characters, no hidden change of direction, not too long.

    Names and labels come from other people's files. Escaping is the renderer's job; this takes
    out what escaping cannot make harmless.
    """
    text = " ".join("".join(_visible(c) for c in str(value)[: 4 * limit]).split())
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def _visible(character: str) -> str:
    if character in "\t\n\r":
        return " "
    hidden = ord(character) in _DIRECTIONS or unicodedata.category(character) in ("Cc", "Cs", "Co")
    return "\N{REPLACEMENT CHARACTER}" if hidden else character
