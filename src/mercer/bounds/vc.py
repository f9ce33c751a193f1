"""VC and PAC bounds for kernels with a finite-dimensional feature space."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from mercer.bounds._bound import Bound, Outcome
from mercer.bounds._evidence import Evidence
from mercer.bounds._not_applicable import NotApplicable
from mercer.bounds.numerics import log_cover, log_growth, log_growth_closed
from mercer.bounds.numerics.checks import check_choice, log_level

_GROWTH = {"sauer": log_growth, "closed": log_growth_closed, "cover": log_cover}


def agnostic_width(m: int, growth: float, delta: float) -> float:
    """√((8/m)(ln(4/δ) + G)), (4.14), for any class by its own G = ln N(2m)."""
    return math.sqrt(8.0 / m * (math.log(4.0) - log_level(delta) + growth))


def zero_error_limit(m: int, growth: float, delta: float, *, form: str = "base-2") -> float:
    """(2/m)(ld N(2m) + ld(2/δ)), or with ``form="book"`` (4.15), from G = ln N(2m)."""
    factors = {"base-2": 2.0 / math.log(2.0), "book": 4.0}
    return check_choice(form, factors, "form") * (growth + math.log(2.0) - log_level(delta)) / m


@dataclass(frozen=True)
class _VC(Bound):
    """VC dimension = feature dimension, plus one with an offset; the class is fixed in advance.

    ``growth`` picks the growth function at 2m points: ``"sauer"`` (exact sum), ``"closed"``
    ((2em/d)^d) or ``"cover"`` (exact for hyperplanes, the smallest).
    """

    growth: str = "sauer"

    needs = ("dimension", "errors")
    reads = ("offset",)
    assumptions = (*Bound.assumptions, "the kernel and its parameters were fixed before the data")

    def _facts(self, evidence: Evidence) -> tuple[int, float, float, int]:
        if evidence.n_classes > 2:
            raise NotApplicable("is stated for two classes", structural=True)
        vc = int(evidence.need("dimension")) + (evidence.offset is not None)
        m = evidence.n
        if vc < 1:
            raise NotApplicable("a class of VC dimension 0 has nothing to choose from the rows")
        growth = check_choice(self.growth, _GROWTH, "growth")
        if self.growth == "closed" and vc > 2 * m:
            raise NotApplicable(f"the closed form needs 2m >= {vc}")
        return m, evidence.need("errors") / m, growth(2 * m, vc), vc

    def _finish(self, evidence: Evidence, value: float, vc: int) -> Outcome:
        return Outcome(
            value=value,
            n=evidence.n,
            observed=evidence.need("errors") / evidence.n,
            counted=f"{evidence.errors} training errors on {evidence.n} rows, VC dimension {vc}",
            spent="all rows, for training and for the certificate",
            details={"vc": vc},
        )

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """With errors, and with an offset."""
        yield Evidence(10000, errors=100, dimension=10)
        yield Evidence(1000, errors=100, dimension=9, offset=0.2)


class VCAgnostic(_VC):
    """R ≤ R_emp + √((8/m)(ln(4/δ) + G(2m))): uniform over all hyperplanes.

    G(2m) is the growth function ln N(2m): ``growth`` is Sauer's sum, its closed form, or Cover's.
    """

    code = "vc"
    title = "Vapnik–Chervonenkis bound"
    reference = "Vapnik and Chervonenkis 1971; Herbrich 2002, (4.14)"
    provenance = "book"

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        m, rate, growth, vc = self._facts(evidence)
        return self._finish(evidence, rate + agnostic_width(m, growth, delta), vc)


class VCRelative(_VC):
    """R ≤ R_emp + 2√(R_emp·L/m) + 4L/m, L = ln(4/δ) + G(2m): better when few rows are wrong.

    G(2m) is the growth function ln N(2m), see ``growth``. Never below ``vc-multiplicative``.
    """

    code = "vc-relative"
    title = "relative-deviation VC bound"
    reference = "Anthony and Shawe-Taylor 1993"

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        m, rate, growth, vc = self._facts(evidence)
        price = ((math.log(4.0) - log_level(delta)) + growth) / m
        return self._finish(evidence, rate + 2.0 * math.sqrt(rate * price) + 4.0 * price, vc)


@dataclass(frozen=True)
class VCZeroError(_VC):
    """No training error: R ≤ (2/m)(ld N(2m) + ld(2/δ)), what the book's proof of (4.15) gives.

    ``form="book"`` is the weaker (4/m)(ln N(2m) + ln(2/δ)) that the book states.
    G(2m) is the growth function ln N(2m): ``growth`` is Sauer's sum, its closed form, or Cover's.
    """

    form: str = "base-2"

    code = "vc-zero-error"
    title = "PAC bound for zero training error"
    reference = "Blumer et al. 1989; Herbrich 2002, (4.12), base-2 form from its proof"
    provenance = "corrected"

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        m, rate, growth, vc = self._facts(evidence)
        if rate > 0:
            raise NotApplicable("needs zero training error")
        value = zero_error_limit(m, growth, delta, form=self.form)
        return self._finish(evidence, value, vc)

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """Separable in ten dimensions."""
        yield Evidence(1000, errors=0, dimension=10)


def split_width(m: int, growth: float, delta: float) -> float:
    """√((m+1)(G(2m) + ln(2/δ)))/m, from m rows drawn without replacement out of 2m."""
    return math.sqrt((m + 1.0) * (growth + math.log(2.0) - log_level(delta))) / m


class VCSplit(_VC):
    """R ≤ R_emp + 1/m + √((m+1)(G(2m) + ln(2/δ)))/m: the additive bound with its proof's constants.

    A ghost sample's error rate is at least R − 1/m with probability a half (the median of a
    binomial), and of 2m rows m are drawn without replacement (Serfling 1974). Vapnik's additive
    form, √((G(2m) + ln(4/δ))/m), agrees up to O(1/m) and is what the slides print, without the 1/m.
    G(2m) is the growth function ln N(2m): ``growth`` is Sauer's sum, its closed form, or Cover's.
    """

    code = "vc-split"
    title = "additive VC bound, halves drawn without replacement"
    reference = "Vapnik 1998, chapter 4; Serfling 1974"
    provenance = "derived"

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        m, rate, growth, vc = self._facts(evidence)
        return self._finish(evidence, rate + 1.0 / m + split_width(m, growth, delta), vc)


def vc_confidence(m: float, vc: float, delta: float) -> float:
    """The slides' VC confidence √((h(ln(2m/h) + 1) − ln(δ/4))/m), without the proof's 1/m."""
    if not 0 < vc <= 2 * m:
        raise ValueError(f"the VC confidence needs 0 < h <= 2m, got h={vc}, m={m}")
    return math.sqrt((vc * (math.log(2.0 * m / vc) + 1.0) - log_level(delta / 4.0)) / m)


@dataclass(frozen=True)
class VCAdditive(_VC):
    """R ≤ R_emp + √((G(2m) + ln(4/δ))/m) + 1/m, with the closed growth function: the slides' bound.

    Never below :class:`VCSplit` with the same growth function, which proves it: that is automatic
    as long as G(2m) + ln(2/δ) ≤ m·ln 2, and beyond, where both widths exceed 0.83, the larger one
    is taken. ``as_printed=True`` leaves out the 1/m, as the slides do.
    """

    growth: str = "closed"
    as_printed: bool = False

    code = "vc-additive"
    title = "Vapnik's additive VC bound"
    reference = "Vapnik 1998, theorem 4.1, here from vc-split; slides on SVMs and VC dimension"
    provenance = "corrected"
    erratum = (
        "the exponent in Vapnik's theorem is (ε − 1/m)²m, so 1/m belongs to the bound; the slides "
        "drop it"
    )

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        m, rate, growth, vc = self._facts(evidence)
        width = math.sqrt((growth + (math.log(4.0) - log_level(delta))) / m)
        if self.as_printed:
            return self._finish(evidence, rate + width, vc)
        width = max(width, split_width(m, growth, delta))
        return self._finish(evidence, rate + width + 1.0 / m, vc)


class VCMultiplicative(_VC):
    """R ≤ R_emp + (E/2)(1 + √(1 + 4R_emp/E)), E = 4(G(2m) + ln(4/δ))/m.

    G(2m) is the growth function ln N(2m): ``growth`` is Sauer's sum, its closed form, or Cover's.
    """

    code = "vc-multiplicative"
    title = "Vapnik's multiplicative VC bound"
    reference = "Vapnik 1998, theorem 4.2"

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        m, rate, growth, vc = self._facts(evidence)
        e = 4.0 * (growth + (math.log(4.0) - log_level(delta))) / m
        return self._finish(evidence, rate + 0.5 * e * (1.0 + math.sqrt(1.0 + 4.0 * rate / e)), vc)
