"""Structural risk minimisation: a VC bound at the dimension of the large-margin hyperplanes."""

from __future__ import annotations

import math

from mercer.selection._case import Case
from mercer.selection.criteria._base import Criterion, Score


class StructuralRisk(Criterion):
    """R_emp + √((h (ln(2n/h) + 1) + ln(4/δ))/n), h = min(R²‖w‖², dimension) + 1."""

    code = "srm"
    title = "structural risk with the VC dimension of the margin"
    reference = "Vapnik 1995, chapter 5"
    kind = "heuristic"  # h depends on the sample through R, w: not the fixed class of the theorem

    def score(self, case: Case) -> Score:
        """Training error and confidence term."""
        n = case.n
        radius = max(float(case.gram.centred.diagonal.max()), 0.0)
        size = radius * case.squared_norm
        if case.dimension is not None:
            size = min(size, case.dimension)
        h = min(size + 1.0, float(n))
        inside = (h * (math.log(2.0 * n / h) + 1.0) + math.log(4.0 / case.delta)) / n
        error = case.errors / n
        return Score(error + math.sqrt(inside), {"training error": error, "dimension": h})
