"""The regularised-risk machines: problem, loss, solver, evidence."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError
from sklearn.exceptions import ConvergenceWarning

from mercer.bounds import Evidence
from mercer.learners._door import TrainingSample
from mercer.learners._fitted import Fitted
from mercer.learners._in_kernel_space import InKernelSpace, KernelFitted
from mercer.learners._kernel_rules import KERNEL_RULES
from mercer.learners._learner import Learner, Weighted
from mercer.learners._mixins import Classifies
from mercer.learners._parameters import Rule, one_of
from mercer.learners._publishes import Publishes
from mercer.losses import Loss, get_loss
from mercer.solvers.risk import RiskProblem, RiskSolution, newton, splitting
from mercer.solvers.risk_box import box_problem, solve_box

Floats = NDArray[np.float64]

SOLVERS = ("auto", "newton", "splitting", "working sets")
MOST = {"newton": 200, "splitting": 5000, "working sets": -1}


@dataclass(frozen=True, kw_only=True)
class RiskFitted(KernelFitted):
    """The minimiser, and the rows of positive weight as evidence sees them."""

    coef: Floats  # of every row, zero at weight zero
    intercept: float
    loss: Loss
    solver: str
    n_iter: int
    gap: float
    objective: float
    alphas: Floats  # sizes of the coefficients of the rows that count
    output: Floats
    target: Floats
    diagonal: Floats
    squared_norm: float
    price: float | None  # of one loss, if it is the same for all rows


class RiskMachine(Weighted, Publishes, InKernelSpace, Learner):
    """½‖f‖² + C Σ w_i ℓ(f(x_i) + b, y_i) for the loss of ``_loss()``."""

    _rules: ClassVar[dict[str, Rule]] = KERNEL_RULES | {"solver": one_of(*SOLVERS)}
    _task: ClassVar[str] = ""
    _state_version: ClassVar[int] = 1

    C: float
    tol: float
    solver: str
    max_iter: int
    fit_intercept: bool
    loss: Any
    fitted_: RiskFitted
    dual_coef_: Floats
    loss_: Loss

    def _loss(self) -> Loss:
        loss = get_loss(self.loss)
        if not loss.convex:
            raise ValueError(f"{loss!r} is not convex: a regularised-risk machine cannot use it")
        if self._task == "regression" and loss.task != "regression":
            raise ValueError(f"{loss!r} is for labels -1 and +1, not for numbers")
        return loss

    def _train(self, sample: TrainingSample) -> RiskFitted:
        loss = self._loss()
        target, classes = sample.y, None
        if isinstance(self, Classifies):
            labels = self._labels(sample)
            target, classes = labels.signs, labels.classes
        space, used = self._space(sample, use="rows"), np.flatnonzero(sample.weight > 0)
        gram = space.gram if len(used) == sample.n else space.gram.subset(used)
        K = np.asarray(gram.dense(), dtype=np.float64)
        price = self.C * sample.weight[used]
        problem = RiskProblem(K, target[used], loss, price, bool(self.fit_intercept))
        try:
            solution = self._solve(problem)
        except LinAlgError:
            raise ValueError(
                f"The kernel {space.kernel!r} is not positive semi-definite on these data: the "
                "objective has no minimum. mercer.check_psd shows where."
            ) from None
        coef = np.zeros(sample.n)
        coef[used] = solution.coef
        return RiskFitted(
            **self._in_space(sample, space.meant),
            classes=classes,
            coef=coef,
            intercept=float(solution.offset),
            loss=loss,
            solver=solution.method,
            n_iter=solution.n_iter,
            gap=float(solution.gap),
            objective=float(solution.primal),
            alphas=np.abs(solution.coef),
            output=solution.image + solution.offset,
            target=problem.y,
            diagonal=np.diagonal(K).copy(),
            squared_norm=max(float(solution.coef @ solution.image), 0.0),
            price=float(price[0]) if np.ptp(price) == 0 else None,
        )

    def _solve(self, problem: RiskProblem) -> RiskSolution:
        box = None if problem.loss.smooth else box_problem(problem)
        method = self.solver
        if method == "auto":
            kinked = "splitting" if box is None else "working sets"
            method = "newton" if problem.loss.smooth else kinked
        if method == "newton" and not problem.loss.smooth:
            raise ValueError(f"solver='newton' needs a smooth loss; {problem.loss!r} has kinks")
        most = MOST[method] if self.max_iter < 0 else int(self.max_iter)
        if method == "working sets":
            if box is None:
                raise ValueError(
                    f"solver='working sets' knows the hinge, epsilon-insensitive and quantile "
                    f"losses, not {problem.loss!r}"
                )
            found = solve_box(problem, box, self.tol, most)
        else:
            found = {"newton": newton, "splitting": splitting}[method](problem, self.tol, most)
        enough = max(10 * self.tol, 1e-10)  # below that a step is lost in rounding
        if not found.converged and found.gap > enough * max(1.0, abs(found.primal)):
            warnings.warn(
                f"{type(self).__name__}: {found.method} stopped ({found.stopped}) after "
                f"{found.n_iter} iterations with a duality gap of {found.gap:.2e}; scale the "
                "data, lower C, or raise max_iter or tol",
                ConvergenceWarning,
                stacklevel=6,
            )
        return found

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        assert isinstance(fitted, RiskFitted)
        self.dual_coef_, self.intercept_ = fitted.coef, fitted.intercept
        self.n_iter_, self.solver_ = fitted.n_iter, fitted.solver
        self.dual_gap_, self.objective_ = fitted.gap, fitted.objective
        self.loss_ = fitted.loss

    def _outputs(self, X: Any) -> Floats:
        return self._expand(X, self.fitted_.coef[:, None])[:, 0] + self.fitted_.intercept

    def _publish_evidence(self) -> Evidence:
        fitted, loss = self.fitted_, self.fitted_.loss
        facts = fitted.facts(fitted.diagonal)
        geometric = facts["point_norms"] is not None
        name = type(loss).__name__
        words = "".join(f"-{c.lower()}" if c.isupper() else c for c in name).lstrip("-")
        if 1.0 < loss.lipschitz < math.inf:
            words += f" of slope {loss.lipschitz:.6g}"  # no theorem about the plain one holds
        evidence = Evidence(
            len(fitted.alphas),
            task=self._task,
            learner=f"this {type(self).__name__}",
            formulation="regularised-risk",
            loss=words,
            alphas=fitted.alphas,
            norm=math.sqrt(fitted.squared_norm) if geometric else None,
            offset=fitted.intercept if self.fit_intercept else None,
            C=fitted.price,
            gap=fitted.gap if math.isfinite(fitted.gap) else None,
            risks={words: loss.risk(fitted.output, fitted.target)},
            **facts,
        )
        return self._more_evidence(evidence)

    def _more_evidence(self, evidence: Evidence) -> Evidence:
        fitted = self.fitted_
        if self._task == "regression":
            tube = getattr(fitted.loss, "epsilon", None)
            slacks = fitted.loss.value(fitted.output, fitted.target)
            return replace(evidence, tube=tube, slacks=slacks if tube is not None else None)
        margins = fitted.output * fitted.target
        wrong = np.where(fitted.output >= 0, 1.0, -1.0) != fitted.target
        return replace(
            evidence,
            margins=margins,
            errors=int(np.count_nonzero(wrong)),
            slacks=np.maximum(1.0 - margins, 0.0) if evidence.loss.endswith("hinge") else None,
        )
