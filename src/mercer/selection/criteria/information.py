"""Training error plus a price per degree of freedom: AIC, BIC, and Mallows' relative GCV."""

from __future__ import annotations

import math
from typing import Any

from mercer.selection._case import Case
from mercer.selection.criteria._base import Criterion, NotForThis, Score


def _ridge(case: Case) -> Any:
    if "ridge" not in case.extra:
        raise NotForThis("degrees of freedom are defined for kernel ridge here")
    return case.extra["ridge"]


class _Information(Criterion):
    kind = "heuristic"
    tasks = frozenset({"regression"})
    learners = frozenset({"ridge"})

    def price(self, n: int) -> float:
        """Of one degree of freedom."""
        raise TypeError(f"{type(self).__name__} does not define a price")

    def score(self, case: Case) -> Score:
        """Ln of the mean squared residual + price · freedom / n."""
        fit = _ridge(case)
        if fit.freedom > 0.5 * case.n:
            raise NotForThis(
                f"{fit.freedom:.3g} degrees of freedom on {case.n} rows: the criterion is a limit "
                "for many rows per degree of freedom"
            )
        fitted = math.log(max(fit.mean_square, 1e-300))
        return Score(
            fitted + self.price(case.n) * fit.freedom / case.n,
            {"log residual": fitted, "freedom": fit.freedom},
        )


class Akaike(_Information):
    """Two per degree of freedom."""

    code = "aic"
    title = "Akaike's information criterion"
    reference = "Akaike 1974; effective freedom as in Hastie and Tibshirani 1990"

    def price(self, n: int) -> float:
        """2."""
        return 2.0


class Schwarz(_Information):
    """Ln n per degree of freedom."""

    code = "bic"
    title = "Schwarz' information criterion"
    reference = "Schwarz 1978; effective freedom as in Hastie and Tibshirani 1990"

    def price(self, n: int) -> float:
        """Ln n."""
        return math.log(n)


class GeneralisedCrossValidation(Criterion):
    """Mean squared residual/(1 − freedom/n)²."""

    code = "gcv"
    title = "generalised cross-validation"
    reference = "Golub, Heath and Wahba 1979"
    tasks = frozenset({"regression"})
    learners = frozenset({"ridge"})

    def score(self, case: Case) -> Score:
        """Leave-one-out with every leverage replaced by their mean."""
        fit = _ridge(case)
        left = max(1.0 - fit.freedom / case.n, 1e-12)
        return Score(fit.mean_square / left**2, {"freedom": fit.freedom})
