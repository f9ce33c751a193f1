"""Within which distance of the target a share of the predictions lies."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mercer.bounds.numerics.order_statistics import quantile_rank, rows_for_share
from mercer.bounds.words import ABSOLUTE_ERROR
from mercer.certification.core.arguments import share as check_share
from mercer.certification.core.task import Refused
from mercer.certification.guarantees.metrics._metric import CertifiedMetric, Unseen
from mercer.certification.guarantees.statement import Statement


@dataclass(frozen=True)
class ErrorQuantile(CertifiedMetric):
    """A ``share`` of the predictions is within the k-th smallest unseen error (order statistics).

    With a share of 0.9 this is what a regression is certified by if nothing else is asked for.
    """

    share: float = 0.9

    name, quantity, side = "error_quantile", ABSOLUTE_ERROR, "upper"
    reads = "distances"
    title, reference = "order statistic of the unseen errors", "Wilks 1941; Vovk 2012"
    tasks: ClassVar[tuple[str, ...]] = ("regression",)
    limits: ClassVar[tuple[float, float]] = (0.0, math.inf)

    def __post_init__(self) -> None:
        check_share(self.share, "share")

    @property
    def words(self) -> str:
        """``90 % of predictions of SVR are within 3.2``."""
        return f"{100 * self.share:.3g} % of predictions of {{who}} are within {{value}}"

    def state(self, rows: Unseen, delta: float) -> Statement:
        """The error at the right rank."""
        y, f = rows.numbers()
        errors, rank = np.sort(np.abs(y - f)), quantile_rank(rows.n, self.share, delta)
        if rank is None:
            raise Refused(
                f"{rows.n} unseen rows cannot say where {100 * self.share:.3g} % of the errors "
                f"end: at least {rows_for_share(self.share, delta)} are needed at this confidence."
            )
        seen: Any = np.quantile(errors, self.share, method="inverted_cdf")
        told = f"mean error {errors.mean():.4g}, {100 * self.share:.3g} % within {seen:.4g} on "
        return Statement(
            float(errors[rank - 1]),
            rows.n,
            float(seen),
            f"{told}{rows.n} unseen rows",
            details={"share": self.share, "mean_error": float(errors.mean())},
        )
