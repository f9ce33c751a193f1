"""Luckiness: bounds for zero training error whose complexity is measured on the sample."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from mercer.bounds._bound import Bound, Outcome
from mercer.bounds._evidence import Evidence
from mercer.bounds._ledger import Entry, Ledger
from mercer.bounds._not_applicable import NotApplicable
from mercer.bounds.numerics.checks import as_level, log_level

_LOG2 = math.log(2.0)
_SPENT = "all rows, for training and for the certificate"


def luckiness_bound(
    m: int,
    log2_omega: Callable[[float], float],
    delta: float,
    *,
    weight: Callable[[int], float] | None = None,
) -> tuple[float, int]:
    """(2/m)(d + ld(4/(δp_d))) at the smallest admissible d, and that d.

    ``log2_omega(level)`` is ld ω(L(z,h), level), the number of loss vectors on a double sample of
    rules at least as lucky as h, valid with probability 1 − level; ``weight(d)`` is the share p_d
    of δ, fixed before the data, for every d up to 2m (default: 1/(2m); the sum must not exceed 1).
    Herbrich theorem 4.19.
    """
    level = as_level(delta)
    if weight is None:
        p = 1.0 / (2.0 * m)
        size = log2_omega(level * (0.25 * p))
        d = max(1, math.ceil(size)) if size <= 2 * m else 2 * m
        return (_value(m, d, level * p) if size <= 2 * m else math.inf), d
    shares = [weight(d) for d in range(1, 2 * m + 1)]
    if min(shares) < 0 or math.fsum(shares) > 1.0 + 1e-9:
        raise ValueError(f"the weights must be >= 0 and sum to 1 at most, got {math.fsum(shares)}")
    for d, p in enumerate(shares, start=1):
        if p > 0 and log2_omega(level * (0.25 * p)) <= d:
            return _value(m, d, level * p), d
    return math.inf, 2 * m


def _value(m: int, d: float, level: float) -> float:
    return 2.0 / m * (d + 2.0 - log_level(level) / _LOG2)


def log2_omega_empirical_vc(m: int, v: float, level: float) -> float:
    """ld(2em/D)^D with D = 4(v + ln(1/level)), for level ≤ 1/2 (Herbrich theorem C.6)."""
    if level > 0.5:
        raise ValueError(f"the theorem needs a level of at most 1/2, got {level!r}")
    dimension = 4.0 * (v - log_level(level))
    return math.inf if dimension > 2 * m else dimension * math.log2(2.0 * math.e * m / dimension)


def _no_errors(evidence: Evidence) -> None:
    if evidence.n_classes > 2:
        raise NotApplicable("is stated for two classes", structural=True)
    if evidence.need("errors"):
        raise NotApplicable("needs zero training error")


@dataclass(frozen=True)
class PacLuckiness(Bound):
    """No training error: R ≤ (2/m)(⌈d·ld(2em/d)⌉ + ld(4/δ)), d ≤ 2m the VC dimension.

    The luckiness is L = −d, the same on every sample. ``as_printed=True`` leaves out the ceiling,
    as the text does.
    """

    as_printed: bool = False

    code = "luckiness-vc"
    title = "luckiness bound from the VC dimension"
    reference = "Shawe-Taylor et al. 1998; Herbrich 2002, example 4.21"
    provenance = "corrected"
    erratum = "the text leaves out the ceiling that the whole number d of theorem 4.19 brings"
    needs = ("dimension", "errors")
    reads = ("offset",)
    assumptions = (*Bound.assumptions, "the kernel and its parameters were fixed before the data")

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        _no_errors(evidence)
        m, vc = evidence.n, int(evidence.need("dimension")) + (evidence.offset is not None)
        if vc < 1:
            raise NotApplicable("a class of VC dimension 0 has nothing to choose from the rows")
        if vc > 2 * m:
            raise NotApplicable(f"needs 2m >= {vc}")
        size = vc * math.log2(2.0 * math.e * m / vc)
        d = size if self.as_printed else math.ceil(size)
        return Outcome(
            value=_value(m, d, delta),
            n=m,
            observed=0.0,
            counted=f"no training error on {m} rows, VC dimension {vc}",
            spent=_SPENT,
        )

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """Separable in ten dimensions."""
        yield Evidence(1000, errors=0, dimension=10)


@dataclass(frozen=True)
class EmpiricalVCLuckiness(Bound):
    """No training error: R ≤ (2/m)(⌈D·ld(2em/D)⌉ + ld(4/δ')), D = 4(v + ln(4/δ')), δ' = δ/(2m).

    Needs D ≤ 2m. The luckiness is L = −v, v the VC dimension on the sample: for linear rules the
    rank of the Gram matrix, one more with an offset. δ' pays for the choice of ⌈D·ld(2em/D)⌉.
    """

    code = "luckiness-rank"
    title = "luckiness bound from the VC dimension on the sample"
    reference = "Shawe-Taylor et al. 1998; Herbrich 2002, example 4.22"
    provenance = "book"
    needs = ("rank", "errors")
    reads = ("offset",)
    assumptions = (*Bound.assumptions, "the kernel and its parameters were fixed before the data")

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        _no_errors(evidence)
        m, v = evidence.n, int(evidence.need("rank")) + (evidence.offset is not None)
        level = delta / (2.0 * m)
        d = log2_omega_empirical_vc(m, v, level / 4.0)
        value = math.inf if math.isinf(d) else _value(m, math.ceil(d), level)
        return Outcome(
            value=value,
            n=m,
            observed=0.0,
            ledger=Ledger((Entry(self.title, delta, f"divided over {2 * m} levels"),)),
            counted=f"no training error on {m} rows, VC dimension {v} on the sample",
            spent=_SPENT,
        )

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """Rank ten."""
        yield Evidence(10000, errors=0, rank=10)
