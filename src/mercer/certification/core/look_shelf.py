"""The looks of a process on a shelf where those at the same rows are found by the marks they share.

Comparing a new look with every earlier one makes a loop of k certificates cost k² comparisons.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from mercer.certification.core.looks import Seen


class Shelf:
    """At most ``room`` looks, the oldest makes way.

    Looks at the same rows have one digest, or a column in common, or share, both continuous, a mark
    of their sketches.
    """

    def __init__(self, room: int) -> None:
        self.room = room
        self.clear()

    def clear(self) -> None:
        """Hold nothing, as at first."""
        self._looks: dict[int, Seen] = {}  # by number, in the order of adding
        self._named: dict[str, list[int]] = {}
        self._marks = np.empty(0, dtype=np.uint64)  # sorted
        self._owners = np.empty(0, dtype=np.int64)
        self._next = 0

    def add(self, look: Seen) -> None:
        """Put a look beside the others."""
        if len(self._looks) == self.room:
            self._drop_oldest()
        self._looks[self._next] = look
        for name in (look.digest, *look.columns):
            self._named.setdefault(name, []).append(self._next)
        if look.continuous:
            at = np.searchsorted(self._marks, look.sketch)
            self._marks = np.insert(self._marks, at, look.sketch)
            self._owners = np.insert(self._owners, at, self._next)
        self._next += 1

    def _drop_oldest(self) -> None:
        oldest = next(iter(self._looks))
        look = self._looks.pop(oldest)
        for name in (look.digest, *look.columns):
            self._named[name].remove(oldest)
            if not self._named[name]:
                del self._named[name]
        kept = self._owners != oldest
        self._marks, self._owners = self._marks[kept], self._owners[kept]

    def at_the_same_rows(self, look: Seen) -> list[Seen]:
        """The looks at the rows of this one, oldest first."""
        names = (look.digest, *look.columns)
        numbers = {number for name in names for number in self._named.get(name, ())}
        if look.continuous:
            low = np.searchsorted(self._marks, look.sketch, "left")
            high = np.searchsorted(self._marks, look.sketch, "right")
            for i in np.flatnonzero(low < high):
                numbers.update(self._owners[low[i] : high[i]].tolist())
        found = (self._looks[number] for number in sorted(numbers))
        return [past for past in found if past.same_rows(look)]
