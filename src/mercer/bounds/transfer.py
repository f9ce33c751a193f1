"""From the certified model to another one, through an unlabelled pool they both predict."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from mercer.bounds._bound import Bound, Outcome
from mercer.bounds._evidence import Evidence
from mercer.bounds._ledger import Entry, Ledger
from mercer.bounds._not_applicable import NotApplicable
from mercer.bounds._records import Floats, HoldOut, Pool, Progressive
from mercer.bounds.numerics import (
    betting_lower,
    clopper_upper,
    dkw_radius,
    fixed_c_upper,
    sum_of_rates_upper,
)

_FRESH = "no model was trained on the pool, and the pool follows the law of future data"


@dataclass(frozen=True)
class Transfer(Bound):
    """R(f) ≤ R(h) + P(f ≠ h): h certified by hold-out, the disagreement counted on the pool.

    For a regression with tolerance t and a step s fixed in advance, P(|y − f| > t) is at most
    P(|y − h| > t − s) + P(|f − h| > s), so errors count against t − s and disagreements against s.
    With predictions of both rates, made without the counted rows, one joint region bounds the sum;
    otherwise δ is divided between two separate limits.
    """

    pool_share: float = 0.2

    code = "transfer"
    title = "hold-out limit plus disagreement on a pool"
    reference = "triangle inequality for the 0-1 loss, exact binomial p-values combined"
    provenance = "derived"
    needs = ("holdout", "pool")
    tasks = ("classification", "regression")
    covers = frozenset({"train"})
    assumptions = (*Bound.assumptions, _FRESH)

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        part, pool = evidence.need("holdout"), evidence.need("pool")
        if part.errors is None or pool.disagreements is None:
            raise NotApplicable("needs hold-out errors and disagreements counted", structural=True)
        return Outcome(
            value=self._sum(part, pool, delta),
            n=part.rows,
            observed=part.errors / part.rows,
            ledger=self._ledger(pool, delta),
            counted=f"{part.errors} errors on {part.rows} rows, {pool.disagreements} disagreements "
            f"on {pool.rows} pool rows",
            spent=f"{part.rows} labelled rows first held out, then trained on; {pool.rows} "
            "unlabelled rows",
            details={
                "certified": clopper_upper(part.errors, part.rows, delta),
                "disagreement": clopper_upper(pool.disagreements, pool.rows, delta),
            },
        )

    def _sum(self, part: HoldOut, pool: Pool, delta: float) -> float:
        errors, moved = part.errors or 0, pool.disagreements or 0
        if pool.expected is not None:
            pairs = (errors, part.rows), (moved, pool.rows)
            return sum_of_rates_upper(*pairs, delta, expected=pool.expected)
        certified = clopper_upper(errors, part.rows, (1 - self.pool_share) * delta)
        return certified + clopper_upper(moved, pool.rows, self.pool_share * delta)

    def _ledger(self, pool: Pool, delta: float) -> Ledger:
        if pool.expected is not None:
            why = "one region for both counts, shaped by their predictions"
            return Ledger((Entry("hold-out and disagreement", delta, why),))
        shares = {"hold-out": 1 - self.pool_share, "disagreement": self.pool_share}
        return Ledger.split(delta, shares, "two statements")

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """A large and a small pool."""
        yield Evidence(1000, holdout=HoldOut(400, 11), pool=Pool(5000, 40))
        yield Evidence(400, holdout=HoldOut(160, 3), pool=Pool(85, 1))
        yield Evidence(1000, holdout=HoldOut(400, 11), pool=Pool(5000, 40, expected=(0.03, 0.01)))


@dataclass(frozen=True)
class TransferVote(Bound):
    """Majority vote of the progressive models, from the risk of their mixture.

    With W(x) the minority share, mixture risk = E W + E[(1−2W)·1(vote wrong)]. So the vote's errors
    fit into the budget (mixture limit − E W); the worst case spends it where 1−2W is smallest.
    """

    mean_share: float = 0.1
    curve_share: float = 0.1

    code = "transfer-vote"
    title = "majority vote by a knapsack over a pool"
    reference = "exact decomposition of the mixture risk; DKW and betting limits for the pool"
    provenance = "derived"
    classifier = "vote"
    needs = ("progressive", "pool")
    covers = frozenset({"train"})
    assumptions = (
        "the rows are independent draws from one law, in an order that does not depend on them",
        "there are two classes",
        _FRESH,
    )

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        run, pool = evidence.need("progressive"), evidence.need("pool")
        if pool.minority is None:
            raise NotApplicable(
                "the minority shares on the pool were not recorded", structural=True
            )
        if evidence.n_classes > 2:
            raise NotApplicable("the decomposition is for two classes", structural=True)
        rest = 1 - self.mean_share - self.curve_share
        shares = {"mixture": rest, "mean": self.mean_share, "distribution": self.curve_share}
        ledger = Ledger.split(delta, shares, "three statements")
        mixture = fixed_c_upper(run.errors / run.rows, run.rows, ledger["mixture"], c=run.c)
        split_votes = betting_lower(pool.minority, ledger["mean"], low=0.0, high=0.5)
        radius = dkw_radius(len(pool.minority), ledger["distribution"])
        budget = max(0.0, mixture - split_votes)
        value = min(2 * mixture, knapsack(pool.minority, budget) + radius)
        return Outcome(
            value=value,
            n=run.rows,
            observed=None,
            ledger=ledger,
            counted=f"{run.errors} errors on {run.rows} rows by {run.models} models, votes on "
            f"{pool.rows} pool rows",
            spent=f"{run.rows} rows tested, then trained on; {pool.rows} unlabelled rows",
            details={"mixture": mixture},
        )

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """Mostly unanimous models."""
        minority = np.concatenate([np.zeros(4500), np.linspace(0, 0.5, 500)])
        yield Evidence(
            1000,
            progressive=Progressive(500, 20, models=20, c=0.4, trained_on=500),
            pool=Pool(5000, minority=minority),
        )


def knapsack(minority: Floats, budget: float) -> float:
    """Largest share of the pool whose total 1 − 2W fits into ``budget`` (a fraction counts)."""
    cost = np.sort(1.0 - 2.0 * np.asarray(minority, dtype=float))
    used = np.cumsum(cost) / len(cost)
    whole = int(np.searchsorted(used, budget, side="right"))
    if whole == len(cost):
        return 1.0
    before = used[whole - 1] if whole else 0.0
    return float((whole + (budget - before) * len(cost) / cost[whole]) / len(cost))
