"""Looks: how often the same rows have been counted, and what holds for all of the numbers together.

Whoever certifies many models (or one model with many seeds) on the same rows and keeps the smallest
number has no certificate: each number holds at its own level, the smallest of k only at the sum.
Looks are remembered within a process, always; across processes in a file, if one is asked for.
In-sample certificates are left out: they set no rows aside, belong to every plain ``fit``, and are
paid for over several models by ``KernelSearch(certify="union")``.
"""

from __future__ import annotations

import hashlib
import math
import pickle
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mercer._marks import Marks, digest, row_marks, with_labels
from mercer._types import Samples
from mercer.bounds import Certificate, Entry, Ledger
from mercer.bounds.numerics.checks import check_delta
from mercer.bounds.words import confidence
from mercer.certification.core.look_columns import column_names
from mercer.certification.core.look_shelf import Shelf

SKETCH = 256  # smallest marks that stand for all rows
SAME = 0.5  # of the rows of the smaller table
REPEATING = 0.1  # with more repeated rows, other draws from the same law share rows too
_ENOUGH = 8  # marks in common range, to compare sketches at all
_FIRST = 0.9  # of a budget, for the first look
_REMEMBERED = 4096


@dataclass(frozen=True)
class Seen:
    """One look at some rows; ``cost`` is the failure probability it may have used up."""

    n: int
    digest: str
    sketch: Marks
    continuous: bool
    key: str
    cost: float
    columns: frozenset[str] = frozenset()

    def same_rows(self, other: Seen) -> bool:
        """Equal tables, tables that share a telling column or target, and tables without many
        repeated rows that share half of the smaller.
        """
        if self.digest == other.digest:
            return True
        if self.n == other.n and not self.columns.isdisjoint(other.columns):
            return True
        if not (self.continuous and other.continuous):
            return False
        edge = min(_edge(self), _edge(other))
        mine, theirs = (s.sketch[s.sketch <= edge] for s in (self, other))
        fewer = min(len(mine), len(theirs))
        return fewer >= min(_ENOUGH, self.n, other.n) and bool(
            len(np.intersect1d(mine, theirs, assume_unique=True)) >= SAME * fewer
        )


def _edge(look: Seen) -> int:
    """Below this mark the sketch is complete."""
    return int(look.sketch[-1]) if look.n > len(look.sketch) else 2**64 - 1


@dataclass(frozen=True)
class Look:
    """The k-th look at some rows; together the looks cost ``spent``. ``trouble``: not counted."""

    k: int
    spent: float
    cost: float
    budget: float | None = None
    trouble: str = ""

    def words(self, delta: float) -> tuple[str, ...]:
        """What has to stand before a number at level ``delta``; nothing if that pays for all."""
        if self.trouble:
            return (f"LOOKS NOT COUNTED ({self.trouble})",)
        if self.budget is not None or self.spent <= delta * (1.0 + 1e-9):
            return ()
        one = f"one of {self.k} numbers from these rows"
        if self.spent >= 1.0:
            return (f"{one}, too many for a confidence in all of them (share a budget=)",)
        sure = confidence(self.spent)
        return (f"{one}, which hold together, the smallest too, with {sure} confidence",)

    def stamp(self, certificate: Certificate) -> Certificate:
        """The certificate with its number of looks, paid from the budget if there is one."""
        facts: dict[str, Any] = {"k": self.k, "spent": self.spent}
        if self.trouble:
            facts = {"k": None, "trouble": self.trouble}
        if self.budget is not None:
            facts["budget"] = self.budget
            certificate = _paid(certificate, self)
        found = (*self.words(float(certificate.delta or 0.0)), *certificate.found)
        about = {**(certificate.about or {}), "look": facts}
        return replace(certificate, found=found, about=about)


def unstamped(certificate: Certificate) -> Certificate:
    """The certificate without the words about the look that it was stamped as."""
    facts = (certificate.about or {}).get("look")
    if not facts:
        return certificate
    trouble, budget = facts.get("trouble", ""), facts.get("budget")
    look = Look(facts.get("k") or 0, facts.get("spent", 0.0), 0.0, budget, trouble)
    words = look.words(float(certificate.delta or 0.0))
    return replace(certificate, found=tuple(w for w in certificate.found if w not in words))


def share_of(k: int, budget: float) -> float:
    """What the k-th look may spend: 0.9·δ, then 0.1·δ·6/(π²(k−1)²), which add up to δ."""
    if k == 1:
        return _FIRST * budget
    return (1.0 - _FIRST) * budget * 6.0 / (math.pi * (k - 1)) ** 2


def _paid(certificate: Certificate, look: Look) -> Certificate:
    """At the level of the budget, of which this look had its share."""
    budget = float(look.budget or 0.0)
    others = Entry("other looks at these rows", budget - look.cost, f"look {look.k} of a budget")
    details = {"own_delta": certificate.delta, **certificate.details}
    ledger = certificate.ledger + Ledger((others,))
    assumed = (*certificate.assumptions, "what was looked at did not depend on earlier numbers")
    return replace(certificate, delta=budget, ledger=ledger, details=details, assumptions=assumed)


class Memory:
    """The looks of this process."""

    def __init__(self) -> None:
        self._looks = Shelf(_REMEMBERED)
        self._lock = Lock()

    def forget(self) -> None:
        """Start anew, for tests and pages whose results must not depend on what ran before."""
        with self._lock:
            self._looks.clear()

    def peek(self, look: Seen, budget: float | None) -> Look:
        """Which look this would be."""
        with self._lock:
            return count(self._looks.at_the_same_rows(look), look, budget)

    def add(self, look: Seen, budget: float | None) -> Look:
        """Count it, unless the same look was made before."""
        with self._lock:
            before = self._looks.at_the_same_rows(look)
            found = count(before, look, budget)
            if all(past.key != look.key for past in before):
                self._looks.add(replace(look, cost=found.cost))
            return found


