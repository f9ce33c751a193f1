"""The mean absolute error of a Lipschitz function whose target has known limits."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from mercer.bounds._bound import Bound, Outcome
from mercer.bounds._evidence import Evidence
from mercer.bounds._ledger import Entry, Ledger
from mercer.bounds._lipschitz_record import Lipschitz
from mercer.bounds._not_applicable import NotApplicable
from mercer.bounds.lipschitz import covering_complexity, sign_noise
from mercer.bounds.numerics import integer_weights
from mercer.bounds.numerics.checks import log_level


class LipschitzRegression(Bound):
    """Theorem III.1 for the loss |y - f(x)| / (high - low), which has slope ½ in units of f.

    Units are chosen so that targets and function lie in [-1, 1]; then
    loss ≤ empirical loss + 2·½·R̂ + 3 sqrt(ln(2/δ)/(2n)), with the conditional Rademacher value R̂
    of all |g| ≤ 1 with Lipschitz constant 2^j, the next power above the function's own.
    """

    code = "lipschitz-regression"
    title = "Lipschitz regression, mean absolute error"
    reference = "von Luxburg 2004, theorem III.1; Bartlett and Mendelson 2002, theorem 8"
    provenance = "derived"
    tasks = ("regression",)
    quantity = "mean loss"
    needs = ("lipschitz", "loss_range")
    assumptions = (
        *Bound.assumptions,
        "the distance is a metric and was fixed before the data",
        "no target can leave the declared range",
    )

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        record: Lipschitz = evidence.need("lipschitz")
        low, high = evidence.need("loss_range")
        if evidence.loss != "absolute" or low != 0.0 or len(record.losses) != 1:
            raise NotApplicable("needs the mean absolute error of a Lipschitz function")
        (exponent,), n = record.exponents, evidence.n
        share = delta * integer_weights(exponent)
        if record.complexity:
            share /= 2.0
            complexity = record.complexity[0] + sign_noise(record.rows, record.draws, share)
        elif record.radii is not None:
            complexity = covering_complexity(record.radii, 2.0**exponent, record.rows)
        else:
            raise NotApplicable("needs the complexity or the covering radii of the rows")
        width = 3.0 * math.sqrt((math.log(2.0) - log_level(share)) / (2.0 * n))
        return Outcome(
            value=high * (record.losses[0] + complexity + width),
            n=n,
            observed=high * record.losses[0],
            ledger=Ledger((Entry(self.title, delta, "constants 2^j, weights ~1/(1+|j|)²"),)),
            counted=f"mean absolute error of {n} rows, Lipschitz constant 2^{exponent} half-ranges",
            spent="all rows, for training and for the certificate",
            details={"constant": 2.0**exponent},
        )

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """A smooth function of many rows, and one whose complexity was too expensive."""
        for complexity in ((0.05,), ()):
            record = Lipschitz(
                20000, 1.0, (0,), complexity, 4, np.array([1.0, 0.5, 0.01]), losses=(0.1,)
            )
            yield Evidence(
                20000,
                task="regression",
                loss="absolute",
                risks={"absolute": 0.2},
                lipschitz=record,
                loss_range=(0.0, 2.0),
            )
