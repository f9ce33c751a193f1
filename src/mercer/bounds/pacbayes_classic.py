"""The texts' PAC-Bayesian bounds, and sharper relatives, for any posterior with its KL.

All read `Posterior`: the Gibbs training error, KL(Q‖P), and whether Q is the prior restricted to a
set of rules (then KL = ln(1/P(set)), the negative log evidence under the PAC likelihood).
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

from mercer.bounds._bound import Bound, Outcome
from mercer.bounds._evidence import Evidence
from mercer.bounds._kl_risk import covered_by_prior, pay_for_kl
from mercer.bounds._not_applicable import NotApplicable
from mercer.bounds._records import Posterior
from mercer.bounds.numerics.checks import log_level


def gibbs_subset(rate: float, price: float, m: int, delta: float) -> float:
    """Herbrich (5.5) for a consistent set and (5.8) else; ``price`` is ln(1/P(set))."""
    bracket = price + 2.0 * math.log(m) - log_level(delta)
    return (bracket + 1.0) / m if rate == 0 else rate + math.sqrt(bracket / (2.0 * m)) + 1.0 / m


def mcallester(rate: float, kl: float, m: int, delta: float) -> float:
    """Herbrich (5.9): r + √((KL + ln m + ln(1/δ) + 2)/(2m − 1)), for all posteriors at once."""
    return rate + math.sqrt((kl + math.log(m) - log_level(delta) + 2.0) / (2.0 * m - 1.0))


def catoni(rate: float, kl: float, m: int, delta: float, c: float) -> float:
    """(1 − exp(−(c·r + (KL + ln(1/δ))/m)))/(1 − e^{−c}), c fixed before the data."""
    return math.expm1(-(c * rate + (kl - log_level(delta)) / m)) / math.expm1(-c)


def pac_bayes_lambda(rate: float, kl: float, m: int, delta: float, lam: float) -> float:
    """r/(1−λ/2) + (KL + ln(2√m/δ))/(mλ(1−λ/2)), for all λ in (0, 2) at once."""
    price = kl + math.log(2.0 * math.sqrt(m)) - log_level(delta)
    return rate / (1.0 - lam / 2.0) + price / (m * lam * (1.0 - lam / 2.0))


def pinsker(rate: float, kl: float, m: int, delta: float, *, refined: bool = False) -> float:
    """Rate r + √(B/2), B = (KL + ln(2√m/δ))/m: the kl bound relaxed; refined: r + √(2rB) + 2B."""
    price = (kl + math.log(2.0 * math.sqrt(m)) - log_level(delta)) / m
    if refined:
        return rate + math.sqrt(2.0 * rate * price) + 2.0 * price
    return rate + math.sqrt(0.5 * price)


def best_lambda(rate: float, kl: float, m: int, delta: float) -> float:
    """The λ that minimises :func:`pac_bayes_lambda`: 2/(√(2mr/price + 1) + 1)."""
    price = kl + math.log(2.0 * math.sqrt(m)) - log_level(delta)
    return 2.0 / (math.sqrt(2.0 * m * rate / price + 1.0) + 1.0)


class _Classic(Bound):
    classifier = "gibbs"
    needs = ("posterior",)
    covers = frozenset({"train"})
    assumptions = (*Bound.assumptions, "the prior did not see the rows that are counted")

    def covered(self, evidence: Evidence) -> frozenset[str]:
        """Nothing, if the prior has no rows of its own."""
        return covered_by_prior(self.covers, evidence)

    @abstractmethod
    def _value(self, q: Posterior, delta: float) -> float:
        """The bound at level ``delta``; may raise `NotApplicable`."""

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        q = evidence.need("posterior")
        if q.gibbs > 0 and self._consistent:
            raise NotApplicable("needs a posterior on rules without training error")
        if self._subsets and not q.restricted:
            raise NotApplicable("needs a posterior that is the prior restricted to a set")
        vote = self.classifier != "gibbs"
        if vote and not q.vote_is_model:
            raise NotApplicable(
                "the model is not the majority vote of its posterior", structural=True
            )
        share, ledger = pay_for_kl(q, delta, "one statement per prior")
        return Outcome(
            value=(2.0 if vote else 1.0) * self._value(q, share),
            n=q.rows,
            observed=None if vote else q.gibbs,
            ledger=ledger,
            counted=f"Gibbs error {q.gibbs:.4g} on {q.rows} rows, KL {q.kl:.4g} nats",
            spent=f"{q.rows} rows for the posterior and the count",
        )

    _consistent = False
    _subsets = False

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """A small set of rules with errors, and one without."""
        for gibbs in (0.0,) if cls._consistent else (0.0, 0.1):
            q = Posterior(
                1000, gibbs, math.log(1e6), trained_on=500, vote_is_model=True, restricted=True
            )
            yield Evidence(1000, posterior=q)


class GibbsSubset(_Classic):
    """(1/m)(ln(1/P) + 2 ln m + ln(1/δ) + 1) if no rule of the set, of prior mass P, errs.

    With mean training error r in the set, r + √((ln(1/P) + 2 ln m + ln(1/δ))/(2m)) + 1/m. Which
    form is used depends on the sample, so each gets half of δ.
    """

    code = "gibbs-subset"
    title = "PAC-Bayesian bound for the Gibbs rule over a set"
    reference = "McAllester 1998; Herbrich 2002, theorems 5.2 and 5.6"
    provenance = "book"
    _subsets = True

    def _value(self, q: Posterior, delta: float) -> float:
        return gibbs_subset(q.gibbs, q.kl, q.rows, delta / 2.0)


class BayesSubset(GibbsSubset):
    """The plurality vote over the set: twice the Gibbs rule, whatever the number of classes.

    (2/m)(ln(1/P) + 2 ln m + ln(2/δ) + 1) if no rule of the set errs, P its prior mass.
    """

    code = "bayes-subset"
    title = "PAC-Bayesian bound for the vote over a set"
    reference = "Herbrich 2002, theorem 5.4 with the factor 2 in place of the number of classes"
    provenance = "corrected"
    erratum = "the factor |Y| is not needed: a losing label has at most half of the votes"
    classifier = "deterministic"


class McAllester(_Classic):
    """r + √((KL + ln m + ln(1/δ) + 2)/(2m − 1)) for all posteriors at once, r the Gibbs error."""

    code = "mcallester"
    title = "McAllester's PAC-Bayesian bound"
    reference = "McAllester 1999; Herbrich 2002, (5.9)"
    provenance = "book"

    def _value(self, q: Posterior, delta: float) -> float:
        return mcallester(q.gibbs, q.kl, q.rows, delta)


@dataclass(frozen=True)
class Catoni(_Classic):
    """(1 − exp(−(c·r + (KL + ln(1/δ))/m)))/(1 − e^{−c}) for a constant c fixed before the data."""

    c: float = 1.0

    code = "catoni"
    title = "Catoni's PAC-Bayesian bound"
    reference = "Catoni 2007"

    def _value(self, q: Posterior, delta: float) -> float:
        if not 0 < self.c < math.inf:
            raise ValueError(f"c must be positive and finite, got {self.c!r}")
        return catoni(q.gibbs, q.kl, q.rows, delta, self.c)


@dataclass(frozen=True)
class PacBayesLambda(_Classic):
    """r/(1−λ/2) + (KL + ln(2√m/δ))/(mλ(1−λ/2)); λ is the best one unless given."""

    lam: float | None = None

    code = "pac-bayes-lambda"
    title = "PAC-Bayes-λ bound"
    reference = "Thiemann, Igel, Wintenberger and Seldin 2017"

    def _value(self, q: Posterior, delta: float) -> float:
        best = best_lambda(q.gibbs, q.kl, q.rows, delta) if self.lam is None else self.lam
        if not 0.0 < best < 2.0:
            raise ValueError(f"lam must lie in (0, 2), got {self.lam!r}")
        return pac_bayes_lambda(q.gibbs, q.kl, q.rows, delta, best)


class ConsistentGibbs(_Classic):
    """Every rule of the posterior without error: 1 − exp(−(KL + ln(1/δ))/m), no ln m.

    For each rule, E[1{no error}(1−R)^{−m}] ≤ 1; average over the prior, Markov, change of measure.
    """

    code = "consistent-gibbs"
    title = "PAC-Bayesian bound for consistent posteriors"
    reference = "Herbrich 2002, theorem 5.2 without its 2 ln m"
    provenance = "derived"
    _consistent = True

    def _value(self, q: Posterior, delta: float) -> float:
        return -math.expm1(-(q.kl - log_level(delta)) / q.rows)


class ConsistentVote(ConsistentGibbs):
    """The vote of a consistent posterior: R ≤ 2(1 − exp(−(KL + ln(1/δ))/m))."""

    code = "consistent-vote"
    title = "PAC-Bayesian bound for the vote of a consistent posterior"
    classifier = "deterministic"
