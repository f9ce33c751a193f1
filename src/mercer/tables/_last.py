"""What each encoder of texts was asked last, and what it answered.

A model is asked for labels, scores and probabilities of the same texts one after another, and
cutting them into terms takes most of the time of an answer.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

REMEMBERED = 20_000  # texts
_LAST: WeakKeyDictionary[Any, tuple[list[str], Any]] = WeakKeyDictionary()


def recall(encoder: Any, texts: list[str]) -> Any:
    """A copy of the answer for these very texts, or None."""
    last, found = _LAST.get(encoder, ([], None))
    return None if found is None or texts != last else found.copy()


def remember(encoder: Any, texts: list[str], answer: Any) -> None:
    """Keep this answer and no older one; not that of very many texts."""
    forget(encoder)
    if len(texts) <= REMEMBERED:
        _LAST[encoder] = texts, answer.copy()


def forget(encoder: Any) -> None:
    """It has learned something else."""
    _LAST.pop(encoder, None)


def knows(encoder: Any) -> bool:
    """Whether an answer is kept."""
    return encoder in _LAST
