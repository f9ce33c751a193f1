"""Bounded losses of regressions, for Pick-to-Learn and for the transfer through a pool."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from mercer.bounds._bound import Bound, Outcome
from mercer.bounds._evidence import Evidence
from mercer.bounds._ledger import Ledger
from mercer.bounds._not_applicable import NotApplicable
from mercer.bounds._records import HoldOut, Pick, Pool
from mercer.bounds.compression import PickToLearn, picked_upper
from mercer.bounds.numerics import mixed_upper


class PickToLearnLoss(Bound):
    """Pick-to-Learn where a row is wrong if its loss exceeds a random threshold of its own.

    With thresholds drawn uniformly from the range, before anything is trained, a new row with its
    own threshold is wrong with probability (mean loss − low)/(high − low). So the theorem about
    right and wrong bounds the mean loss; the returned model is an ordinary, deterministic one.
    """

    code = "compress-loss"
    title = "Pick-to-Learn with random thresholds"
    reference = "Paccagnan, Campi and Garatti, NeurIPS 2023, on rows with thresholds of their own"
    provenance = "derived"
    needs = ("pick", "loss_range")
    tasks = ("regression",)
    quantity = "mean loss"
    covers = frozenset({"train"})
    assumptions = (
        *PickToLearn.assumptions,
        "every row had a threshold, uniform over the range of the loss and independent of the data",
        "no loss can leave the declared range",
    )

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        run, (low, high) = evidence.need("pick"), evidence.need("loss_range")
        if not run.thresholds:
            raise NotApplicable("the run counted errors, not losses", structural=True)
        limit = picked_upper(run, delta)
        start = "" if run.trained_on is None else f"{run.trained_on} rows for pretraining, "
        return Outcome(
            value=low + (high - low) * limit,
            n=run.rows,
            observed=low + (high - low) * run.kept / run.rows,
            counted=f"{run.kept} of {run.rows} rows picked, the others all below their thresholds",
            spent=f"{start}{run.rows} rows for picking and counting",
        )

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """Few and many picks."""
        for kept in (0, 40):
            run = Pick(500, kept, (440, 385, 300), (0.25, 0.5, 0.25), thresholds=True)
            yield Evidence(1000, task="regression", pick=run, loss_range=(0.0, 2.0))


@dataclass(frozen=True)
class TransferLoss(Bound):
    """From the loss of h on held-out rows to that of f, by the distance of the two on a pool.

    Clipping is monotone and moves no two numbers apart, so for the absolute loss
    E l(f) ≤ E l(h) + E min(|f − h|, high − low). For the squared loss the same holds for the roots:
    √E l(f) ≤ √E l(h) + √E min((f − h)², (√high − √low)²), Minkowski's inequality.
    """

    pool_share: float = 0.2

    code = "transfer-loss"
    title = "hold-out limit of a bounded loss plus distance on a pool"
    reference = "triangle inequality, in L1 or L2; betting limits of Waudby-Smith and Ramdas 2024"
    provenance = "derived"
    needs = ("holdout", "pool", "loss_range")
    tasks = ("regression",)
    quantity = "mean loss"
    covers = frozenset({"train"})
    assumptions = (
        *Bound.assumptions,
        "no model was trained on the pool, and the pool follows the law of future data",
        "no loss can leave the declared range",
    )

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        part, pool = evidence.need("holdout"), evidence.need("pool")
        low, high = evidence.need("loss_range")
        if part.losses is None or pool.distances is None:
            raise NotApplicable("needs losses and distances, row by row", structural=True)
        shares = {"hold-out": 1 - self.pool_share, "distance": self.pool_share}
        ledger = Ledger.split(delta, shares, "two statements")
        certified = mixed_upper(part.losses, ledger["hold-out"], low=low, high=high)
        width = math.sqrt(high) - math.sqrt(low) if pool.squared else high - low
        steps = np.minimum(pool.distances, width)
        if pool.squared:
            moved = mixed_upper(steps**2, ledger["distance"], low=0.0, high=width**2)
            value = (math.sqrt(certified) + math.sqrt(moved)) ** 2
        else:
            moved = mixed_upper(steps, ledger["distance"], low=0.0, high=width)
            value = certified + moved
        seen = float(part.losses.mean())
        return Outcome(
            value=value,
            n=part.rows,
            observed=seen,
            ledger=ledger,
            counted=f"mean loss {seen:.4g} on {part.rows} rows, mean distance {steps.mean():.4g} "
            f"on {pool.rows} pool rows",
            spent=f"{part.rows} labelled rows first held out, then trained on; {pool.rows} "
            "unlabelled rows",
            details={"certified": mixed_upper(part.losses, delta, low=low, high=high)},
        )

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """Absolute and squared losses."""
        rng = np.random.default_rng(0)
        losses, steps = np.clip(rng.normal(0.3, 0.1, 300), 0, 2), np.abs(rng.normal(0, 0.05, 900))
        for squared in (False, True):
            yield Evidence(
                700,
                task="regression",
                holdout=HoldOut(300, losses=losses),
                pool=Pool(900, distances=steps, squared=squared),
                loss_range=(0, 2),
            )
