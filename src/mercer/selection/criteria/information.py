"""Fit plus a price per degree of freedom: AIC, BIC, and generalised cross-validation.

They stand beside `srm`, the structural risk, for every penalised machine: ridge and lasso, tubes,
logistic and hinge machines.
"""

from __future__ import annotations

import math

from mercer.selection._case import Case
from mercer.selection.criteria._base import Criterion, NotForThis, Score
from mercer.selection.criteria._freedom import spent_by

PENALISED = frozenset({"ridge", "svr", "nu-svr", "c-svc"})
BOTH = frozenset({"classification", "regression"})


class _Information(Criterion):
    kind = "heuristic"
    tasks = BOTH
    learners = PENALISED
    any_machine = True

    def price(self, n: int) -> float:
        """Of one degree of freedom."""
        raise TypeError(f"{type(self).__name__} does not define a price")

    def _score(self, case: Case) -> Score:
        """−2 log likelihood per row + price · freedom / n; regressions: ln of the mean square."""
        spent = spent_by(case)
        if spent.freedom > 0.5 * case.n:
            raise NotForThis(
                f"{spent.freedom:.3g} degrees of freedom on {case.n} rows: the criterion is a "
                "limit for many rows per degree of freedom"
            )
        fitted = "deviance" if spent.mean_square is None else "log residual"
        return Score(
            spent.deviance + self.price(case.n) * spent.freedom / case.n,
            {fitted: spent.deviance, "freedom": spent.freedom},
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


class GeneralizedCrossValidation(Criterion):
    """Mean loss/(1 − freedom/n)²: squared residuals, or half the deviance of a classifier."""

    code = "gcv"
    title = "generalised cross-validation"
    reference = "Golub, Heath and Wahba 1979; O'Sullivan, Yandell and Raynor 1986 for likelihoods"
    tasks = BOTH
    learners = PENALISED
    any_machine = True

    def _score(self, case: Case) -> Score:
        """Leave-one-out with every leverage replaced by their mean."""
        spent = spent_by(case)
        left = max(1.0 - spent.freedom / case.n, 1e-12)
        loss = 0.5 * spent.deviance if spent.mean_square is None else spent.mean_square
        return Score(loss / left**2, {"freedom": spent.freedom})
