"""Finite classes of rules fixed before the data, and single rules with a prior."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from mercer.bounds._bound import Bound, Outcome
from mercer.bounds._evidence import Evidence
from mercer.bounds._not_applicable import NotApplicable
from mercer.bounds.numerics import clopper_upper
from mercer.bounds.numerics.checks import at_most_one, check_positive, check_unit, log_level

_CLASS = "the class of rules was fixed before the data"
_PRIOR = "the prior over rules was fixed before the data"
_SPENT = "all rows, for training and for the certificate"


def zero_error_tail(log_size: float, m: int, epsilon: float, *, relaxed: bool = False) -> float:
    """Probability |H|(1−ε)^m that a rule of risk above ε looks perfect; relaxed: |H|·exp(−εm)."""
    if check_unit(epsilon, "epsilon") == 1.0 and not relaxed:
        return 0.0  # no rule has a risk above one
    return at_most_one(log_size + (-epsilon * m if relaxed else m * math.log1p(-epsilon)))


def zero_error_mean(log_size: float, m: int) -> float:
    """(1 + ln|H|)/m: the expected risk of a rule picked among those without error."""
    return (1.0 + log_size) / m


def zero_error_rows(log_size: float, epsilon: float, delta: float) -> int:
    """Rows m ≥ (ln|H| + ln(1/δ))/ε after which every perfect-looking rule has risk at most ε."""
    return math.ceil((log_size - log_level(delta)) / check_positive(epsilon, "epsilon"))


class _Counted(Bound):
    def _finish(self, evidence: Evidence, value: float, price: float) -> Outcome:
        errors = evidence.need("errors")
        return Outcome(
            value=value,
            n=evidence.n,
            observed=errors / evidence.n,
            counted=f"{errors} training errors on {evidence.n} rows, complexity {price:.4g} nats",
            spent=_SPENT,
        )


class FiniteClass(_Counted):
    """Binomial tail inversion at level δ/|H|: every rule of the class is tested at once.

    R ≤ max{p : P(Bin(m, p) ≤ k) ≥ δ/|H|} for the rule chosen, k its errors on the m rows.
    Never above :class:`FiniteClassHoeffding`, which is the texts' form.
    """

    code = "finite-class"
    title = "binomial bound for a finite class"
    reference = "Langford 2005, theorem 4.1; Herbrich 2002, theorem 4.6 with the exact tail"
    needs = ("errors", "log_class_size")
    assumptions = (*Bound.assumptions, _CLASS)

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        price = evidence.need("log_class_size")
        level = log_level(delta) - price
        value = clopper_upper(evidence.need("errors"), evidence.n, log_delta=level)
        return self._finish(evidence, value, price)

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """A million rules, with and without errors."""
        for errors in (0, 100):
            yield Evidence(1000, errors=errors, log_class_size=math.log(1e6))


@dataclass(frozen=True)
class FiniteClassHoeffding(FiniteClass):
    """R ≤ R_emp + √((ln|H| + ln(1/δ))/(2m)); two-sided: ln(2/δ), as the book states it."""

    two_sided: bool = False

    code = "finite-class-hoeffding"
    title = "Hoeffding bound for a finite class"
    reference = "Vapnik and Chervonenkis 1971; Herbrich 2002, theorem 4.6"
    provenance = "book"

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        price = evidence.need("log_class_size")
        level = math.log(2.0 if self.two_sided else 1.0) - log_level(delta)
        width = math.sqrt((price + level) / (2.0 * evidence.n))
        return self._finish(evidence, evidence.need("errors") / evidence.n + width, price)


@dataclass(frozen=True)
class FiniteClassZeroError(FiniteClass):
    """No training error: R ≤ 1 − (δ/|H|)^(1/m); relaxed: (ln|H| + ln(1/δ))/m, the notes' form."""

    relaxed: bool = False

    code = "finite-class-zero-error"
    title = "bound for a rule of a finite class without training error"
    reference = "Blumer et al. 1987; Banisch, theorem 2.9"
    provenance = "book"

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        if evidence.need("errors"):
            raise NotApplicable("needs zero training error")
        price = evidence.need("log_class_size")
        exponent = (price - log_level(delta)) / evidence.n
        value = exponent if self.relaxed else -math.expm1(-exponent)
        return self._finish(evidence, value, price)

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """A thousand rules, one of them perfect on the sample."""
        yield Evidence(500, errors=0, log_class_size=math.log(1000.0))


class Occam(_Counted):
    """A rule with prior mass P(h): binomial tail inversion at level δ·P(h).

    R(h) ≤ max{p : P(Bin(m, p) ≤ k) ≥ δ·P(h)} for all rules at once, k the errors of h on m rows.
    """

    code = "occam"
    title = "binomial Occam bound for one rule with a prior"
    reference = "Langford 2005, theorem 4.1; Herbrich 2002, theorems 5.1 and 5.6 sharpened"
    needs = ("errors", "code_length")
    assumptions = (*Bound.assumptions, _PRIOR)

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        price = evidence.need("code_length")
        level = log_level(delta) - price
        value = clopper_upper(evidence.need("errors"), evidence.n, log_delta=level)
        return self._finish(evidence, value, price)

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """A rule described in twenty bits."""
        for errors in (0, 100):
            yield Evidence(1000, errors=errors, code_length=20.0 * math.log(2.0))


class SingleHypothesis(Occam):
    """R ≤ L/m without error, else R ≤ R_emp + √(L/(2m)), L = ln(1/P(h)) + ln(2/δ).

    Which form is used depends on the number of errors, so each gets half of δ.
    """

    code = "single-hypothesis"
    title = "PAC-Bayesian bound for one rule"
    reference = "McAllester 1998; Herbrich 2002, theorems 5.1 and 5.6"
    provenance = "book"

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        price, m = evidence.need("code_length"), evidence.n
        bracket = price - log_level(delta / 2.0)
        rate = evidence.need("errors") / m
        value = bracket / m if rate == 0 else rate + math.sqrt(bracket / (2.0 * m))
        return self._finish(evidence, value, price)
