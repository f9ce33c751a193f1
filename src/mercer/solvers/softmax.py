"""The multinomial logistic risk: values, gradients and Hessians that do not overflow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

Floats = NDArray[np.float64]


def log_sum_exp(scores: ArrayLike) -> Floats:
    """Ln Σ_k exp(s_k) of every row; the largest score is taken out first."""
    S = np.asarray(scores, dtype=np.float64)
    top = S.max(axis=1, keepdims=True)
    return (top + np.log(np.exp(S - top).sum(axis=1, keepdims=True)))[:, 0]


def softmax(scores: ArrayLike) -> Floats:
    """exp(s_k) / Σ exp(s_j) of every row."""
    S = np.asarray(scores, dtype=np.float64)
    shifted = np.exp(S - S.max(axis=1, keepdims=True))
    shifted /= shifted.sum(axis=1, keepdims=True)
    return shifted


@dataclass
class SoftmaxRisk:
    """Σ_i w_i [LSE(s_i) − s_i,y_i] + ½ penalty Σ β², for scores s = Xβ + b; the offsets are free.

    Parameters are a flat vector of the (columns + 1) × classes matrix, offsets last. ``columns``
    of X may be sparse. For two classes one column of scores is kept, s_0 = 0.
    """

    X: Any
    codes: NDArray[np.intp]
    weight: Floats
    classes: int
    penalty: float
    fit_intercept: bool

    def __post_init__(self) -> None:
        self.outputs = 1 if self.classes == 2 else self.classes
        self.rows = self.X.shape[1] + int(self.fit_intercept)
        self.sign = np.where(self.codes == 1, 1.0, -1.0) if self.outputs == 1 else None
        self.place = (np.arange(len(self.codes)), self.codes)

    def scores(self, beta: Floats) -> Floats:
        """Xβ + b."""
        table = beta.reshape(self.rows, self.outputs)
        values = np.asarray(self.X @ table[: self.X.shape[1]])
        return values + table[-1] if self.fit_intercept else values

    def value_and_gradient(self, beta: Floats) -> tuple[float, Floats]:
        """The objective and its gradient, from one pass over X and one over X'."""
        scores = self.scores(beta)
        if self.sign is not None:
            margin = self.sign * scores[:, 0]
            losses = np.logaddexp(0.0, -margin)
            slope = (-self.weight * self.sign * np.exp(-np.logaddexp(0.0, margin)))[:, None]
        else:
            top = scores.max(axis=1, keepdims=True)
            right = scores[self.place]
            scores -= top
            np.exp(scores, out=scores)
            total = scores.sum(axis=1, keepdims=True)
            losses = np.log(total[:, 0]) + top[:, 0] - right
            scores /= total
            scores[self.place] -= 1.0
            scores *= self.weight[:, None]
            slope = scores
        table = beta.reshape(self.rows, self.outputs)
        inner = table[: self.X.shape[1]]
        value = float(self.weight @ losses + 0.5 * self.penalty * np.sum(inner**2))
        gradient = np.empty_like(table)
        gradient[: self.X.shape[1]] = self.X.T @ slope + self.penalty * inner
        if self.fit_intercept:
            gradient[-1] = slope.sum(axis=0)
        return value, gradient.ravel()

    def curvature(self, beta: Floats) -> Callable[[Floats], Floats]:
        """The Hessian at ``beta`` as a product: two passes over X per direction, no matrix."""
        scores, columns = self.scores(beta), self.X.shape[1]
        weight = self.weight[:, None]
        shares = expit(scores) if self.sign is not None else softmax(scores)
        bend = weight * shares * (1.0 - shares) if self.sign is not None else weight * shares

        def product(v: Floats) -> Floats:
            table = v.reshape(self.rows, self.outputs)
            moved = self.X @ table[:columns]
            if self.fit_intercept:
                moved = moved + table[-1]
            if self.sign is None:
                moved -= np.einsum("ij,ij->i", shares, moved)[:, None]
            moved *= bend
            found = np.empty_like(table)
            found[:columns] = self.X.T @ moved + self.penalty * table[:columns]
            if self.fit_intercept:
                found[-1] = moved.sum(axis=0)
            return found.ravel()

        return product

    def hessian(self, beta: Floats) -> Floats:
        """The Hessian itself, column by column of the parameters: for few of them."""
        product = self.curvature(beta)
        return np.column_stack([product(row) for row in np.eye(len(beta))])
