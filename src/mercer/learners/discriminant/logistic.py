"""Logistic classification, for two classes and for many."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from mercer.bounds import Evidence
from mercer.learners._class_weight import choices, row_weights
from mercer.learners._door import TrainingSample
from mercer.learners._fitted import rows_of
from mercer.learners._parameters import Rule, one_of, positive_whole
from mercer.learners._watched import watched
from mercer.learners.discriminant._scores import ClassProbabilities, LinearScores, ScoresFitted
from mercer.learners.discriminant._separable import separated
from mercer.solvers.softmax import SoftmaxRisk
from mercer.solvers.softmax_steps import METHODS

Floats = NDArray[np.float64]


class LogisticClassifier(ClassProbabilities, LinearScores):
    """P(y | x) ∝ exp(⟨x, β_y⟩ + b_y): minimise ½‖β‖² + C Σ −ln P(y_i | x_i).

    Parameters
    ----------
    C : float, default=1.0
        Price of the losses; ``inf`` for no penalty. Without one, separable classes have no
        optimum, also if they touch: the weights would grow for ever, and a warning says so.
    fit_intercept : bool, default=True
        Whether there are offsets, which cost nothing.
    class_weight : dict, "balanced" or None, default=None
        Factors on the weights of the rows of each class; "balanced" gives every class the same
        total. As in scikit-learn, rows are counted there by their weights.
    solver : {"auto", "newton", "lbfgs", "gradient"}, default="auto"
        "auto" is Newton's method, whose equations are solved by conjugate gradients without
        forming the Hessian. "gradient" is plain descent from 0 with the step 1/L, where L is
        ‖√w X‖²/4 (two classes) or ‖√w X‖²/2 plus the penalty.
    tol : float, default=1e-4
        Largest entry of the gradient of the mean objective at which to stop, as in scikit-learn.
    max_iter : int, default=1000
        Most iterations.
    warm_start : bool, default=False
        Whether ``fit`` starts from the weights of the previous one.
    time_limit : float, default=None
        Seconds after which to stop with what there is, and a warning.
    verbose : bool, default=False
        Whether to show the progress.
    certify; delta : …

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights; one row for two classes.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Offsets.
    classes_ : ndarray
        The labels.
    n_iter_, solver_ : int, str
        Iterations, and the method that took them.
    objective_ : float
        The value reached.
    evidence_, certificate_, certificates_, not_applicable_; n_features_in_; feature_names_in_ : …

    Examples
    --------
    >>> from mercer.learners.discriminant import LogisticClassifier
    >>> model = LogisticClassifier().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> model.predict_proba([[1.5]]).round(2)
    array([[0.5, 0.5]])
    """

    _rules: ClassVar[dict[str, Rule]] = {
        "solver": one_of("auto", "newton", "lbfgs", "gradient"),
        "max_iter": positive_whole,
    }

    def __init__(
        self,
        *,
        C: float = 1.0,
        fit_intercept: bool = True,
        class_weight: Any = None,
        solver: str = "auto",
        tol: float = 1e-4,
        max_iter: int = 1000,
        warm_start: bool = False,
        time_limit: float | None = None,
        verbose: bool = False,
        certify: str | None = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.C = C
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.time_limit = time_limit
        self.verbose = verbose
        self.certify = certify
        self.delta = delta

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [cls(), cls(solver="lbfgs"), cls(class_weight="balanced")]

    def _train(self, sample: TrainingSample) -> ScoresFitted:
        labels = self._labels(sample)
        weight = row_weights(self.class_weight, labels, sample.weight)
        used, total = np.flatnonzero(weight > 0), float(weight.sum())
        X = sample.X[used] if len(used) < sample.n else sample.X
        risk = SoftmaxRisk(
            X.astype(np.float64, copy=False),
            labels.codes[used],
            weight[used] / total,  # the mean objective, so that tol means what it says
            len(labels.classes),
            0.0 if np.isinf(self.C) else 1.0 / (self.C * total),
            bool(self.fit_intercept),
        )
        beta, attributes = self._minimise(risk)
        table = beta.reshape(risk.rows, risk.outputs)
        scale = 1.0 if np.isinf(self.C) else self.C
        attributes["objective_"] = float(risk.value_and_gradient(beta)[0] * total * scale)
        return ScoresFitted(
            **rows_of(sample),
            classes=labels.classes,
            coef=np.ascontiguousarray(table[: risk.X.shape[1]].T),
            intercept=table[-1].copy() if self.fit_intercept else np.zeros(risk.outputs),
            codes=risk.codes,
            scores=risk.scores(beta),
            attributes=attributes,
        )

    def _start(self, risk: SoftmaxRisk) -> Floats:
        """Zero, or the weights of the previous fit."""
        before = self.__dict__.get("fitted_") if self.warm_start else None
        shape = (risk.outputs, risk.X.shape[1])
        if not isinstance(before, ScoresFitted) or before.coef.shape != shape:
            return np.zeros(risk.rows * risk.outputs)
        rows = [before.coef.T, before.intercept[None]] if risk.fit_intercept else [before.coef.T]
        return np.vstack(rows).ravel()

    def _minimise(self, risk: SoftmaxRisk) -> tuple[Floats, dict[str, Any]]:
        name = "newton" if self.solver == "auto" else self.solver
        with watched(self) as watch:
            start = self._start(risk)
            beta, count, met = METHODS[name](risk, start, self.tol, self.max_iter, watch)
        if risk.penalty == 0 and separated(risk, risk.scores(beta)):
            warnings.warn(
                "LogisticClassifier: C=inf on separable classes has no optimum. The risk falls "
                "for ever as the weights grow, and probabilities go to 0 and 1; these weights are "
                "where the solver stopped. Give a finite C.",
                ConvergenceWarning,
                stacklevel=6,
            )
        elif not met:
            warnings.warn(
                f"LogisticClassifier: {name} did not reach tol={self.tol:g} in {count} "
                "iterations. Scale the data, raise max_iter or time_limit, or lower C if the "
                "classes are separable.",
                ConvergenceWarning,
                stacklevel=6,
            )
        return beta, {"n_iter_": count, "solver_": name}

    def _publish_evidence(self) -> Evidence:
        fitted = self.fitted_
        two, size = fitted.two, fitted.coef.shape[1]
        return Evidence(
            len(fitted.codes),
            learner=f"this {type(self).__name__}",
            formulation="logistic",
            loss="logistic" if two else "",
            n_classes=len(self.classes_),
            errors=fitted.errors(),
            margins=fitted.margins(),
            norm=float(np.linalg.norm(fitted.coef)) if two else None,
            offset=float(fitted.intercept[0]) if self.fit_intercept else None,
            dimension=float(size) if two else None,
            rank=size if two else None,
            choices=(*fitted.choices(), *choices(self.class_weight)),
        )
