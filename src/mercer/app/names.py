"""What the name of a column says, word by word."""

from __future__ import annotations

import re
from functools import lru_cache

_EDGE = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[^A-Za-z]+")
_ENDINGS = ("id", "nr", "code")


@lru_cache(maxsize=4096)
def words_of(name: str) -> frozenset[str]:
    """``PatientID_2`` as {"patient", "id"}; ``schoolid`` also as {"school", "id"}.

    Whole words only: 'Personal' says nothing about persons.
    """
    words = {part.casefold() for part in _EDGE.split(name) if part}
    for word in list(words):
        for ending in _ENDINGS:
            if word.endswith(ending) and len(word) - len(ending) >= 3:
                words |= {word.removesuffix(ending), ending}
    return frozenset(words)
