"""½ Σ_k ‖f_k‖² + Σ_i p_i ℓ(f(x_i) + b, y_i) for the multinomial logistic loss, with a duality gap.

The loss is s·[ln Σ_k exp(r f_k) − r f_y]. In the coordinates Φ = U√λ of the Gram matrix K = UλU' it
is a linear problem with a penalty, whose functions have the coefficients U W/√λ. The dual value of
probabilities q is −½ Σ_k β_k'Kβ_k − s Σ_i p_i Σ_k q_ik ln q_ik with β = s r p (1[y = k] − q), and
Σ_i β_ik = 0 if there are offsets.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, eigh
from scipy.special import xlogy

from mercer.solvers.softmax import SoftmaxRisk, softmax
from mercer.solvers.softmax_steps import newton
from mercer.solvers.watch import Watch

Floats = NDArray[np.float64]
CUT = 1e-13  # eigenvalues below this share of the largest carry nothing
SINGLE = 3e-5  # eigenvalues above minus this share are rounding: many matrices were float32 once
ACCURACIES = (1e-4, 1e-6, 1e-8, 1e-10, 1e-12)  # of the gradient, until the gap is small enough


@dataclass(frozen=True)
class SoftmaxSolution:
    """Coefficients and outputs of all classes, and how far from optimal the objective is."""

    coef: Floats
    offset: Floats
    output: Floats
    primal: float
    gap: float
    n_iter: int
    converged: bool


@dataclass(frozen=True)
class SoftmaxProblem:
    """``price`` is C times the weight of each row, all positive; s is ``scale``, r is ``rate``."""

    K: Floats
    codes: NDArray[np.intp]
    price: Floats
    classes: int
    fit_intercept: bool
    rate: float = 1.0
    scale: float = 1.0

    def solve(
        self,
        tol: float,
        max_iter: int,
        watch: Watch | None = None,
        start: tuple[Floats, Floats] | None = None,
    ) -> SoftmaxSolution:
        """Newton's method until the gap is below ``tol``, relative to an objective above 1.

        ``start`` are coefficients and offsets to begin with.
        """
        values, vectors = eigh(self.K)
        if values[0] < -SINGLE * max(float(values[-1]), np.finfo(float).tiny):
            raise LinAlgError("negative eigenvalues")
        kept = values > CUT * max(float(values[-1]), np.finfo(float).tiny)
        root, vectors = np.sqrt(values[kept]), vectors[:, kept]
        unit = self.scale * float(self.price.sum())
        risk = SoftmaxRisk(
            vectors * root,
            self.codes,
            self.price / self.price.sum(),
            self.classes,
            1.0 / (self.rate**2 * unit),
            self.fit_intercept,
        )
        table = np.zeros((risk.rows, risk.outputs))
        if start is not None:
            table[: len(root)] = self.rate * root[:, None] * (vectors.T @ start[0])
            if self.fit_intercept:
                table[-1] = self.rate * start[1]
        beta, count, gap, value = table.ravel(), 0, np.inf, np.inf
        for accuracy in ACCURACIES:
            beta, steps, _ = newton(risk, beta, accuracy, max_iter - count, watch)
            count += steps
            value = unit * risk.value_and_gradient(beta)[0]
            gap = value - self._dual(risk, beta)
            late = watch is not None and watch.over(count, gap)
            if gap <= tol * max(1.0, abs(value)) or count >= max_iter or late:
                break
        table = beta.reshape(risk.rows, risk.outputs) / self.rate
        offset = table[-1] - table[-1].mean() if self.fit_intercept else np.zeros(self.classes)
        weights = table[: len(root)]
        return SoftmaxSolution(
            vectors @ (weights / root[:, None]),
            offset,
            risk.X @ weights + offset,
            value,
            gap,
            count,
            bool(gap <= tol * max(1.0, abs(value))),
        )

    def _dual(self, risk: SoftmaxRisk, beta: Floats) -> float:
        """The dual value of the probabilities; offsets up to 2|b| + 1 pay for what is missing."""
        q = softmax(risk.scores(beta))
        dual = -q
        dual[risk.place] += 1.0
        dual *= self.scale * self.rate * self.price[:, None]
        value = -0.5 * float(np.sum((risk.X.T @ dual) ** 2))
        value -= self.scale * float(self.price @ xlogy(q, q).sum(axis=1))
        if self.fit_intercept:
            offset = beta.reshape(risk.rows, risk.outputs)[-1] / self.rate
            value -= float(np.abs(dual.sum(axis=0)) @ (2.0 * np.abs(offset) + 1.0))
        return value
