"""The Bayes rule of a law given by its densities: what no classifier can beat."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.integrate import cubature

Floats = NDArray[np.float64]
Density = Callable[[Floats], ArrayLike]


class BayesRule:
    """Predict the class with the largest P(y)·p(x | y).

    Parameters
    ----------
    densities : sequence of callables
        p(x | y) of every class: a function of rows, shape (n, d), that returns n numbers.
    priors : array-like or None, default=None
        P(y); None for equal ones.
    classes : array-like or None, default=None
        Labels; None for −1, +1 with two classes and 0, 1, 2, … with more.

    Examples
    --------
    >>> from scipy.stats import norm
    >>> left, right = (lambda x, m=m: norm.pdf(x[:, 0], m) for m in (-1, 1))
    >>> rule = BayesRule([left, right])
    >>> rule.predict([[0.3]])
    array([1])
    >>> round(rule.risk([(-9, 9)]), 6)  # Φ(−1)
    0.158655
    """

    def __init__(
        self,
        densities: Sequence[Density],
        priors: ArrayLike | None = None,
        classes: ArrayLike | None = None,
    ) -> None:
        self.densities = tuple(densities)
        count = len(self.densities)
        if count < 2:
            raise ValueError(f"a law of labels needs at least two densities, got {count}")
        share = np.full(count, 1.0 / count) if priors is None else np.asarray(priors, float)
        if share.shape != (count,) or np.any(share < 0) or not np.isclose(share.sum(), 1.0):
            raise ValueError(f"priors must be {count} probabilities that sum to 1, got {priors!r}")
        self.priors = share
        default = np.array([-1, 1]) if count == 2 else np.arange(count)
        self.classes_ = default if classes is None else np.asarray(classes)
        if len(self.classes_) != count:
            raise ValueError(f"{len(self.classes_)} labels for {count} densities")

    def joint(self, X: ArrayLike) -> Floats:
        """P(y)·p(x | y), shape (n, n_classes)."""
        rows = np.atleast_2d(np.asarray(X, dtype=np.float64))
        columns = [np.atleast_1d(np.asarray(p(rows), dtype=np.float64)) for p in self.densities]
        for place, column in enumerate(columns):
            if column.shape != (len(rows),) or np.any(column < 0):
                raise ValueError(
                    f"density {place} must return {len(rows)} numbers >= 0 for {len(rows)} rows"
                )
        return np.column_stack(columns) * self.priors

    def posterior(self, X: ArrayLike) -> Floats:
        """P(y | x); equal where every density is zero, because nothing is known there."""
        joint = self.joint(X)
        total = joint.sum(axis=1, keepdims=True)
        equal = np.full_like(joint, 1.0 / joint.shape[1])
        return np.divide(joint, total, out=equal, where=total > 0)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The most probable class; for two classes a tie is the second, as everywhere here."""
        joint = self.joint(X)
        if len(self.classes_) == 2:
            return self.classes_[(joint[:, 1] >= joint[:, 0]).astype(int)]
        return self.classes_[joint.argmax(axis=1)]

    def conditional_mean(self, X: ArrayLike, values: ArrayLike | None = None) -> Floats:
        """E[y | x], what the squared error wants; for labels −1, +1 it is 2η − 1."""
        numbers = np.asarray(self.classes_ if values is None else values, dtype=np.float64)
        return self.posterior(X) @ numbers

    def risk(
        self,
        box: Sequence[tuple[float, float]],
        predict: Callable[[Floats], NDArray[Any]] | None = None,
        *,
        tol: float = 1e-8,
    ) -> float:
        """Probability of error of a rule (of this one by default), by quadrature over a box.

        Mass outside the box is not seen: choose it wide.

        Parameters
        ----------
        box : sequence of (low, high)
            One interval per coordinate.
        predict : callable or None, default=None
            Another rule to judge.
        tol : float, default=1e-8
            Accuracy asked of the quadrature.
        """
        low, high = np.asarray(box, dtype=np.float64).T
        rule = self.predict if predict is None else predict

        def wrong(x: Floats) -> Floats:
            rows = np.asarray(x, dtype=np.float64).reshape(-1, len(low))
            missed = np.asarray(rule(rows))[:, None] != self.classes_[None, :]
            return np.sum(self.joint(rows) * missed, axis=1)

        return float(cubature(wrong, low, high, rtol=tol, atol=tol).estimate)
