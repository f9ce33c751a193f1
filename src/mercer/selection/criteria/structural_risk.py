"""Structural risk minimisation: VC bounds, at the dimension that a trained machine suggests."""

from __future__ import annotations

import math

from mercer.selection._case import Case
from mercer.selection.criteria._base import Criterion, Score
from mercer.selection.criteria._freedom import spent_by
from mercer.selection.criteria.information import BOTH, PENALISED


class StructuralRisk(Criterion):
    """Labels: R_emp + √((h (ln(2n/h) + 1) + ln(4/δ))/n), h = min(R²‖w‖², dimension) + 1.

    Regressions: mean square/(1 − √(p − p ln p + ln n/(2n)))₊ with p = h/n, h the degrees of
    freedom.
    """

    code = "srm"
    title = "structural risk with the VC dimension of the margin or the degrees of freedom"
    reference = "Vapnik 1995, chapter 5; Cherkassky, Shao, Mulier and Vapnik 1999 for regressions"
    kind = "heuristic"  # h depends on the sample through R, w: not the fixed class of the theorem
    tasks = BOTH
    learners = PENALISED
    any_machine = True

    def _score(self, case: Case) -> Score:
        """Training error and confidence term."""
        return _labels(case) if case.task == "classification" else _numbers(case)


def _labels(case: Case) -> Score:
    n = case.n
    radius = max(float(case.gram.centred.diagonal.max()), 0.0)
    size = radius * case.squared_norm
    if case.dimension is not None:
        size = min(size, case.dimension)
    h = min(size + 1.0, float(n))
    inside = (h * (math.log(2.0 * n / h) + 1.0) + math.log(4.0 / case.delta)) / n
    error = case.errors / n
    return Score(error + math.sqrt(inside), {"training error": error, "dimension": h})


def _numbers(case: Case) -> Score:
    spent = spent_by(case)
    assert spent.mean_square is not None
    p = min(max(spent.freedom, 1e-300) / case.n, 1.0)
    left = 1.0 - math.sqrt(max(p - p * math.log(p) + math.log(case.n) / (2.0 * case.n), 0.0))
    value = spent.mean_square / left if left > 0 else math.inf
    return Score(value, {"training error": spent.mean_square, "dimension": spent.freedom})
