"""Majority votes: what pairs of members say that single members do not."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from scipy.optimize import minimize_scalar

from mercer.bounds._bound import Bound, Outcome
from mercer.bounds._evidence import Evidence
from mercer.bounds._ledger import Ledger
from mercer.bounds._not_applicable import NotApplicable
from mercer.bounds._records import Pool, Vote
from mercer.bounds.numerics import kl_lower, kl_upper, log_maurer
from mercer.bounds.numerics.checks import log_level
from mercer.bounds.numerics.combinatorics import deviance
from mercer.bounds.numerics.root import increasing_root
from mercer.bounds.pacbayes import pac_bayes_kl


class _Vote(Bound):
    classifier = "vote"
    needs: ClassVar[tuple[str, ...]] = ("vote",)
    covers = frozenset({"train"})
    assumptions: ClassVar[tuple[str, ...]] = (
        *Bound.assumptions,
        "the prior over the members was fixed before these rows",
    )

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """Weak and strong members."""
        yield Evidence(1000, vote=Vote(1000, 0.2, tandem=0.05, disagreement=0.3, kl=2.0))
        yield Evidence(1000, vote=Vote(2000, 0.05, tandem=0.03, disagreement=0.04, kl=0.5))


class FirstOrderVote(_Vote):
    """R(vote) ≤ 2·g: where the vote is wrong, at least half of the weight is.

    g is the largest mean error with kl(ĝ‖g) ≤ (KL + ln(ξ(m)/δ))/m, ĝ that of the members on m rows.
    """

    code = "vote-first-order"
    title = "first-order majority-vote bound"
    reference = "Langford and Shawe-Taylor 2003; PAC-Bayes-kl with the exact constant"

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        v = evidence.need("vote")
        gibbs = pac_bayes_kl(v.gibbs, v.kl, v.rows, delta)
        return Outcome(
            value=2.0 * gibbs,
            n=v.rows,
            counted=f"mean error {v.gibbs:.4g} of the members on {v.rows} rows",
            details={"gibbs": gibbs},
        )


class TandemVote(_Vote):
    """R(vote) ≤ 4·t, t the probability that two random members are both wrong.

    By Markov's inequality for the square. t is the largest with kl(t̂‖t) ≤ (2KL + ln(ξ(m)/δ))/m.
    """

    code = "vote-tandem"
    title = "second-order (tandem) majority-vote bound"
    reference = "Masegosa, Lorenzen, Igel and Seldin, NeurIPS 2020"

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        v = evidence.need("vote")
        if v.tandem is None:
            raise NotApplicable("the tandem losses were not recorded", structural=True)
        both = pac_bayes_kl(v.tandem, 2.0 * v.kl, v.rows, delta)
        return Outcome(
            value=4.0 * both,
            n=v.rows,
            counted=f"both of two members wrong in {v.tandem:.4g} of {v.rows} rows",
            details={"tandem": both},
        )


class CBound(_Vote):
    """1 − (1 − 2e − d)²/(1 − 2d), joint error e and disagreement d bounded together.

    The pair (e, d) lies where the three-outcome relative entropy to the observed pair is at most
    (2KL + ln((ξ(m)+m)/δ))/m; the C-bound is maximised over that set. Two classes.
    """

    code = "vote-c-bound"
    title = "C-bound with joint error and disagreement bounded together"
    reference = "Lacasse et al. 2006; Germain et al., JMLR 16, 2015, PAC-bound 2"

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        v = evidence.need("vote")
        if evidence.n_classes > 2:
            raise NotApplicable("the C-bound is for two classes", structural=True)
        if v.disagreement is None:
            raise NotApplicable("the disagreements were not recorded", structural=True)
        value = worst_c_bound(_joint(v), v.disagreement, _joint_budget(v, delta))
        return Outcome(
            value=1.0 if value is None else value,
            n=v.rows,
            counted=f"mean error {v.gibbs:.4g}, disagreement {v.disagreement:.4g} on {v.rows} rows",
        )


@dataclass(frozen=True)
class CBoundPool(_Vote):
    """The C-bound with the disagreement d of the members counted on unlabelled rows.

    kl(d̂‖d) ≤ (2KL + ln(ξ(u)/δ₂))/u on u unlabelled rows puts d between two limits. If pairs were
    also counted on the labelled rows, `CBound` is maximised over those d only; if just the mean
    error r was, 1 − (1 − 2r)²/(1 − 2d) is taken at the largest r and smallest d. Two classes.
    """

    pool_share: float = 0.2  # of δ, for the statement about the disagreement

    code = "vote-c-bound-pool"
    title = "C-bound with the disagreement from unlabelled rows"
    reference = "Lacasse et al. 2006; Germain et al., JMLR 16, 2015, PAC-bounds 1 and 2"
    needs = ("vote", "pool")
    assumptions = (
        *_Vote.assumptions,
        "no member was trained on the pool, and the pool follows the law of future data",
    )

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        v, pool = evidence.need("vote"), evidence.need("pool")
        if evidence.n_classes > 2:
            raise NotApplicable("the C-bound is for two classes", structural=True)
        if pool.pairs is None:
            raise NotApplicable(
                "the members' disagreement on the pool was not recorded", structural=True
            )
        shares = {"labelled rows": 1 - self.pool_share, "disagreement": self.pool_share}
        ledger = Ledger.split(delta, shares, "two statements")
        price = 2.0 * v.kl + log_maurer(pool.rows) - log_level(ledger["disagreement"])
        between = tuple(f(pool.pairs, price / pool.rows) for f in (kl_lower, kl_upper))
        value = self._value(v, between, ledger["labelled rows"])
        if value is None:
            raise NotApplicable(
                f"the members differ on {between[0]:.3g} to {between[1]:.3g} of the pool, which "
                "does not go with the labelled rows: the pool follows another law"
            )
        return Outcome(
            value=value,
            n=v.rows,
            ledger=ledger,
            counted=f"mean error {v.gibbs:.4g} on {v.rows} labelled rows, disagreement "
            f"{pool.pairs:.4g} on {pool.rows} unlabelled rows",
            spent=f"{v.rows} labelled rows for counting, {pool.rows} unlabelled rows",
            details={"disagreement": list(between)},
        )

    @staticmethod
    def _value(v: Vote, between: tuple[float, ...], delta: float) -> float | None:
        """The largest C-bound, None if no pair of rates goes with what was counted."""
        low, high = between
        if v.disagreement is not None:
            joint, budget = _joint(v), _joint_budget(v, delta)
            return worst_c_bound(joint, v.disagreement, budget, between=(low, high))
        risk = pac_bayes_kl(v.gibbs, v.kl, v.rows, delta)
        if low > 2.0 * risk * (1.0 - min(risk, 0.5)):
            return None
        return _c_bound(risk - 0.5 * low, low)

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """Single errors counted, and pairs."""
        pool = Pool(20000, pairs=0.3)
        yield Evidence(2000, vote=Vote(2000, 0.2, kl=2.0), pool=pool)
        yield Evidence(1000, vote=Vote(1000, 0.2, disagreement=0.3, kl=2.0), pool=pool)


def _joint(v: Vote) -> float:
    """Share of pairs that are both wrong."""
    joint = v.gibbs - 0.5 * (v.disagreement or 0.0)
    if joint < -1e-9:
        raise ValueError("the disagreement exceeds twice the mean error: the counts are wrong")
    return max(0.0, joint)


def _joint_budget(v: Vote, delta: float) -> float:
    constant = math.log(math.exp(log_maurer(v.rows)) + v.rows)
    return (2.0 * v.kl + constant - log_level(delta)) / v.rows


def worst_c_bound(
    joint: float,
    disagreement: float,
    budget: float,
    *,
    between: tuple[float, float] = (0.0, 1.0),
) -> float | None:
    """Largest C-bound over pairs within ``budget`` of the observed; 1 if 2e + d reaches 1.

    ``between`` holds what is known about d from elsewhere; None if no pair is left.
    """

    def largest_joint(d: float) -> float:
        """The C-bound grows with e, so only the largest e for each d matters."""
        top = 0.5 * (1.0 - d)
        if d >= 0.5 or _kl3(joint, disagreement, joint, d) > budget:
            best = joint * (1.0 - d) / max(1.0 - disagreement, 1e-300)
        else:
            best = joint
        if _kl3(joint, disagreement, best, d) > budget:
            return -1.0
        return increasing_root(
            lambda e: _kl3(joint, disagreement, e, d) - budget, best, top, safe="above"
        )

    def negative(d: float) -> float:
        e = largest_joint(d)
        return math.inf if e < 0 else -_c_bound(e, d)

    # grouping the other two outcomes cannot increase the entropy, so d lies between these
    low = max(between[0], kl_lower(disagreement, budget))
    high = min(between[1], kl_upper(disagreement, budget))
    if low > high:
        return None
    if low >= 0.5:
        return 1.0
    high = min(0.5, high)
    step = (high - low) / 24
    best = min((low + step * (i + 0.5) for i in range(24)), key=negative)
    near = (max(low, best - step), min(high, best + step))
    found = minimize_scalar(negative, bounds=near, method="bounded", options={"xatol": 1e-9})
    # concave over a convex set, so one peak; it may be at an end, which the search never touches
    values = [-negative(low), -negative(high), -negative(best), -float(found.fun)]
    return min(1.0, max(values))


def _c_bound(e: float, d: float) -> float:
    margin = 1.0 - 2.0 * e - d
    return 1.0 if margin <= 0 or d >= 0.5 else 1.0 - margin * margin / (1.0 - 2.0 * d)


def _kl3(e0: float, d0: float, e: float, d: float) -> float:
    rest0, rest = max(0.0, 1.0 - e0 - d0), 1.0 - e - d
    if rest < 0:
        return math.inf
    return deviance(e0, e) + deviance(d0, d) + deviance(rest0, rest)
