"""Any bound as a curve over n, a margin, a dimension, λ, δ or any other number in the evidence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mercer.bounds._bound import Bound
from mercer.bounds._evidence import Evidence
from mercer.bounds._not_applicable import NotApplicable
from mercer.bounds._records import Floats
from mercer.bounds.numerics.checks import level_or_default


@dataclass(frozen=True)
class Curve:
    """Values of a bound; NaN where it does not apply. Not clipped."""

    code: str
    over: str
    at: Floats
    values: Floats
    ceiling: float

    @property
    def informative_from(self) -> float | None:
        """First point at which the bound says something, None if nowhere."""
        useful = self.values < self.ceiling
        return float(self.at[int(np.argmax(useful))]) if useful.any() else None


def curve(
    bound: Bound,
    evidence: Evidence,
    over: str,
    values: Sequence[float],
    delta: float | None = None,
    *,
    log_delta: float | None = None,
) -> Curve:
    """Evaluate ``bound`` while one number changes.

    ``over`` is ``"n"`` (observed rates kept), ``"delta"``, ``"log_delta"``, ``"margin"`` (the
    smallest margin, the others in proportion), ``"lam"`` or any field of `Evidence`, dotted into
    records. A number that the bound does not read is refused: its flat line would look like one.
    """
    found = np.full(len(values), math.nan)
    ceiling, level = 1.0, level_or_default(delta, log_delta)
    for i, value in enumerate(values):
        try:
            if over == "delta":
                certificate = bound.evaluate(evidence, value)
            elif over == "log_delta":
                certificate = bound.evaluate(evidence, log_delta=value)
            else:
                certificate = bound.evaluate(evidence.vary(over, value), level)
        except NotApplicable:
            continue
        found[i], ceiling = certificate.unclipped, certificate.loss_range[1]
    drawn = Curve(bound.code, over, np.asarray(values, dtype=float), found, ceiling)
    _refuse_unread(bound, drawn)
    return drawn


_FIELDS = {"margin": "margins", "lam": "C"}


def _refuse_unread(bound: Bound, drawn: Curve) -> None:
    """Raise if the line is flat because the bound does not look at the number that changes.

    A bound declares the records and arrays that it reads; of plain numbers and of the parts of a
    record only the line itself can tell. More rows at the same rates are always a fair question.
    """
    seen = np.isfinite(drawn.values)
    flat = len(np.unique(drawn.at[seen])) > 1 and len(np.unique(drawn.values[seen])) == 1
    declared = {*bound.needs, *bound.reads, *bound.instead.values()}
    if flat and drawn.over != "n" and _FIELDS.get(drawn.over, drawn.over) not in declared:
        raise ValueError(
            f"the bound {bound.code!r} does not depend on {drawn.over!r}: it reads "
            f"{', '.join(sorted(declared))}, and the number of rows"
        )
