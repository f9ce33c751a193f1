"""Polynomial regression: least squares or ridge on all monomials up to a degree."""

from __future__ import annotations

from math import comb
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.preprocessing import PolynomialFeatures

from mercer._config import reserve
from mercer._types import Samples
from mercer.learners._parameters import Rule, non_negative
from mercer.learners.regression.ridge import RidgeRegression

Floats = NDArray[np.float64]


class PolynomialRegression(RidgeRegression):
    """f(x) = Σ w_a x^a + b over monomials of degree 1 to ``degree``.

    The columns are brought to a comparable size before the system is solved; ``coef_`` and the
    penalty belong to the scaled monomials. Monomials of sparse rows are sparse.

    Parameters
    ----------
    degree : int, default=2
        Highest degree.
    alpha : float, default=0.0
        Weight of the penalty; 0 is least squares.
    certify; delta : …

    Attributes
    ----------
    coef_ : ndarray of shape (n_monomials,) or (n_targets, n_monomials)
        Weights of the scaled monomials, x^a divided by ``scale_``.
    powers_ : ndarray of shape (n_monomials, n_features)
        Exponents of every monomial.
    scale_ : ndarray of shape (n_monomials,)
        Largest size of every monomial on the training rows.
    intercept_ : float or ndarray of shape (n_targets,)
        The constant.
    loo_residuals_ : ndarray like ``y``
        Residual of each row under the model trained without it (at these scales).
    evidence_, certificate_, certificates_, not_applicable_; n_features_in_; feature_names_in_ : …

    Examples
    --------
    >>> from mercer.learners.regression import PolynomialRegression
    >>> model = PolynomialRegression(3).fit([[0], [1], [2], [3], [4]], [0, 1, 8, 27, 64])
    >>> round(float(model.predict([[5]])[0]), 6)
    125.0
    """

    _rules: ClassVar[dict[str, Rule]] = {"alpha": non_negative}
    solver = "auto"
    fit_intercept = True

    positive = False

    def __init__(
        self,
        degree: int = 2,
        *,
        alpha: float = 0.0,
        certify: Any = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.degree = degree
        self.alpha = alpha
        self.certify = certify
        self.delta = delta

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [cls()]

    def _map(self, X: Any) -> tuple[Any, dict[str, Any]]:
        maker = PolynomialFeatures(self.degree, include_bias=False).fit(X)
        n, d = X.shape
        count = comb(d + self.degree, self.degree) - 1
        held = 0 if sparse.issparse(X) else 2 * n  # the monomials and their scaled copy
        reserve(
            8 * count * (held + d),  # and the exponents
            f"{count:,} monomials of {d} columns",
            "Take fewer columns, a smaller degree, or KernelRidge with a Polynomial kernel.",
        )
        mapped = maker.transform(X)
        size = _largest(mapped)
        scale = np.where(size > 0, size, 1.0)
        return _divided(mapped, scale), {"powers_": maker.powers_, "scale_": scale}

    def _features(self, X: Samples) -> Any:
        degree = int(self.powers_.sum(axis=1).max(initial=0))  # as fitted
        maker = PolynomialFeatures(degree, include_bias=False).fit(X)
        return _divided(maker.transform(X), self.scale_)


def _largest(table: Any) -> Floats:
    """Largest size in every column."""
    if sparse.issparse(table):
        return np.asarray(abs(table).max(axis=0).toarray()).ravel()
    return np.asarray(np.abs(table).max(axis=0, initial=0.0))


def _divided(table: Any, scale: Floats) -> Any:
    if sparse.issparse(table):
        return sparse.csr_array(table @ sparse.diags_array(1.0 / scale))
    return np.asarray(table, dtype=np.float64) / scale
