"""Sequences that have a stretch in common by descent or by overlap, not by chance.

A fragment cut twice, two alleles of a gene, the same read again: such rows are not independent,
and a model that meets one of them in training is too good on the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from mercer.kernels.sequences.encoded import Encoded, encode
from mercer.kernels.sequences.kmers import window_codes, window_places

CHANCE = 0.01  # pairs of equal windows that unrelated random sequences may have, on average
PERIODS = (1, 2, 3)  # AAAA..., ACAC..., CAGCAG...: repeats that unrelated sequences share
_FEW, _FOLDS = 20, 5
MOST_CLASSES = 50  # more different values than that are numbers
MOST_SYMBOLS = 20_000_000  # beyond that the look would cost more than it tells


@dataclass(frozen=True)
class Relatives:
    """``groups`` numbers the families; ``length`` symbols in common make two sequences related."""

    groups: NDArray[np.intp]
    length: int

    @property
    def related(self) -> int:
        """Sequences with at least one relative."""
        return int(np.count_nonzero(np.bincount(self.groups)[self.groups] > 1))


def find_relatives(sequences: Any) -> Relatives:
    """Families of sequences that are linked by stretches in common."""
    data = encode(sequences)[0][0]
    length = telling_length(data)
    rows, places = window_places(data, length)
    kept = ~_repetitive(data, places, length)
    rows, codes = rows[kept], window_codes(data, length, places[kept])
    order = np.argsort(codes, kind="stable")
    same = codes[order][1:] == codes[order][:-1]
    one, other = rows[order][:-1][same], rows[order][1:][same]
    links = sparse.coo_array((np.ones(len(one)), (one, other)), shape=(data.n, data.n))
    return Relatives(connected_components(links, directed=False)[1].astype(np.intp), length)


def folds_of_families(sequences: Any, y: NDArray[Any]) -> NDArray[np.intp] | None:
    """Families to keep on one side of each fold when a kernel is chosen, if that is possible.

    Otherwise kernels that recognise a relative would win over those that recognise the class.
    """
    if len(y) < _FEW or sum(map(len, sequences)) > MOST_SYMBOLS:
        return None
    found = find_relatives(sequences)
    families = len(np.unique(found.groups))
    if found.related == 0 or families < _FEW:
        return None
    labels = np.unique(y)
    for label in labels if len(labels) <= MOST_CLASSES else ():
        if len(np.unique(found.groups[y == label])) < _FOLDS:
            return None  # a class of few families would be missing in some fold
    return found.groups


def telling_length(data: Encoded) -> int:
    """How long an equal stretch must be so that chance hardly makes one in the whole file."""
    share = np.bincount(data.symbols) / max(1, len(data.symbols))
    equal = min(0.9, float(np.sum(share**2)))  # chance that two symbols agree
    pairs = max(1.0, len(data.symbols) ** 2 / 2.0)
    return max(6, int(np.ceil(np.log(pairs / CHANCE) / -np.log(equal))))


def _repetitive(data: Encoded, places: NDArray[np.int64], length: int) -> NDArray[np.bool_]:
    """Windows of which half or more repeats a unit of one to three symbols."""
    found = np.zeros(len(places), dtype=bool)
    for period in PERIODS:
        changes = np.zeros(len(data.symbols) + 1, dtype=np.int64)
        changes[period + 1 :] = np.cumsum(data.symbols[period:] != data.symbols[:-period])
        found |= changes[places + length] - changes[places + period] <= (length - period) // 2
    return found
