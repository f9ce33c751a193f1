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

from mercer._types import Samples
from mercer.bounds import Evidence
from mercer.learners._door import TrainingSample
from mercer.learners._fitted import Fitted
from mercer.learners._in_kernel_space import InKernelSpace, KernelFitted
from mercer.learners._kernel_rules import KERNEL_RULES
from mercer.learners._learner import Learner, Weighted
from mercer.learners._mixins import Classifies
from mercer.learners._parameters import Rule, one_of
from mercer.learners._publishes import Publishes
from mercer.learners._watched import watched
from mercer.losses import Logistic, Loss, get_loss
from mercer.solvers.risk import RiskProblem, RiskSolution, newton, splitting
from mercer.solvers.risk_box import box_problem, solve_box
from mercer.solvers.softmax_kernel import SoftmaxProblem

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


@dataclass(frozen=True, kw_only=True)
class ColumnsFitted(KernelFitted):
    """One function per class or per target: a column each."""

    coef: Floats  # of every row, zero at weight zero
    intercept: Floats
    loss: Loss
    solver: str
    n_iter: int
    gap: float
    objective: float
    output: Floats
    target: NDArray[Any]  # codes of classes, or numbers


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
    warm_start: bool
    loss: Any
    fitted_: RiskFitted | ColumnsFitted
    dual_coef_: Floats
    loss_: Loss

    def _loss(self) -> Loss:
        loss = get_loss(self.loss)
        if not loss.convex:
            raise ValueError(f"{loss!r} is not convex: a regularised-risk machine cannot use it")
        if self._task == "regression" and loss.task != "regression":
            raise ValueError(f"{loss!r} is for labels -1 and +1, not for numbers")
        return loss

    def _train(self, sample: TrainingSample) -> RiskFitted | ColumnsFitted:
        loss = self._loss()
        target, classes = sample.y, None
        if isinstance(self, Classifies):
            labels = self._labels(sample)
            target, classes = labels.signs, labels.classes
            if len(classes) > 2:
                target = labels.codes
        space, used = self._space(sample, use="rows"), np.flatnonzero(sample.weight > 0)
        gram = space.gram if len(used) == sample.n else space.gram.subset(used)
        K = np.asarray(gram.dense(), dtype=np.float64)
        price = self.C * sample.weight[used]
        shared = self._in_space(sample, space.meant) | {"classes": classes, "loss": loss}
        try:
            if classes is not None and len(classes) > 2:
                start = self._start(used, sample.n, (len(classes),))
                found = self._all_classes(K, target[used], len(classes), price, start)
                return ColumnsFitted(**shared, **_spread(found, used, sample.n))
            if target.ndim == 2:
                found = self._all_targets(K, target[used], price)
                return ColumnsFitted(**shared, **_spread(found, used, sample.n))
            problem = RiskProblem(K, target[used], loss, price, bool(self.fit_intercept))
            solution = self._solve(problem, self._start(used, sample.n, ()))
        except LinAlgError:
            raise ValueError(
                f"The kernel {space.kernel!r} is not positive semi-definite on these data: the "
                "objective has no minimum. mercer.check_psd shows where."
            ) from None
        found = {
            "coef": solution.coef,
            "intercept": float(solution.offset),
            "solver": solution.method,
            "n_iter": solution.n_iter,
            "gap": float(solution.gap),
            "objective": float(solution.primal),
            "output": solution.image + solution.offset,
            "target": problem.y,
        }
        return RiskFitted(
            **shared,
            **_spread(found, used, sample.n),
            alphas=np.abs(solution.coef),
            diagonal=np.diagonal(K).copy(),
            squared_norm=max(float(solution.coef @ solution.image), 0.0),
            price=float(price[0]) if np.ptp(price) == 0 else None,
        )

    def _all_classes(
        self, K: Floats, codes: NDArray[np.intp], classes: int, price: Floats, start: Any
    ) -> dict[str, Any]:
        """The multinomial form of the logistic loss: one function per class, together."""
        loss = self._loss()
        assert isinstance(loss, Logistic)
        problem = SoftmaxProblem(
            K,
            codes,
            price,
            classes,
            bool(self.fit_intercept),
            loss.rate,
            loss.lipschitz / loss.rate,
        )
        most = MOST["newton"] if self.max_iter < 0 else self.max_iter
        with watched(self) as watch:
            solution = problem.solve(self.tol, most, watch, start)
        if not solution.converged:
            why = "max_iter" if solution.n_iter >= most else "time_limit or rounding"
            self._warn("newton", why, solution.n_iter, solution.gap, solution.primal)
        return {
            "coef": solution.coef,
            "intercept": solution.offset,
            "solver": "newton",
            "n_iter": solution.n_iter,
            "gap": float(solution.gap),
            "objective": float(solution.primal),
            "output": solution.output,
            "target": codes,
        }

    def _all_targets(self, K: Floats, Y: Floats, price: Floats) -> dict[str, Any]:
        """One function per target, each by itself."""
        each = [
            self._solve(RiskProblem(K, y, self._loss(), price, bool(self.fit_intercept)))
            for y in np.ascontiguousarray(Y.T)
        ]
        return {
            "coef": np.column_stack([one.coef for one in each]),
            "intercept": np.array([one.offset for one in each]),
            "solver": each[0].method,
            "n_iter": max(one.n_iter for one in each),
            "gap": float(max(one.gap for one in each)),
            "objective": float(sum(one.primal for one in each)),
            "output": np.column_stack([one.image + one.offset for one in each]),
            "target": Y,
        }

    def _start(self, used: NDArray[np.intp], n: int, columns: tuple[int, ...]) -> Any:
        """Coefficients and offsets of the previous fit, for Newton's method."""
        before = self.__dict__.get("fitted_") if self.warm_start else None
        if not isinstance(before, RiskFitted | ColumnsFitted) or before.coef.shape != (n, *columns):
            return None
        return before.coef[used], before.intercept

    def _solve(self, problem: RiskProblem, start: Any = None) -> RiskSolution:
        box = None if problem.loss.smooth else box_problem(problem)
        method = self.solver
        if method == "auto":
            kinked = "splitting" if box is None else "working sets"
            method = "newton" if problem.loss.smooth else kinked
        if method == "newton" and not problem.loss.smooth:
            raise ValueError(f"solver='newton' needs a smooth loss; {problem.loss!r} has kinks")
        most = MOST[method] if self.max_iter < 0 else int(self.max_iter)
        if method == "working sets" and box is None:
            raise ValueError(
                f"solver='working sets' knows the hinge, epsilon-insensitive and quantile "
                f"losses, not {problem.loss!r}"
            )
        with watched(self) as watch:
            if method == "newton":
                found = newton(problem, self.tol, most, watch, start)
            elif method == "splitting":
                found = splitting(problem, self.tol, most, watch)
            else:
                assert box is not None
                found = solve_box(problem, box, self.tol, most, watch)
        if not found.converged:
            self._warn(found.method, found.stopped, found.n_iter, found.gap, found.primal)
        return found

    def _warn(self, method: str, stopped: str, n_iter: int, gap: float, value: float) -> None:
        enough = max(10 * self.tol, 1e-10)  # below that a step is lost in rounding
        if gap > enough * max(1.0, abs(value)):
            warnings.warn(
                f"{type(self).__name__}: {method} stopped ({stopped}) after {n_iter} iterations "
                f"with a duality gap of {gap:.2e}; scale the data, lower C, or raise max_iter or "
                "tol",
                ConvergenceWarning,
                stacklevel=8,
            )

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        assert isinstance(fitted, RiskFitted | ColumnsFitted)
        self.dual_coef_, self.intercept_ = fitted.coef, fitted.intercept
        self.n_iter_, self.solver_ = fitted.n_iter, fitted.solver
        self.dual_gap_, self.objective_ = fitted.gap, fitted.objective
        self.loss_ = fitted.loss

    def _outputs(self, X: Samples) -> Floats:
        fitted = self.fitted_
        values = self._expand(X, fitted.coef.reshape(fitted.n, -1)) + fitted.intercept
        return values if isinstance(fitted, ColumnsFitted) else values[:, 0]

    def _publish_evidence(self) -> Evidence:
        fitted, loss = self.fitted_, self.fitted_.loss
        if isinstance(fitted, ColumnsFitted):
            return self._evidence_of_columns(fitted)
        facts = fitted.facts(fitted.diagonal)
        geometric = facts["point_norms"] is not None
        words = _words(loss)
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

    def _evidence_of_columns(self, fitted: ColumnsFitted) -> Evidence:
        """Several functions have neither one margin nor one norm: what is counted, and no more."""
        evidence = Evidence(
            len(fitted.target),
            task=self._task,
            learner=f"this {type(self).__name__}",
            formulation="regularised-risk",
            choices=fitted.choices(),
        )
        if self._task == "regression":
            risk = fitted.loss.risk(fitted.output.ravel(), fitted.target.ravel())
            return replace(evidence, risks={_words(fitted.loss): risk})
        wrong = fitted.output.argmax(axis=1) != fitted.target
        count = fitted.output.shape[1]
        return replace(evidence, n_classes=count, errors=int(np.count_nonzero(wrong)))

    def _more_evidence(self, evidence: Evidence) -> Evidence:
        fitted = self.fitted_
        assert isinstance(fitted, RiskFitted)
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


def _spread(found: dict[str, Any], used: NDArray[np.intp], n: int) -> dict[str, Any]:
    """The same with coefficients of all rows, zero at those of weight zero."""
    coef = np.zeros((n, *found["coef"].shape[1:]))
    coef[used] = found["coef"]
    return found | {"coef": coef}


def _words(loss: Loss) -> str:
    """What evidence calls the loss."""
    name = type(loss).__name__
    words = "".join(f"-{c.lower()}" if c.isupper() else c for c in name).lstrip("-")
    if 1.0 < loss.lipschitz < math.inf:
        words += f" of slope {loss.lipschitz:.6g}"  # no theorem about the plain one holds
    return words
