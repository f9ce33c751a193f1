"""Fisher's discriminant in the feature space of a kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from mercer.bounds import Evidence
from mercer.learners._door import Door, TrainingSample
from mercer.learners._fitted import Fitted
from mercer.learners._in_kernel_space import InKernelSpace, KernelFitted
from mercer.learners._kernel_rules import KERNEL_RULES
from mercer.learners._learner import Learner, Plain
from mercer.learners._mixins import Classifies
from mercer.learners._parameters import Rule, one_of, positive
from mercer.learners._publishes import Publishes
from mercer.learners.discriminant.fisher import direction

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class KernelFisherFitted(KernelFitted):
    """The direction, and its outputs at the training rows."""

    coef: Floats
    intercept: float
    output: Floats
    target: Floats
    diagonal: Floats
    squared_norm: float


class KernelFisher(Plain, Publishes, InKernelSpace, Classifies, Learner):
    """Fisher's discriminant on the columns of the Gram matrix G.

    With k_y the mean column of class y and S = (GG − m₊k₊k₊' − m₋k₋k₋')/m + λI, the coefficients
    are S⁻¹(k₊ − k₋); b = ½(k₋'S⁻¹k₋ − k₊'S⁻¹k₊) + ln(m₊/m₋).

    Parameters
    ----------
    reg_param : float, default=1e-3
        λ > 0; without it S has rank at most m − 2.
    kernel : str, Kernel or callable, default="rbf"
        As in ``mercer.KernelRidge``.
    gamma : float, "scale", "auto" or None, default="scale"
        Of the named kernels; None is one over the number of columns.
    degree, coef0 : float
        Of the polynomial and sigmoid kernels.
    solver : {"moments", "eigen", "least_squares"}, default="moments"
        As in ``FisherDiscriminant``.
    prior : {"estimated", "equal"}, default="estimated"
        Whether the offset takes the class frequencies into account.
    certify : {"in-sample"} or None, default="in-sample"
        Whether the model publishes certificates, see :class:`mercer.SVC`.
    delta : float, default=0.05
        Probability with which the certificate may be wrong.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n_samples,)
        Coefficients: ``f(x) = sum_i dual_coef_i k(x_i, x) + intercept_``.
    intercept_ : float
        The offset.
    classes_ : ndarray of shape (2,)
        The labels; a positive output means the second.
    kernel_, X_fit_
        What is needed for prediction.
    evidence_, certificate_, certificates_, not_applicable_
        What the model publishes about itself, and what bounds make of it.
    n_features_in_ : int
        Number of features seen during ``fit``.
    feature_names_in_ : ndarray of str
        Names of the features, if the data had string column names.

    Examples
    --------
    >>> from mercer.learners.discriminant import KernelFisher
    >>> X = [[-2.0], [-1.0], [0.0], [1.0], [2.0]]
    >>> KernelFisher(gamma=1.0).fit(X, [1, 1, 0, 1, 1]).predict([[0.1]])
    array([0])
    """

    _rules: ClassVar[dict[str, Rule]] = KERNEL_RULES | {
        "reg_param": positive,
        "solver": one_of("moments", "eigen", "least_squares"),
        "prior": one_of("estimated", "equal"),
    }
    _two_only = True
    _door: ClassVar[Door] = Door(asks="kernel", targets="labels")
    _state_version: ClassVar[int] = 2
    fitted_: KernelFisherFitted

    def __init__(
        self,
        *,
        reg_param: float = 1e-3,
        kernel: Any = "rbf",
        gamma: Any = "scale",
        degree: float = 3,
        coef0: float = 0.0,
        solver: str = "moments",
        prior: str = "estimated",
        certify: Any = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.reg_param = reg_param
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.solver = solver
        self.prior = prior
        self.certify = certify
        self.delta = delta

    def _train(self, sample: TrainingSample) -> KernelFisherFitted:
        labels = self._labels(sample)
        target = labels.signs
        space = self._space(sample, use="rows")
        G = np.asarray(space.gram.dense(), dtype=np.float64)
        coef, intercept = self._discriminant(G, target)
        return KernelFisherFitted(
            **self._in_space(sample, space.meant),
            classes=labels.classes,
            coef=coef,
            intercept=intercept,
            output=G @ coef + intercept,
            target=target,
            diagonal=np.diagonal(G).copy(),
            squared_norm=float(coef @ G @ coef),
        )

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        assert isinstance(fitted, KernelFisherFitted)
        self.dual_coef_, self.intercept_ = fitted.coef, fitted.intercept

    def _discriminant(self, G: Floats, y: Floats) -> tuple[Floats, float]:
        m, high, low = len(y), G[:, y > 0].mean(axis=1), G[:, y < 0].mean(axis=1)
        counts = np.array([np.sum(y < 0), np.sum(y > 0)])
        if self.solver == "least_squares":
            centred = G - G.mean(axis=0)
            normal = centred.T @ centred
            normal[np.diag_indices_from(normal)] += m * self.reg_param
            target = m * y / counts[(y > 0).astype(int)]
            coef = cho_solve(cho_factor(normal, lower=True), centred.T @ target)
            return coef, -float(G.mean(axis=0) @ coef)
        S = G @ G / m - np.outer(high, high) * counts[1] / m - np.outer(low, low) * counts[0] / m
        S[np.diag_indices_from(S)] += self.reg_param
        if self.solver == "eigen":
            coef = direction(S, high - low, "eigen")
        else:
            coef = cho_solve(cho_factor(S, lower=True), high - low)
        offset = -0.5 * float((high + low) @ coef)
        if self.prior == "estimated":
            offset += float(np.log(counts[1] / counts[0]))
        return coef, offset

    def _outputs(self, X: Any) -> Floats:
        return self._expand(X, self.fitted_.coef[:, None])[:, 0] + self.fitted_.intercept

    def _publish_evidence(self) -> Evidence:
        fitted = self.fitted_
        facts = fitted.facts(fitted.diagonal)
        wrong = np.where(fitted.output >= 0, 1.0, -1.0) != fitted.target
        geometric = facts["point_norms"] is not None and fitted.squared_norm >= 0
        return Evidence(
            fitted.n,
            learner=f"this {type(self).__name__}",
            formulation="kfd",
            errors=int(np.count_nonzero(wrong)),
            margins=fitted.output * fitted.target,
            norm=float(np.sqrt(fitted.squared_norm)) if geometric else None,
            offset=fitted.intercept,
            **facts,
        )
