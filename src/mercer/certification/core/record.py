"""What a certified fit did: rows, split, cost, and the usual 80/20 split beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._card import card
from mercer.bounds import Certificate, Ledger
from mercer.bounds.plain_data import plain
from mercer.certification.checks.check import Check
from mercer.certification.core.order import one_of_each
from mercer.certification.core.task import Refused
from mercer.learners.rows_seen import RowsSeen


@dataclass(frozen=True, eq=False)
class Certification:
    """The record of one certified fit.

    ``train_rows`` are the rows the returned model was trained on, ``counted_rows`` those it was
    judged by; both are numbers of rows as passed. ``comparison`` is the plain 80/20 hold-out limit,
    for orientation only: it is no part of the certificate and of its δ. ``seconds`` is what the
    parts cost. ``other_model`` is the certified model behind a transfer.
    ``units`` numbers the groups of ``counted_rows``, where whole groups were counted.
    ``marks`` (salted, one number per row) tell the training rows when they come again, ``probe``
    (parameters, answers on a few rows) tells the model from a changed one.
    """

    mode: str | tuple[str, ...]
    delta: float
    n: int
    train_rows: NDArray[np.intp]
    counted_rows: NDArray[np.intp]
    order: str = "random"
    seed: int | None = None
    split: Mapping[str, Any] = field(default_factory=dict)
    comparison: Mapping[str, Any] = field(default_factory=dict)
    ledger: Ledger = field(default_factory=Ledger)
    seconds: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    tried: Mapping[str, Certificate] = field(default_factory=dict)
    checks: tuple[Check, ...] = ()
    other_model: Any = None
    marks: RowsSeen | Mapping[str, Any] | None = None  # a mapping in files of the first formats
    probe: Mapping[str, Any] | None = None
    units: NDArray[np.intp] | None = None

    @property
    def unseen_rows(self) -> NDArray[np.intp]:
        """Counted rows that had no say in the model: none of those that it learned or chose by.

        Who picks among models, rows or weights by what it counts has a certificate that pays for
        it; whatever else is counted on these rows would not be paid for.
        """
        from mercer.certification import modes

        mode = modes.available().get(str(self.mode))  # of several modes the best was chosen
        if mode is None or not mode.keeps_unseen(self.split):
            return np.empty(0, dtype=np.intp)
        return np.setdiff1d(self.counted_rows, self.train_rows).astype(np.intp)

    def independent(self, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        """Of some counted rows those that were drawn independently: of every group one.

        Which one is decided by a fixed seed, before anybody looks.
        """
        if self.order != "groups":
            return rows
        if self.units is None:
            raise Refused("this model was saved when groups were not yet kept: fit it again.")
        unit = np.zeros(self.n, dtype=np.intp)
        unit[self.counted_rows] = self.units
        return rows[one_of_each(unit[rows])]

    @property
    def trained_on(self) -> int:
        """Number of rows the returned model was trained on."""
        return len(self.train_rows)

    @property
    def counted_on(self) -> int:
        """Number of labelled rows that were counted."""
        return len(self.counted_rows)

    def explain(self) -> str:
        """The record in plain words."""
        mode = self.mode if isinstance(self.mode, str) else " + ".join(self.mode)
        lines = [
            f"Mode {mode}: of {self.n} rows the model was trained on {self.trained_on} and judged "
            f"by {self.counted_on}.",
        ]
        if self.order == "random":
            lines.append(f"The rows were shuffled with seed {self.seed}, not stratified.")
        elif self.order == "groups":
            lines.append(f"Whole groups were shuffled with seed {self.seed}.")
        else:
            lines.append("The model was trained on the past and judged by what came after.")
        if self.comparison:
            lines.append(f"For comparison: {self.comparison['words']}")
        spent = ", ".join(f"{what} {value:.2f} s" for what, value in self.seconds.items())
        lines.append(f"Time: {spent}.")
        return "\n".join([*lines, *self.notes, *(str(check) for check in self.checks)])

    __str__ = explain

    def _repr_html_(self) -> str:
        """A card for notebooks: one sentence in each line."""
        return card("Certification", ((str(i), words) for i, words in
                                      enumerate(self.explain().splitlines(), start=1)))  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON types; the models are left out."""
        data = {
            name: getattr(self, name)
            for name in ("mode", "delta", "n", "order", "seed", "split", "comparison", "seconds")
        }
        data |= {"train_rows": self.train_rows, "counted_rows": self.counted_rows}
        result = plain(data | {"notes": self.notes})
        result["ledger"] = self.ledger.to_list()
        result["tried"] = {name: c.to_dict(inputs=False) for name, c in self.tried.items()}
        result["checks"] = [check.to_dict() for check in self.checks]
        return result
