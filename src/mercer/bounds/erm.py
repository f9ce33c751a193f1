"""How much worse the empirical minimiser is than the best rule of its class.

These speak about the excess over the class's best rule, for learners that really minimise the
number of training errors (``formulation="erm"``), not about the error rate.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from mercer.bounds._bound import Bound, Outcome
from mercer.bounds._evidence import Evidence
from mercer.bounds._not_applicable import NotApplicable
from mercer.bounds.numerics import log_binom, log_growth
from mercer.bounds.numerics.checks import at_most_one, log_level
from mercer.bounds.vc import agnostic_width

_EXCESS = "excess error over the best rule of the class"


def linear_separable_tail(m: int, d: int, epsilon: float) -> float:
    """2·C(m,d)·exp(−(m−d)ε): a hyperplane through d points looks perfect but has risk above ε."""
    if m <= d:
        return 1.0
    return at_most_one(math.log(2.0) + log_binom(m, d) - (m - d) * epsilon)


def linear_separable_mean(m: int, d: int) -> float:
    """(d·ln m + 2)/(m − d), the expected risk in the separable case, m > d."""
    if m <= d:
        raise ValueError(f"needs more rows than dimensions, got m={m}, d={d}")
    return (d * math.log(m) + 2.0) / (m - d)


def linear_tail(m: int, d: int, epsilon: float) -> float:
    """(2C(m,d) + 1)·exp(−mε²/2 + 2dε): excess risk of the best of the enumerated hyperplanes.

    For 2d/m ≤ ε ≤ 1, m > d; a smaller ε is answered with one.
    """
    if m <= d or epsilon * m < 2 * d:
        return 1.0
    log_count = math.log(2.0) + log_binom(m, d)
    return at_most_one(
        log_count + math.log1p(math.exp(-log_count)) - m * epsilon**2 / 2 + 2 * d * epsilon
    )


def linear_mean(m: int, d: int) -> float:
    """√((2/m)((d+1)·ln m + 2(d+1))), the expected excess risk."""
    return math.sqrt(2.0 / m * ((d + 1) * math.log(m) + 2.0 * (d + 1)))


def vc_tail(m: int, log_shatter: float, epsilon: float, *, excess: bool = False) -> float:
    """8·S(m)·exp(−mε²/32) for the uniform deviation, /128 for the excess of the minimiser."""
    return at_most_one(math.log(8.0) + log_shatter - m * epsilon**2 / (128.0 if excess else 32.0))


def vc_mean(m: int, log_shatter: float) -> float:
    """16·√((ln S(m) + 4)/(2m)), the expected excess of the minimiser."""
    return 16.0 * math.sqrt((log_shatter + 4.0) / (2.0 * m))


class _Erm(Bound):
    """Common refusals: only a minimiser of training errors over a linear class."""

    quantity = _EXCESS
    needs = ("dimension", "errors")
    reads = ("offset",)
    assumptions = (
        *Bound.assumptions,
        "the rule has the fewest training errors of all rules of the class",
        "the features were fixed before the data",
    )

    def _vc(self, evidence: Evidence) -> int:
        if evidence.formulation not in ("erm", "erm-enumeration"):
            raise NotApplicable("speaks about minimisers of the training error", structural=True)
        if evidence.n_classes > 2:
            raise NotApplicable("is stated for two classes", structural=True)
        vc = int(evidence.need("dimension")) + (evidence.offset is not None)
        if vc < 1:
            raise NotApplicable("a class of VC dimension 0 has nothing to choose from the rows")
        return vc

    def _finish(self, evidence: Evidence, value: float, vc: int) -> Outcome:
        return Outcome(
            value=value,
            n=evidence.n,
            observed=0.0,
            counted=f"{evidence.n} rows, VC dimension {vc}",
            spent="all rows, for training",
        )

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """Planes in three dimensions."""
        yield Evidence(20000, formulation="erm-enumeration", errors=100, dimension=2, offset=0.3)


@dataclass(frozen=True)
class ErmExcess(_Erm):
    """R[h] − R[h*] ≤ √((32/m)(ln(4/δ) + G(2m))): twice the uniform deviation of (4.14).

    G(2m) is the logarithm of Sauer's sum for 2m points and the VC dimension of the class.
    """

    code = "erm-excess"
    title = "excess of the empirical minimiser"
    reference = "Vapnik 1982; Herbrich 2002, (4.13)"
    provenance = "book"

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        m, vc = evidence.n, self._vc(evidence)
        width = 2.0 * agnostic_width(m, log_growth(2 * m, vc), delta)
        return self._finish(evidence, width, vc)


class ErmExcessSets(_Erm):
    """The notes' form, √((128/m)(ln 8 + ln S(m) + ln(1/δ))): shatter coefficient at m, not 2m.

    S(m) = Σ_{i≤h} C(m, i), h the VC dimension: that of the features, one more with an offset.
    """

    code = "erm-excess-shatter"
    title = "excess of the empirical minimiser from the shatter coefficient"
    reference = "Devroye, Györfi and Lugosi 1996; Banisch, theorem 2.18"
    provenance = "book"

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        m, vc = evidence.n, self._vc(evidence)
        bracket = (math.log(8.0) - log_level(delta)) + log_growth(m, vc)
        return self._finish(evidence, math.sqrt(128.0 / m * bracket), vc)


class LinearErm(_Erm):
    """Hyperplanes through d of the points, all tried: (2C(m,d)+1)·exp(−mε²/2 + 2dε) = δ.

    Valid for 2d/m ≤ ε ≤ 1; d is the dimension of the inputs, the hyperplanes have an offset.
    """

    code = "erm-linear"
    title = "excess of the best enumerated hyperplane"
    reference = "Devroye, Györfi and Lugosi 1996, theorem 4.5; Banisch, theorem 2.14"
    provenance = "book"
    assumptions = (*_Erm.assumptions, "the inputs have a density")

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        self._vc(evidence)
        d, m = int(evidence.need("dimension")), evidence.n
        if evidence.formulation != "erm-enumeration":
            raise NotApplicable("speaks about enumerated hyperplanes", structural=True)
        if m <= d:
            raise NotApplicable("needs more rows than dimensions")
        log_count = math.log(2.0) + log_binom(m, d)
        price = log_count + math.log1p(math.exp(-log_count)) - log_level(delta)
        # the larger root of mε²/2 − 2dε = price
        epsilon = (2.0 * d + math.sqrt(4.0 * d * d + 2.0 * m * price)) / m
        return self._finish(evidence, max(epsilon, 2.0 * d / m), d + 1)


class LinearErmSeparable(_Erm):
    """No training error: 2·C(m,d)·exp(−(m−d)ε) = δ; about the error rate itself."""

    code = "erm-linear-separable"
    title = "error of an enumerated hyperplane without training error"
    reference = "Devroye, Györfi and Lugosi 1996; Banisch, corollary 2.13"
    provenance = "book"
    quantity = "error rate"
    assumptions = (
        *LinearErm.assumptions,
        "some hyperplane separates the law without error",
    )

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        self._vc(evidence)
        d, m = int(evidence.need("dimension")), evidence.n
        if evidence.formulation != "erm-enumeration":
            raise NotApplicable("speaks about enumerated hyperplanes", structural=True)
        if evidence.need("errors"):
            raise NotApplicable("needs zero training error")
        if m <= d:
            raise NotApplicable("needs more rows than dimensions")
        epsilon = (math.log(2.0) + log_binom(m, d) - log_level(delta)) / (m - d)
        return self._finish(evidence, epsilon, d + 1)

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """Separable in the plane."""
        yield Evidence(1000, formulation="erm-enumeration", errors=0, dimension=2, offset=0.1)
