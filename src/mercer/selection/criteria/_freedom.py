"""How well a trained machine fits, and how many degrees of freedom it spent on that.

| machine | minus twice the log likelihood per row | degrees of freedom |
|---|---|---|
| ridge, least squares | ln of the mean squared residual | trace of the hat matrix |
| lasso | the same | weights that are not zero (Zou, Hastie and Tibshirani 2007) |
| regressions with a tube | the same | rows on the edge of the tube (Gunter and Zhu 2007) |
| logistic | 2/n Σ ln(1 + exp(−y f)) | trace of the hat matrix of the last Newton step |
| regressions with another smooth loss | ln of the mean squared residual | the same |
| hinge | 2/n Σ max(1 − y f, 0), a likelihood only in form (Sollich 2002) | rows on the margin |

The Gaussian likelihood has its variance at its best; constants are left out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from mercer.selection._case import Case, Floats
from mercer.selection._ridge_spectrum import RidgeSpectrum
from mercer.selection.criteria._base import NotForThis

EDGE = 1e-6  # share of the limit from which a coefficient counts as not at zero, or not at the top


@dataclass(frozen=True)
class FreedomSpent:
    """Fit and freedom of one machine; ``mean_square`` only for regressions."""

    deviance: float
    freedom: float
    mean_square: float | None = None


def spent_by(case: Case) -> FreedomSpent:
    """Read a trained machine."""
    if "ridge" in case.extra:
        fit = case.extra["ridge"]
        return _gaussian(fit.mean_square, fit.freedom)
    if "freedom" in case.extra:
        return _gaussian(_mean_square(case), case.extra["freedom"])
    if case.loss == "logistic":
        return _logistic(case)
    loss = case.extra.get("loss")
    if loss is not None and loss.smooth and case.task == "regression":
        bend = loss.curvature(case.output, case.target)
        return _gaussian(_mean_square(case), _newton_freedom(case, bend))
    if case.upper is not None and case.task == "regression":
        return _gaussian(_mean_square(case), float(_on_the_edge(case)))
    if case.upper is not None and case.loss == "hinge" and case.learner == "c-svc":
        slack = float(np.maximum(1.0 - case.margins, 0.0).mean())
        return FreedomSpent(2.0 * slack, float(_on_the_edge(case)))
    raise NotForThis(f"degrees of freedom of {case.learner!r} are not known here")


def _gaussian(mean_square: float, freedom: float) -> FreedomSpent:
    return FreedomSpent(math.log(max(mean_square, 1e-300)), freedom, mean_square)


def _mean_square(case: Case) -> float:
    return float(np.mean((case.target - case.output) ** 2))


def _on_the_edge(case: Case) -> int:
    assert case.upper is not None
    share = np.abs(case.coef) / case.upper
    return int(np.count_nonzero((share > EDGE) & (share < 1.0 - EDGE)))


def _logistic(case: Case) -> FreedomSpent:
    chance = expit(case.output)
    weight = case.extra.get("weight", np.ones(case.n))
    loss = float(np.average(np.logaddexp(0.0, -case.margins), weights=weight))
    return FreedomSpent(2.0 * loss, _newton_freedom(case, chance * (1.0 - chance)))


def _newton_freedom(case: Case, curvature: Floats) -> float:
    """The Newton step at the optimum is a ridge regression weighted by the loss' curvature."""
    weight = case.extra.get("weight", np.ones(case.n)) * np.maximum(curvature, 1e-300)
    spectrum = RidgeSpectrum(case.gram.array, case.output, weight, case.offset)
    return float(spectrum.rank) if case.C is None else spectrum.at(1.0 / case.C).freedom
