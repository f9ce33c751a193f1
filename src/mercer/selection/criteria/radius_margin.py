"""R²‖w‖² of machines without slack: the hard margin, and the quadratic loss seen as one."""

from __future__ import annotations

import numpy as np

from mercer.gram import DenseGram
from mercer.learners.margin.svm.svdd import enclosing_ball
from mercer.selection._case import Case, Floats
from mercer.selection.criteria._base import Criterion, NotForThis, Score


def shifted_gram(case: Case) -> Floats:
    """The kernel matrix in whose space the machine has a hard margin."""
    if case.C is None:
        return case.gram.array
    if case.loss != "squared-hinge":
        raise NotForThis(
            "criterion='radius-margin' needs a hard margin (C=inf) or SVC(loss='squared_hinge'), "
            "which is a hard margin for the kernel k + δ/(2C)"
        )
    return case.gram.array + np.eye(case.n) / (2.0 * case.C)


class RadiusMargin(Criterion):
    """R²‖w‖²/n, R the radius of the smallest ball around the points: a leave-one-out bound."""

    code = "radius-margin"
    title = "radius–margin bound on the leave-one-out error"
    reference = "Vapnik 1998, theorem 10.6; Chapelle et al. 2002"
    kind = "bound"

    def _score(self, case: Case) -> Score:
        """Both factors, and their product over n."""
        K = shifted_gram(case)
        squared_radius = enclosing_ball(DenseGram(K, validate=False), tol=1e-5).radius ** 2
        norm = 2.0 * float(np.abs(case.coef).sum()) - float(case.coef @ K @ case.coef)
        value = squared_radius * norm / case.n
        return Score(value, {"squared radius": squared_radius, "squared norm": norm})
