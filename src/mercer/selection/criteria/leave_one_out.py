"""Leaving one row out: exactly, and approximately from one training."""

from __future__ import annotations

import numpy as np

from mercer.gram import DenseGram
from mercer.selection._case import Case, Floats
from mercer.selection._paths import Job, Limits, solve_paths
from mercer.selection.criteria._base import Criterion, NotForThis, Score
from mercer.solvers import problems
from mercer.solvers.quadratic import BoxProblem


def left_out_outputs(case: Case) -> Floats:
    """Output at every row of the machine trained without it.

    Rows without a coefficient do not change the machine when they go; each of the others is left
    out of a training of its own, and all of them work on one matrix.
    """
    if case.learner != "c-svc" or case.C is None or case.upper is None:
        raise NotForThis("criterion='loo' retrains C-SVMs at a finite C")
    everyone = np.arange(case.n)
    weight = case.upper / case.C if case.loss == "hinge" else np.ones(case.n)
    squared = case.loss != "hinge"

    def job(row: int) -> Job:
        rest = np.delete(everyone, row)

        def make(_: object) -> BoxProblem:
            return problems.c_svc(
                case.target[rest],
                case.C or 1.0,
                rows=rest,
                n=case.n,
                weight=weight[rest],
                squared=squared,
                fit_intercept=case.offset,
            )

        return Job(make, np.array([row]))

    support = case.support
    gram = DenseGram(case.gram.array, validate=False)
    found = solve_paths(gram, [job(int(i)) for i in support], [0], [case.C], Limits(case.tol))
    output = case.output.copy()
    for row, path in zip(support, found, strict=True):
        offset = path[0].offsets[0] if path[0].offsets else 0.0
        output[row] = path[0].decision[row] - offset
    return output


class LeaveOneOut(Criterion):
    """The leave-one-out error itself: retraining without each support vector, or in closed form."""

    code = "loo"
    title = "exact leave-one-out error"
    reference = "Luntz and Brailovsky 1969; Allen 1974 for ridge"
    tasks = frozenset({"classification", "regression"})
    learners = frozenset({"c-svc", "ridge"})

    def _score(self, case: Case) -> Score:
        """Share of rows that the machine trained without them gets wrong, or their mean square."""
        if "ridge" in case.extra:
            fit = case.extra["ridge"]
            weight = fit.spectrum.root**2
            return Score(float(np.average(fit.left_out**2, weights=weight)))
        output = left_out_outputs(case)
        wrong = np.where(output >= 0, 1.0, -1.0) != case.target
        return Score(float(np.mean(wrong)), {"errors": float(wrong.sum())})


class GeneralizedApproximate(Criterion):
    """Wahba's GACV: slacks, and what rows near or beyond the margin contribute to themselves."""

    code = "gacv"
    title = "generalised approximate cross-validation"
    reference = "Wahba, Lin and Zhang 2000"

    def _score(self, case: Case) -> Score:
        """(1/n)(Σ ξ + 2 Σ_{y f < −1} α k(x,x) + Σ_{|y f| ≤ 1} α k(x,x))."""
        margins, own = case.margins, np.abs(case.coef) * case.gram.diagonal
        slack = float(np.maximum(1.0 - margins, 0.0).mean())
        far = float(own[margins < -1.0].sum()) / case.n
        near = float(own[np.abs(margins) <= 1.0].sum()) / case.n
        return Score(slack + 2.0 * far + near, {"slack": slack, "far": far, "near": near})
