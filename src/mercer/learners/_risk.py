"""The fit template of the regularised-risk machines: kernel, loss, solver, evidence."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import _num_samples, check_is_fitted

from mercer._blas import calm_blas
from mercer.bounds import Evidence
from mercer.gram import build_gram
from mercer.learners._certified import Certified
from mercer.learners._expansion import (
    KernelExpansion,
    row_weights,
    training_rows,
)
from mercer.learners._kernel import meant_by
from mercer.learners._kernel_evidence import kernel_facts
from mercer.learners._kernel_rules import KERNEL_RULES
from mercer.learners._parameters import Rule, check_parameters, one_of
from mercer.losses import Loss, get_loss
from mercer.solvers.risk import RiskProblem, RiskSolution, newton, splitting
from mercer.solvers.risk_box import box_problem, solve_box

Floats = NDArray[np.float64]

SOLVERS = ("auto", "newton", "splitting", "working sets")
MOST = {"newton": 200, "splitting": 5000, "working sets": -1}


class RiskMachine(Certified, KernelExpansion, BaseEstimator):
    """½‖f‖² + C Σ w_i ℓ(f(x_i) + b, y_i) for the loss of ``_loss()``."""

    _rules: ClassVar[dict[str, Rule]] = KERNEL_RULES | {"solver": one_of(*SOLVERS)}
    _task: ClassVar[str] = ""

    C: float
    tol: float
    solver: str
    max_iter: int
    fit_intercept: bool
    kernel: Any
    loss: Any
    dual_coef_: Floats
    loss_: Loss
    _told: dict[str, Any]

    def _loss(self) -> Loss:
        loss = get_loss(self.loss)
        if not loss.convex:
            raise ValueError(f"{loss!r} is not convex: a regularised-risk machine cannot use it")
        if self._task == "regression" and loss.task != "regression":
            raise ValueError(f"{loss!r} is for labels -1 and +1, not for numbers")
        return loss

    def _targets(self, y: NDArray[Any]) -> Floats:
        raise TypeError(f"{type(self).__name__} does not say what its targets are")

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Any:
        check_parameters(self, self._rules)
        self._forget_certificates()
        loss = self._loss()
        X, y = training_rows(self, X, y, numeric=self._task == "regression")
        weight = row_weights(sample_weight, X)
        target = self._targets(y)
        used = np.flatnonzero(weight > 0)
        self._check_targets(target[used])
        meant = meant_by(self, X)
        self.kernel_ = meant.kernel
        gram = build_gram(meant.kernel, X, use="rows", checked=meant.checked)
        gram = gram if len(used) == gram.n else gram.subset(used)
        K = np.asarray(gram.dense(), dtype=np.float64)
        price = self.C * weight[used]
        problem = RiskProblem(K, target[used], loss, price, bool(self.fit_intercept))
        try:
            with calm_blas(len(used)):
                solution = self._solve(problem)
        except LinAlgError:
            raise ValueError(
                f"The kernel {self.kernel_!r} is not positive semi-definite on these data: the "
                "objective has no minimum. mercer.check_psd shows where."
            ) from None
        self._remember(X)
        self._publish(problem, solution, used)
        return self

    def _check_targets(self, target: Floats) -> None:
        """Raise if the rows that count allow no fit."""

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
                stacklevel=4,
            )
        return found

    def _publish(
        self, problem: RiskProblem, solution: RiskSolution, used: NDArray[np.intp]
    ) -> None:
        coef = np.zeros(_num_samples(self.X_fit_))
        coef[used] = solution.coef
        self.dual_coef_ = coef
        self.intercept_ = float(solution.offset)
        self.n_iter_, self.solver_ = solution.n_iter, solution.method
        self.dual_gap_, self.objective_ = float(solution.gap), float(solution.primal)
        self.loss_ = problem.loss
        output = solution.image + solution.offset
        same = np.ptp(problem.price) == 0
        self._told = {
            "n": len(used),
            "output": output,
            "target": problem.y,
            "squared_norm": max(float(solution.coef @ solution.image), 0.0),
            "diagonal": np.diagonal(problem.K).copy(),
            "C": float(problem.price[0]) if same else None,
            "dropped": len(coef) - len(used),
            "coef": solution.coef,
        }

    def _values(self, X: Any) -> Floats:
        check_is_fitted(self)
        return self._expand(X, self.dual_coef_[:, None])[:, 0] + self.intercept_

    def _publish_evidence(self) -> Evidence:
        told = self._told
        facts = kernel_facts(self, told["diagonal"])
        geometric = facts["point_norms"] is not None
        name = type(self.loss_).__name__
        words = "".join(f"-{c.lower()}" if c.isupper() else c for c in name).lstrip("-")
        if 1.0 < self.loss_.lipschitz < math.inf:
            words += f" of slope {self.loss_.lipschitz:.6g}"  # no theorem about the plain one holds
        evidence = Evidence(
            told["n"],
            task=self._task,
            learner=f"this {type(self).__name__}",
            formulation="regularised-risk",
            loss=words,
            alphas=np.abs(told["coef"]),
            norm=math.sqrt(told["squared_norm"]) if geometric else None,
            offset=self.intercept_ if self.fit_intercept else None,
            C=told["C"],
            gap=self.dual_gap_ if math.isfinite(self.dual_gap_) else None,
            risks={words: self.loss_.risk(told["output"], told["target"])},
            **facts,
        )
        return self._more_evidence(evidence)

    def _more_evidence(self, evidence: Evidence) -> Evidence:
        told = self._told
        if self._task == "regression":
            tube = getattr(self.loss_, "epsilon", None)
            slacks = self.loss_.value(told["output"], told["target"])
            return replace(evidence, tube=tube, slacks=slacks if tube is not None else None)
        margins = told["output"] * told["target"]
        wrong = np.where(told["output"] >= 0, 1.0, -1.0) != told["target"]
        return replace(
            evidence,
            margins=margins,
            errors=int(np.count_nonzero(wrong)),
            slacks=np.maximum(1.0 - margins, 0.0) if evidence.loss.endswith("hinge") else None,
        )
