"""Polynomial kernels, homogeneous and complete, and their explicit features."""

from __future__ import annotations

from itertools import combinations_with_replacement
from math import comb, factorial, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mercer import _config
from mercer._types import Samples
from mercer.kernels._facts import monomials
from mercer.kernels.distances import dot
from mercer.kernels.fused import Fused
from mercer.kernels.validate import natural, real
from mercer.kernels.vectors._gamma import ProductKernel


class Polynomial(ProductKernel):
    """k(x, y) = (gamma <x, y> + coef0)^degree.

    With ``coef0=0`` the homogeneous kernel (all monomials of the degree), with ``coef0>0`` the
    complete one (all monomials up to the degree).

    Parameters
    ----------
    degree : positive number
        Whole numbers give a positive semi-definite kernel; others are computed, but neither
        compiled nor guaranteed.
    coef0 : float
    gamma : nonnegative float, "scale" or "auto"
    """

    choices = frozenset({"degree"})

    def __init__(self, degree: float = 3, coef0: float = 0.0, gamma: Any = 1.0) -> None:
        self.degree = degree
        self.coef0 = coef0
        self.gamma = gamma

    @property
    def psd(self) -> bool:
        """Whole degrees and nonnegative constants only."""
        return self._whole() and self.coef0 >= 0

    def _whole(self) -> bool:
        return float(self.degree).is_integer()

    def _check(self, X: Samples, name: str = "X") -> None:
        self._slope_and_offset()
        real(self.degree, "Polynomial: degree", low=0)

    def _raise(self, argument: NDArray[Any], power: float) -> NDArray[Any]:
        if not self._whole() and np.any(argument < 0):
            raise ValueError(
                f"Polynomial: gamma <x, y> + coef0 is negative for some pair, and degree="
                f"{self.degree!r} is not a whole number; use a whole degree"
            )
        return argument ** (int(power) if self._whole() else power)

    def _tile(self, X: Samples, Y: Samples) -> NDArray[Any]:
        return self._raise(self._argument(X, Y), self.degree)

    def _diag(self, X: Samples) -> NDArray[Any]:
        return self._raise(self._diag_argument(X), self.degree)

    def _tile_gradient(self, X: Samples, Y: Samples) -> dict[str, NDArray[Any]]:
        argument = self._argument(X, Y)
        slope = np.zeros_like(argument)
        if self.degree > 0:
            slope = self.degree * self._raise(argument, self.degree - 1)
        return {"gamma": slope * dot(X, Y), "coef0": slope}

    def fused(self) -> Fused | None:
        """Compiled as "polynomial" if the degree is a whole number."""
        if not self._whole() or self.degree > 1000:
            return None
        gamma, coef0 = self._slope_and_offset()
        return Fused("polynomial", (gamma, coef0, float(self.degree)))

    def dimension(self, n_features: int | None) -> float | None:
        """The number of monomials, if there are finitely many."""
        if n_features is None or not self.psd:
            return None
        return monomials(n_features + (self.coef0 > 0), int(self.degree))

    # -- the feature space, written out ----------------------------------------------------------

    def n_features_out(self, n_features: int) -> int:
        """Dimension: C(N + p - 1, p) homogeneous, C(N + p, p) complete."""
        degree = natural(self.degree, "Polynomial: degree")
        return comb(n_features + degree - (self.coef0 == 0), degree)

    def features_of(self, X: Any) -> NDArray[Any]:
        """The explicit feature map: inner products of these rows are the kernel.

        One feature per exponent vector r with sum p: sqrt(p! / prod r_i!) prod u_i^r_i, for
        u = sqrt(gamma) x, extended by sqrt(coef0) for the complete kernel.
        """
        X, _ = self.validate(X)
        gamma, coef0 = self._slope_and_offset()
        real(coef0, "Polynomial: coef0 of an explicit feature map", low=0)
        degree, width = natural(self.degree, "Polynomial: degree"), self.n_features_out(X.shape[1])
        _config.reserve(
            X.shape[0] * width * X.dtype.itemsize,
            f"The explicit map to {width:,} polynomial features",
            "Use the kernel itself, or kernel.features(rank).",
        )
        U = np.sqrt(gamma) * (X.toarray() if sparse.issparse(X) else X)
        if coef0 > 0:
            U = np.hstack([U, np.full((U.shape[0], 1), np.sqrt(coef0))])
        features = np.empty((U.shape[0], width), dtype=X.dtype)
        for j, columns in enumerate(combinations_with_replacement(range(U.shape[1]), degree)):
            repeats = prod(factorial(columns.count(c)) for c in set(columns))
            weight = np.sqrt(factorial(degree) / repeats)
            features[:, j] = weight * np.prod(U[:, list(columns)], axis=1)
        return features

    @classmethod
    def examples(cls) -> list[Polynomial]:
        """Homogeneous and complete."""
        return [cls(3), cls(2, coef0=1.0, gamma=0.5)]
