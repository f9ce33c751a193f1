"""Area under the ROC curve: rows are paired off, so that pairs are independent, and counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.bounds.numerics import clopper_lower
from mercer.certification.core.task import Refused
from mercer.certification.guarantees.metrics._metric import CertifiedMetric, Floats, Unseen
from mercer.certification.guarantees.statement import Statement


@dataclass(frozen=True)
class AreaUnderCurve(CertifiedMetric):
    """P(a positive row scores above a negative one), ties for a half.

    Every row of the rarer class gets a partner of the other at random, by a fixed seed. Disjoint
    pairs are independent, and a pair is well ordered with the very probability in question (of
    ties a fair coin decides): the exact binomial limit. Averages of bets over many pairings, and
    Chernoff's limit of the whole area, were tried and are wider: at 25 to 400 pairs an exact tail
    is worth more than a small variance.
    """

    positive: Any = None

    name, quantity = "auc", "area under the ROC curve"
    title = "exact binomial limit of disjoint pairs"
    reads = "scores"
    reference = "Clopper and Pearson 1934; disjoint pairs as in Hoeffding 1963"

    @classmethod
    def read(cls, option: str, text: str) -> Any:
        """Labels stay text."""
        return text

    def state(self, rows: Unseen, delta: float) -> Statement:
        """From the scores of the positive class."""
        positive = rows.positive(self.positive)
        truth, _ = rows.hits(positive)
        scores = rows.scores(positive)
        if truth.all() or not truth.any():
            raise Refused("auc: the counted rows are all of one class, so no pair can be formed.")
        up, down = scores[truth], scores[~truth]
        ordered, pairs = disjoint_pairs(up, down)
        return Statement(
            clopper_lower(ordered, pairs, delta),
            rows.n,
            area(up, down),
            f"{ordered} of {pairs} disjoint pairs in order, {len(up)} rows of class {positive!r} "
            f"and {len(down)} others",
            details={"ordered": ordered, "pairs": pairs},
        )


def area(up: Floats, down: Floats) -> float:
    """The share of well-ordered pairs among all of them."""
    order = np.sort(down)
    below = np.searchsorted(order, up, side="left") + np.searchsorted(order, up, side="right")
    return float(below.mean() / (2 * len(down)))


def disjoint_pairs(up: Floats, down: Floats) -> tuple[int, int]:
    """How many of how many random disjoint pairs are well ordered."""
    rng, pairs = np.random.default_rng(0), min(len(up), len(down))
    ours, theirs = (rng.permutation(scores)[:pairs] for scores in (up, down))
    coin = rng.random(pairs) < 0.5
    return int(np.sum((ours > theirs) | ((ours == theirs) & coin))), pairs
