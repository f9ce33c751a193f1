"""Margin tubes: the risk of the model of all rows, from models that did not see some of them."""

from __future__ import annotations

import math
from collections.abc import Iterator

from mercer.bounds._bound import Bound, Outcome
from mercer.bounds._evidence import Evidence
from mercer.bounds._not_applicable import NotApplicable
from mercer.bounds._tube_record import MarginTubes
from mercer.bounds.numerics.easy import easy_upper, log_ratio


class MarginTube(Bound):
    """Risk of the model of all n rows, by tubes around J models that saw all but m of them.

    (1/J)·Σ_j Σ_l w_l·[tube l of anchor j reaches the model]·Σ_c v_c·e^{−c·S_jl}·(1 − a_c·θ)^{−m} =
    C(n, m)/(δ·C(N, m)) with a_c = 1 − e^{−c}: S_jl counts the held-out rows that anchor j gets
    wrong or that lie in its tube l, N rows were easy enough to be held out. θ is the limit.
    """

    code = "margin-tube"
    title = "margin tubes around models without easy rows, importance-weighted"
    reference = "averages of e-values over splits with importance weights; proof in the docs"
    provenance = "derived"
    needs = ("tubes",)
    covers = frozenset({"train"})
    assumptions = (
        "the rows are independent draws from one law, in an order that does not depend on them",
        "the functions that the learner chooses among were fixed before looking at the rows (a "
        "kernel and its width too)",
        "how many rows are held out, and the bets, were fixed before looking at the rows",
        "every anchor and its tubes were made without its own hold-out",
    )

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        run: MarginTubes = evidence.need("tubes")
        if evidence.n_classes != 2:
            raise NotApplicable("margin tubes are about two classes", structural=True)
        ratio = log_ratio(run.total, run.easy, run.rows)
        several = len(run.widths)
        ratios = [
            ratio + math.log(several * weight) if place >= first else -math.inf
            for first in run.first
            for place, weight in enumerate(run.widths)
        ]
        sums = [count for line in run.inside for count in line]
        value, _ = easy_upper(ratios, sums, run.rows, delta, bets=run.bets)
        reached = [line[first] for line, first in zip(run.inside, run.first, strict=True)
                   if first < several]  # fmt: skip
        shown = ", ".join(str(count) for count in reached) or "no tube reached the model"
        return Outcome(
            value,
            n=run.rows,
            counted=f"{shown} of {run.rows} easy rows inside the tube of each anchor or wrong",
            spent=f"no row was kept from the model; of {run.total} rows, {run.rows} of the "
            f"{run.easy} that looked easy were kept from each of {len(run.first)} anchors",
            details={"log_ratio": ratio, "anchors_that_reach": len(reached), "seed": run.seed},
        )

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """Without and with errors, and an anchor that is too far away."""
        bets = ((5.0, 0.7), (2.0, 0.3))
        for easy, inside, first in (
            (970, ((0, 0, 1),), (1,)),
            (900, ((0, 1, 4), (0, 0, 2), (1, 1, 1)), (0, 1, 3)),
        ):
            record = MarginTubes(
                190, total=1000, easy=easy, widths=(0.3, 0.5, 0.2), inside=inside, first=first,
                bets=bets,
            )  # fmt: skip
            yield Evidence(1000, tubes=record)
