"""Advice for Python as advice for somebody at a terminal."""

from __future__ import annotations

import re

ADVICE = re.compile(r"\b(pass )?(groups|order|budget)=")
OPTIONS = {"groups": "--group", "order": "--order", "budget": "--budget"}


def at_a_terminal(words: str) -> str:
    """The same sentence in options of the command line."""
    return ADVICE.sub(lambda m: ("use " if m[1] else "") + OPTIONS[m[2]], words)
