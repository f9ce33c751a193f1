"""Advice for Python as advice for somebody at a terminal."""

from __future__ import annotations

AT_A_TERMINAL = {
    "pass ": "use ",
    "groups=": "--group",
    "order=": "--order",
    "budget=": "--budget",
}


def at_a_terminal(words: str) -> str:
    """The same sentence in options of the command line."""
    for here, there in AT_A_TERMINAL.items():
        words = words.replace(here, there)
    return words
