"""PAC-Bayes bounds for a posterior whose prior was learned on other rows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from mercer.bounds._bound import Bound, Outcome
from mercer.bounds._evidence import Evidence
from mercer.bounds._kl_risk import covered_by_prior, pay_for_kl
from mercer.bounds._ledger import Ledger
from mercer.bounds._not_applicable import NotApplicable
from mercer.bounds._records import Posterior, Stage
from mercer.bounds.numerics import kl_upper, log_maurer
from mercer.bounds.numerics.checks import check_choice, log_level

_PRIOR = "the prior did not see the rows that are counted"


def pac_bayes_kl(risk: float, kl: float, m: int, delta: float, *, constant: str = "exact") -> float:
    """Largest q with kl(risk‖q) ≤ (KL + ln(constant/δ))/m; exact ξ(m), 2√m or m+1."""
    return kl_upper(risk, (kl + log_constant(m, constant) - log_level(delta)) / m)


def log_constant(m: int, constant: str) -> float:
    """Ln of what the PAC-Bayes-kl bound pays for all posteriors at once: ξ(m), 2√m or m + 1.

    Maurer's 2√m is stated for m ≥ 8; ξ(m) ≤ 2√m holds for the smaller m as well.
    """
    named = {
        "exact": log_maurer,
        "maurer": lambda m: math.log(2.0 * math.sqrt(m)),
        "langford": lambda m: math.log(m + 1.0),
    }
    return check_choice(constant, named, "constant")(m)


@dataclass(frozen=True)
class PacBayesPrior(Bound):
    """Mean loss of a random draw from the posterior; the prior is any function of other rows.

    The largest q with kl(r‖q) ≤ (KL + ln(ξ(m)/δ))/m, r the mean error on the m counted rows, ξ(m)
    Maurer's exact constant, at most 2√m.
    """

    constant: str = "exact"

    code = "pac-bayes-prior"
    title = "PAC-Bayes-kl bound with a data-dependent prior"
    reference = "Seeger 2002; Maurer 2004; Ambroladze, Parrado-Hernandez and Shawe-Taylor 2007"
    classifier = "gibbs"
    needs = ("posterior",)
    covers = frozenset({"train"})
    assumptions = (*Bound.assumptions, _PRIOR)

    def covered(self, evidence: Evidence) -> frozenset[str]:
        """Nothing, if the prior has no rows of its own."""
        return covered_by_prior(self.covers, evidence)

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        q = evidence.need("posterior")
        why = "prior scales among which the best was taken"
        share, ledger = pay_for_kl(q, delta, why)
        value = pac_bayes_kl(q.gibbs, q.kl, q.rows, share, constant=self.constant)
        spent = "" if q.trained_on is None else f"{q.trained_on} rows for the prior, "
        return Outcome(
            value=value,
            n=q.rows,
            observed=q.gibbs,
            ledger=ledger,
            counted=f"Gibbs error {q.gibbs:.4g} on {q.rows} rows, KL {q.kl:.4g} nats",
            spent=f"{spent}{q.rows} rows for the posterior and the count",
        )

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """A sharp and a vague posterior."""
        for gibbs, kl in ((0.02, 1.0), (0.15, 60.0)):
            q = Posterior(500, gibbs, kl, candidates=12, trained_on=500, vote_is_model=True)
            yield Evidence(1000, posterior=q)


@dataclass(frozen=True)
class PacBayesPriorVote(PacBayesPrior):
    """The shipped classifier is the posterior's majority vote: at most twice the Gibbs risk.

    R ≤ 2·max{q : kl(r‖q) ≤ (KL + ln(ξ(m)/δ))/m}, r the mean error on the m counted rows.
    """

    code = "pac-bayes-prior-vote"
    title = "PAC-Bayes-kl bound with a data-dependent prior, majority vote"
    classifier = "deterministic"

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        if not evidence.need("posterior").vote_is_model:
            raise NotApplicable(
                "the model is not the majority vote of its posterior", structural=True
            )
        gibbs = super()._outcome(evidence, delta)
        return Outcome(
            value=2.0 * gibbs.value,
            n=gibbs.n,
            ledger=gibbs.ledger,
            counted=gibbs.counted,
            spent=gibbs.spent,
            details={"gibbs": gibbs.value},
        )


class RecursivePacBayes(Bound):
    """Recursive PAC-Bayes: each stage bounds only its excess over γ times the stage before.

    B_t = E_t + γ_t·B_{t−1}; the excess takes the values −γ, 0, 1−γ, 1 and is bounded by splitting
    it into three indicator variables (split-kl).
    """

    code = "recursive-pac-bayes"
    title = "recursive PAC-Bayes with split-kl excess losses"
    reference = "Wu, Zhang, Chérief-Abdellatif and Seldin, NeurIPS 2024"
    classifier = "gibbs"
    needs = ("stages",)
    covers = frozenset({"train"})
    assumptions = (
        *Bound.assumptions,
        "every stage's prior and γ saw only the rows of the stages before",
    )

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        stages = evidence.need("stages")
        share = delta / len(stages)
        value, observed = 0.0, 0.0
        for t, stage in enumerate(stages):
            gamma = stage.gamma if t else 0.0
            excess, seen = self._excess(stage, gamma, share)
            value, observed = excess + gamma * value, seen + gamma * observed
        names = {f"stage {t + 1}": 1 / len(stages) for t in range(len(stages))}
        return Outcome(
            value=value,
            n=stages[-1].rows,
            observed=max(0.0, observed),
            ledger=Ledger.split(delta, names, "one statement per stage"),
            counted=f"{len(stages)} stages, the last on {stages[-1].rows} rows",
            spent="every row for the priors of later stages and the counts of earlier ones",
        )

    @staticmethod
    def _excess(stage: Stage, gamma: float, delta: float) -> tuple[float, float]:
        """Upper limit and empirical mean of E[l(h) − γ·l(h')]."""
        if gamma == 0.0:  # the first stage: a plain loss, one indicator
            risk = stage.exceed[2]
            return pac_bayes_kl(risk, stage.kl, stage.rows, delta), risk
        if not 0.0 < gamma < 1.0:
            raise ValueError(f"gamma must lie in (0, 1), got {gamma!r}")
        steps = (gamma, 1.0 - gamma, gamma)  # from −γ to 0, to 1−γ, to 1
        limits = [pac_bayes_kl(q, stage.kl, stage.rows, delta / 3) for q in stage.exceed]
        limit = -gamma + sum(a * q for a, q in zip(steps, limits, strict=True))
        return limit, -gamma + sum(a * q for a, q in zip(steps, stage.exceed, strict=True))

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """Three stages of a falling loss."""
        yield Evidence(
            1000,
            stages=(
                Stage(1000, 5.0, exceed=(1.0, 0.12, 0.12)),
                Stage(700, 3.0, 0.5, (0.97, 0.08, 0.03)),
                Stage(400, 1.0, 0.5, (0.98, 0.06, 0.02)),
            ),
        )
