"""Failure probability is money: who spent which δ, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scipy.special import logsumexp

from mercer.bounds.numerics.checks import as_level
from mercer.bounds.numerics.level import Level, read_level
from mercer.bounds.numerics.union import split_delta


@dataclass(frozen=True)
class Entry:
    """One payment."""

    what: str
    delta: float
    why: str = ""


@dataclass(frozen=True)
class Ledger:
    """All payments behind one certificate; their total is its failure probability."""

    entries: tuple[Entry, ...] = ()

    @classmethod
    def split(cls, delta: float, shares: Mapping[str, float], why: str = "") -> Ledger:
        """A weighted union bound: ``shares`` maps each statement to its weight."""
        paid = split_delta(delta, list(shares.values()))
        return cls(tuple(Entry(w, d, why) for w, d in zip(shares, paid, strict=True)))

    @property
    def total(self) -> float:
        """δ spent altogether."""
        if not self.entries:
            return 0.0
        logs = [as_level(e.delta).log for e in self.entries]
        return Level(sum(e.delta for e in self.entries), float(logsumexp(logs)))

    def __getitem__(self, what: str) -> float:
        for entry in self.entries:
            if entry.what == what:
                return entry.delta
        raise KeyError(what)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __add__(self, other: Ledger) -> Ledger:
        return Ledger(self.entries + other.entries)

    def to_list(self) -> list[dict[str, Any]]:
        """Plain JSON types."""
        return [
            {"what": e.what, "delta": as_level(e.delta).to_json(), "why": e.why}
            for e in self.entries
        ]

    @classmethod
    def from_list(cls, data: Sequence[Mapping[str, Any]]) -> Ledger:
        """The inverse of :meth:`to_list`."""
        return cls(tuple(Entry(**{**e, "delta": read_level(e["delta"])}) for e in data))