MEMORY = Memory()
forget = MEMORY.forget


def count(before: list[Seen], look: Seen, budget: float | None) -> Look:
    """The number of a look among those at the same rows; one made before keeps its number."""
    keys = [p.key for p in before]
    at = keys.index(look.key) if look.key in keys else len(before)
    k = at + 1
    cost = look.cost if budget is None else share_of(k, budget)
    return Look(k, math.fsum([*(p.cost for p in before[:at]), cost]), cost, budget)


def seen_rows(
    X: Samples, y: ArrayLike, salt: bytes, what: Any, delta: float, *, pairwise: bool
) -> Seen | None:
    """The look at a table; None if its rows have no marks (objects nobody can compare)."""
    try:
        marks = with_labels(row_marks(X, salt, pairwise=pairwise), y)
        columns = column_names(X, y, salt, pairwise=pairwise)
    except (TypeError, ValueError, AttributeError, pickle.PicklingError):
        return None
    distinct, name = np.unique(marks), digest(marks)
    return Seen(
        len(marks),
        name,
        distinct[:SKETCH],
        len(marks) - len(distinct) <= REPEATING * len(marks),
        key_of((what, name), salt),
        float(delta),
        columns,
    )


def key_of(what: Any, salt: bytes) -> str:
    """A name for what was asked; where an object lies in memory is no part of it."""
    text = re.sub(r" at 0x[0-9a-fA-F]+", "", repr(what))
    return hashlib.blake2b(text.encode(), digest_size=12, key=salt).hexdigest()


@dataclass(frozen=True)
class Taking:
    """A look that has been begun: ``look`` says what it may spend, `done` counts it."""

    look: Look
    _seen: Seen | None
    _again: Any = None

    def done(self, certificate: Certificate) -> Certificate:
        """Count the look and say which one it was."""
        if self._seen is None:
            return certificate
        budget = self.look.budget
        here = MEMORY.add(self._seen, budget)
        there = self.look if self._again is None or budget is not None else self._again()
        if budget is not None or there.trouble:
            return there.stamp(certificate)
        return max(here, there, key=lambda found: found.k).stamp(certificate)


_PAID: ContextVar[bool] = ContextVar("paid", default=False)


@contextmanager
def paid_together() -> Iterator[None]:
    """Numbers made inside share a δ that the caller has divided: they are no further looks."""
    token = _PAID.set(True)
    try:
        yield
    finally:
        _PAID.reset(token)


def check_ledger(ledger: Any, budget: Any) -> tuple[Path | None, float | None]:
    """A path or nothing, and a failure probability or nothing."""
    if ledger is not None and not isinstance(ledger, str | Path):
        raise ValueError(f"ledger must be a path, got {ledger!r}")
    return (
        None if ledger is None else Path(ledger),
        None if budget is None else float(check_delta(budget)),
    )


def inside_cross_validation() -> bool:
    """Whether scikit-learn tries something out: nobody reads the certificates of folds."""
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_globals.get("__name__", "").startswith("sklearn.model_selection."):
            return True
        frame = frame.f_back  # type: ignore[assignment]
    return False


def one_of_folds(certificate: Certificate) -> Certificate:
    """A number of a fold is not counted; whoever keeps the folds' models sees that it is not."""
    words = "LOOKS NOT COUNTED (fitted inside a cross-validation: the smallest number of its folds "
    return replace(certificate, found=(f"{words}holds with less confidence)", *certificate.found))


def begin(
    X: Any,
    y: Any,
    what: Any,
    delta: float,
    *,
    pairwise: bool = False,
    ledger: str | Path | None = None,
    budget: float | None = None,
) -> Taking:
    """Begin a look at some rows. With a budget it is counted at once, whatever comes of it."""
    from mercer.certification.core.look_file import LookFile

    seen = None
    if not _PAID.get():
        seen = seen_rows(X, y, b"looks", what, delta, pairwise=pairwise)
    if seen is None:
        return Taking(Look(1, delta, delta), None)
    if ledger is None:
        take = MEMORY.peek if budget is None else MEMORY.add
        return Taking(take(seen, budget), seen)
    file = LookFile(Path(ledger))

    def add() -> Look:
        return file.add(lambda salt: seen_rows(X, y, salt, what, delta, pairwise=pairwise), budget)

    if budget is None:
        return Taking(Look(1, delta, delta), seen, add)
    return Taking(add(), seen, add)


def begin_counting(
    kind: str, X: Samples, y: ArrayLike, columns: Any, asked: Any, delta: float, *, pairwise: bool,
    ledger: str | Path | None = None, budget: float | None = None,
) -> tuple[Taking, float]:  # fmt: skip
    """Begin a look at fresh rows that a guarantee counts answers on, named by these columns.

    With what it may spend: ``delta``, or a share of the budget.
    """
    file, budget = check_ledger(ledger, budget)
    names = tuple(key_of(np.asarray(column).tolist(), b"answers") for column in columns)
    what = (kind, names, asked)
    taking = begin(X, y, what, delta, pairwise=pairwise, ledger=file, budget=budget)
    return taking, delta if budget is None else check_delta(taking.look.cost)
