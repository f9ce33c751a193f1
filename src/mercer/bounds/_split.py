"""How many rows to train on and how many to keep for the certificate, from the first half only."""

from __future__ import annotations

import math
from dataclasses import dataclass

from mercer.bounds.numerics import kl_upper
from mercer.bounds.numerics.checks import check_delta, log_level


@dataclass(frozen=True)
class HalfStudy:
    """Two small fits inside the first half of the rows.

    ``early`` errors of the model on the first 20 % over the rows between 20 % and 50 %
    (``early_rows``); ``early_late`` and ``late`` errors of the models on 20 % and on 40 % over the
    rows between 40 % and 50 % (``late_rows``). The two gave different labels to ``moved`` of
    ``moved_rows`` inputs, which are not counted later. ``spread`` is the variance of losses that
    are no plain errors.
    """

    early: int
    early_rows: int
    early_late: int
    late: int
    late_rows: int
    moved: int = 0
    moved_rows: int = 0
    spread: float | None = None

    def exponent(self) -> float:
        """Learning-curve exponent: the risk falls like (rows)^−exponent."""
        return min(1.5, max(0.0, math.log2((self.early_late + 3) / (self.late + 3))))

    def risk_at(self, fraction: float) -> float:
        """Predicted risk of a model trained on this share of the rows."""
        beta = self.exponent()
        early = (self.early + 1) / (self.early_rows + 2) * 2.0**-beta
        at_40 = (self.early_rows * early + self.late) / (self.early_rows + self.late_rows)
        return min(1.0, at_40 * (fraction / 0.4) ** -beta)

    def disagreement_at(self, fraction: float) -> float:
        """Predicted share of inputs on which models on this share and on all rows differ.

        The estimates of nested samples differ with variance 1/f − 1, against 1/0.2 − 1/0.4 for the
        two small models; the share of inputs in between grows like the standard deviation.
        """
        seen = (self.moved + 0.5) / (self.moved_rows + 1)
        return min(1.0, seen * math.sqrt((1.0 / fraction - 1.0) / 2.5))


def transfer_fraction(study: HalfStudy, n: int, delta: float = 0.05) -> float:
    """Share of the rows to train on so that limit plus disagreement is predicted to be smallest."""
    check_delta(delta)
    last = 0.975 if n > 30_000 else 0.9
    fractions = [0.5 + 0.025 * i for i in range(round((last - 0.5) / 0.025) + 1)]

    def predicted(fraction: float) -> float:
        held_out = max(1, n - round(fraction * n))
        limit = kl_upper(study.risk_at(fraction), -log_level(delta) / held_out)
        return limit + study.disagreement_at(fraction)

    return min(fractions, key=predicted)


def train_fraction(
    study: HalfStudy, n: int, delta: float = 0.05, *, objective: str = "accurate"
) -> float:
    """Share of the rows to train on so that the predicted certificate is smallest.

    Valid without paying: the choice looks at the first half, and at least that half is always
    trained on. ``objective="accurate"`` trains on at least 60 %, and on more where a smaller test
    part already gives a sharp limit (n above about 30,000); ``"tight"`` on at least 50 %.
    """
    check_delta(delta)
    starts = {"accurate": 0.6, "tight": 0.5}
    if objective not in starts:
        raise ValueError(f"objective must be one of {sorted(starts)}, got {objective!r}")
    if n < 2:
        raise ValueError("at least two rows are needed to hold one out")
    first, last = starts[objective], 0.975 if n > 30_000 else 0.9
    if objective == "accurate":
        first = max(first, 1.0 - _enough_to_hold_out(study.risk_at(0.9), n, delta))
    count = max(1, math.ceil((last - first) / 0.025 - 1e-9) + 1)
    fractions = [min(last, first + 0.025 * i) for i in range(count)]

    def predicted(fraction: float) -> float:
        held_out = max(1, n - round(fraction * n))
        return kl_upper(study.risk_at(fraction), -log_level(delta) / held_out)

    return min(fractions, key=predicted)


def _enough_to_hold_out(risk: float, n: int, delta: float) -> float:
    """The share beyond which a larger test part gains less than the model loses.

    Balances the relative width √(2 ln(1/δ)/(pna)) of the limit against a loss of 15 % of the risk
    per unit of held-out share a.
    """
    width = math.sqrt(2.0 * -log_level(delta) / (max(risk, 1.0 / n) * n))
    return min(0.4, (width / (2.0 * 0.15)) ** (2.0 / 3.0))
