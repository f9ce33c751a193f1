"""The one way to a terminal: control characters of other people's names are shown, not obeyed."""

from __future__ import annotations

import unicodedata

import click


def echo(text: str = "", err: bool = False) -> None:
    """Print ``text``; line breaks and tabs stay, any other control character becomes a picture."""
    click.echo(shown(text), err=err)


def shown(text: str) -> str:
    """``text`` in which nothing can move the cursor, clear the screen or rename the window."""
    if text.isprintable():
        return text
    return "".join(c if c in "\n\t" else _picture(c) for c in text)


def _picture(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)  # Unicode has a picture of each of them
    if unicodedata.category(character) in ("Cc", "Cf", "Cs") and code != 0x200D:
        return "\N{REPLACEMENT CHARACTER}"
    return character
