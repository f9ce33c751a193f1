"""What a user should know about strings: length, alphabet, copies and relatives."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.app.checks import NOTE, WARNING, Finding
from mercer.tables.relatives import MOST_SYMBOLS, find_relatives

SHOWN_SYMBOLS = 25  # of an alphabet that is shown: DNA, proteins


def sequence_words(objects: Any) -> str:
    """Length and alphabet of the strings."""
    lengths = [len(thing) for thing in objects]
    shortest, longest = min(lengths), max(lengths)
    span = f"{shortest:,}" if shortest == longest else f"{shortest:,} to {longest:,}"
    symbols = sorted(set().union(*objects))
    shown = f": {' '.join(symbols)}" if len(symbols) <= SHOWN_SYMBOLS else ""
    return f"{span} symbols, {len(symbols)} different{shown}"


def check_sequences(objects: Any, rows: NDArray[np.intp], grouped: bool) -> list[Finding]:
    """What a user should know about the sequences before trusting a certificate."""
    first: dict[str, int] = {}  # not np.unique: that would pad all to the longest
    again = np.array([i for i, s in enumerate(objects) if first.setdefault(s, i) != i], dtype=int)
    found = []
    if len(again):
        level = WARNING if len(again) > 0.05 * len(objects) and not grouped else NOTE
        words = (
            f"{len(again)} sequences repeat an earlier one and are kept; the certificate needs "
            "independent rows"
        )
        found.append(Finding("duplicates", level, words, (), tuple(rows[again[:20]].tolist())))
    if grouped or sum(map(len, objects)) > MOST_SYMBOLS:
        return found
    kin = find_relatives(objects)
    if kin.related > 0.05 * len(objects):
        families = len(np.unique(kin.groups))
        words = (
            f"{kin.related} of {len(objects)} sequences share a stretch of {kin.length} or more "
            f"symbols with another one ({families} families): a certificate from relatives of the "
            "training sequences is too good for strangers. --group related keeps families together"
        )
        found.append(Finding("related", WARNING, words))
    return found
