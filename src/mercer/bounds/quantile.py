"""How far off most predictions are: a quantile of the error, in the unit of the target."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from mercer.bounds._bound import Bound, Outcome
from mercer.bounds._evidence import Evidence
from mercer.bounds._not_applicable import NotApplicable
from mercer.bounds._records import HoldOut
from mercer.bounds.numerics.checks import log_level
from mercer.bounds.numerics.order_statistics import quantile_rank, rows_for_share
from mercer.bounds.words import ABSOLUTE_ERROR


@dataclass(frozen=True)
class HoldOutQuantile(Bound):
    """A ``share`` of new predictions is within the k-th smallest of m unseen absolute errors.

    k is the smallest rank with P(Bin(m, share) ≥ k) ≤ δ: exact for every law of the errors, which
    need no upper limit. The mean error is told beside it, as seen: it has a limit only in a range.
    """

    share: float = 0.9

    code = "holdout-quantile"
    title = "order statistic of the unseen errors"
    reference = "Wilks 1941; Vovk 2012"
    needs = ("holdout",)
    tasks = ("regression",)
    quantity = ABSOLUTE_ERROR
    covers = frozenset({"train"})
    assumptions = (
        "the unseen rows are independent draws from the law of future data",
        "nothing about the model was decided by looking at them",
    )

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        part = evidence.need("holdout")
        if part.losses is None or evidence.loss_range is not None:
            raise NotApplicable("needs the absolute errors of unseen rows", structural=True)
        if len(part.losses) != part.rows:
            raise ValueError(f"{part.rows} unseen rows, but {len(part.losses)} errors")
        rank = quantile_rank(part.rows, self.share, log_delta=log_level(delta))
        errors = np.sort(part.losses)
        if rank is None:
            needed = rows_for_share(self.share, delta)
            raise NotApplicable(
                f"{part.rows} unseen rows cannot say where {100 * self.share:.3g} % of the errors "
                f"end: at least {needed} are needed at this confidence"
            )
        seen = float(np.quantile(errors, self.share, method="inverted_cdf"))
        unit = "unseen rows" if part.unit == "row" else "unseen groups, one row of each"
        return Outcome(
            value=float(errors[rank - 1]),
            n=part.rows,
            observed=seen,
            counted=f"mean error {errors.mean():.4g}, {100 * self.share:.3g} % within {seen:.4g} "
            f"on {part.rows} {unit}",
            spent=f"{part.rows} {unit} for counting only"
            + ("" if part.trained_on is None else f"; the model was trained on {part.trained_on}"),
            phrase=f"{100 * self.share:.3g} % of predictions of {{who}} are within {{value}}",
            details={
                "share": self.share,
                "rank": rank,
                "mean_error": float(errors.mean()),
                "largest_error": float(errors[-1]),
            },
        )

    @classmethod
    def informative_from(cls, delta: float = 0.05, *, share: float = 1.0) -> int | None:
        """Below ln δ/ln 0.9 rows nothing is said; from there on something is."""
        return rows_for_share(cls.share, delta)

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """Errors of a light and of a heavy tail."""
        rng = np.random.default_rng(0)
        for errors in (np.abs(rng.normal(size=300)), np.abs(rng.standard_cauchy(400))):
            part = HoldOut(len(errors), losses=errors, trained_on=700)
            yield Evidence(700, task="regression", holdout=part)
