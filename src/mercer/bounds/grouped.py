"""Hold-out by whole groups: patients, batches, speakers, whose rows resemble each other."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mercer.bounds._bound import Bound, Outcome
from mercer.bounds._evidence import Evidence
from mercer.bounds._not_applicable import NotApplicable
from mercer.bounds._records import HoldOut
from mercer.bounds.numerics import mixed_upper


class HoldOutGroups(Bound):
    """Expected error rate on a random row of a new group, every group counting the same.

    The mean error rates of the unseen groups are independent numbers in [0, 1], whatever happens
    inside a group; their mean is bounded by betting.
    """

    code = "holdout-groups"
    title = "betting limit over whole groups"
    reference = "Waudby-Smith and Ramdas, JRSS-B 86, 2024, one bounded mean per group"
    quantity = "error rate on a random row of a new group"
    tasks = ("classification", "regression", "novelty")
    needs = ("holdout",)
    covers = frozenset({"train"})
    assumptions = (
        "the groups are independent draws from the law of future groups",
        "nothing about the model was decided by looking at the unseen groups",
    )

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        part = evidence.need("holdout")
        if part.unit != "group" or part.losses is None:
            raise NotApplicable("the rows were not held out by whole groups", structural=True)
        if evidence.loss_range is not None:
            raise NotApplicable("the groups carry losses, not error rates", structural=True)
        trained = "" if part.trained_on is None else f"; trained on {part.trained_on} rows"
        return Outcome(
            value=mixed_upper(part.losses, delta, low=0.0, high=1.0),
            n=part.rows,
            observed=float(part.losses.mean()),
            counted=f"mean error rate {part.losses.mean():.4g} of {part.rows} unseen groups",
            spent=f"{part.rows} whole groups for counting only{trained}",
        )

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """Few and many groups."""
        for groups in (12, 200):
            rates = np.random.default_rng(0).beta(1, 9, groups)
            yield Evidence(300, holdout=HoldOut(groups, losses=rates, unit="group"))


class HoldOutGroupsLoss(Bound):
    """Expected loss on a random row of a new group, every group counting the same."""

    code = "holdout-groups-loss"
    title = "betting limit of a bounded loss over whole groups"
    reference = HoldOutGroups.reference
    quantity = "mean loss"
    tasks = HoldOutGroups.tasks
    needs = ("holdout", "loss_range")
    covers = HoldOutGroups.covers
    assumptions = (
        *HoldOutGroups.assumptions,
        "the loss meant is that on a random row of a new group",
        "no loss can leave the declared range",
    )

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        part, (low, high) = evidence.need("holdout"), evidence.need("loss_range")
        if part.unit != "group" or part.losses is None:
            raise NotApplicable("the rows were not held out by whole groups", structural=True)
        trained = "" if part.trained_on is None else f"; trained on {part.trained_on} rows"
        return Outcome(
            value=mixed_upper(part.losses, delta, low=low, high=high),
            n=part.rows,
            observed=float(part.losses.mean()),
            counted=f"mean loss {part.losses.mean():.4g} of {part.rows} unseen groups",
            spent=f"{part.rows} whole groups for counting only{trained}",
        )

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """Losses between 0 and 2."""
        means = 2.0 * np.random.default_rng(0).beta(1, 9, 60)
        part = HoldOut(60, losses=means, unit="group")
        yield Evidence(300, task="regression", holdout=part, loss_range=(0.0, 2.0))
