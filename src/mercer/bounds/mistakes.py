"""From mistakes to risk: mistake-driven learners are compression schemes."""

from __future__ import annotations

import math
from collections.abc import Iterator

from mercer.bounds._bound import Bound, Outcome
from mercer.bounds._evidence import Evidence
from mercer.bounds._not_applicable import NotApplicable
from mercer.bounds._records import Mistakes
from mercer.bounds.compression import compression_log_price
from mercer.bounds.numerics.checks import log_level

_DRIVEN = "the learner changes its rule only on mistakes and ended without one"


def novikoff(radius: float, margin: float) -> float:
    """(radius/margin)²: no order of presentation makes the perceptron err more often."""
    if not margin > 0:
        raise ValueError(f"the margin must be positive, got {margin!r}")
    return (radius / margin) ** 2


def halving_limit(class_size: float) -> float:
    """ld|H|: each mistake of the halving rule removes at least half of the class (two classes)."""
    return math.log2(class_size)


def mistake_bound(m: int, mistakes: float, delta: float) -> float:
    """(2/m)(M·ln(em) + ln m + ln(1/δ)), Herbrich (5.17)."""
    return 2.0 / m * (mistakes * (1.0 + math.log(m)) + math.log(m) - log_level(delta))


class _Driven(Bound):
    needs = ("mistakes",)
    assumptions = (*Bound.assumptions, _DRIVEN)

    def _finish(self, run: Mistakes, value: float, counted: str) -> Outcome:
        return Outcome(
            value=value,
            n=run.rows,
            observed=0.0,
            counted=f"{counted} on {run.rows} rows",
            spent="all rows, for training and for the certificate",
        )

    @staticmethod
    def _limit(evidence: Evidence) -> float:
        limit = evidence.need("mistakes").limit
        if limit is None:
            raise NotApplicable("no bound on the number of mistakes is known", structural=True)
        return float(limit)

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """Twenty-one rows ever mistaken, at most twenty-five mistakes in any order."""
        yield Evidence(10000, errors=0, mistakes=Mistakes(10000, 21, limit=25.0))


class MistakeBound(_Driven):
    """(2/m)(M·ln(em) + ln m + ln(1/δ)) from a bound M on the mistakes in any order."""

    code = "mistake-bound"
    title = "risk bound from a mistake bound"
    reference = "Littlestone and Warmuth 1986; Herbrich 2002, theorem 5.23"
    provenance = "book"

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        run, limit = evidence.need("mistakes"), self._limit(evidence)
        return self._finish(
            run, mistake_bound(run.rows, limit, delta), f"at most {limit:.4g} mistakes"
        )


class MistakeSparsity(_Driven):
    """κ = ⌈M⌉ mistakes at most: (ln C(m,κ) + ln m + ln(1/δ))/(m − κ), as an exact tail.

    The perceptron inherits this from the margin that a support vector machine would reach.
    """

    code = "mistake-sparsity"
    title = "sparsity bound from a mistake bound"
    reference = "Graepel, Herbrich and Williamson 2001"

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        run, kept = evidence.need("mistakes"), math.ceil(self._limit(evidence) - 1e-12)
        if 2 * kept > run.rows:
            raise NotApplicable("more mistakes are possible than half of the rows")
        price = compression_log_price(run.rows, kept, ordered=not run.in_order) - log_level(delta)
        value = -math.expm1(-price / (run.rows - kept))
        return self._finish(run, value, f"at most {kept} mistaken rows")


class MistakeCompression(_Driven):
    """The rows that ever caused a mistake rebuild the rule; the others tested it without error.

    R ≤ 1 − exp(−(ln C(m,d) + ln m + ln(1/δ))/(m − d)) for d such rows; ln(d!) more if the order in
    which they came has to be told.
    """

    code = "mistake-compression"
    title = "compression bound on the rows ever mistaken"
    reference = "Littlestone and Warmuth 1986; Herbrich 2002, theorem 5.17 with the exact tail"
    provenance = "corrected"

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        run = evidence.need("mistakes")
        if run.distinct == run.rows:
            raise NotApplicable("every row was mistaken at least once")
        price = compression_log_price(run.rows, run.distinct, ordered=not run.in_order)
        value = -math.expm1(-(price - log_level(delta)) / (run.rows - run.distinct))
        return self._finish(run, value, f"{run.distinct} rows ever mistaken")
