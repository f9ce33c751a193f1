"""Kernel ridge at every penalty from one eigendecomposition.

In scaled coordinates (rows times the root of their weight) an unpenalised intercept is a direction
s that the fit takes out first. With P the projection on its complement, z = P S y and
A = P S K S P = U diag(λ) U', the residuals are α (A + αI)⁻¹ z and the hat matrix is
U diag(λ/(λ+α)) U' + s s'/s's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from mercer._cached import cached_property
from mercer._storable import record

Floats = NDArray[np.float64]


class RidgeSpectrum:
    """What one kernel and one sample have in common for all penalties."""

    def __init__(self, K: Floats, y: Floats, weight: Floats, fit_intercept: bool) -> None:
        self.root = np.sqrt(weight)
        self.n = len(y)
        self.fit_intercept = fit_intercept
        self.y = np.asarray(y, dtype=np.float64)
        A = self.root[:, None] * np.asarray(K, dtype=np.float64) * self.root[None, :]
        z = self.root * self.y
        self.mean = 0.0
        if fit_intercept:
            s = self.root / np.linalg.norm(self.root)
            across = A @ s
            A = A - np.outer(s, across) - np.outer(across, s) + (s @ across) * np.outer(s, s)
            self.mean = float(s @ z) / float(np.linalg.norm(self.root))
            z = z - s * (s @ z)
            self.border: Floats | None = s
        else:
            self.border = None
        self.target = z
        values, self.vectors = eigh((A + A.T) / 2.0)
        self.values = np.maximum(values, 0.0)
        self.along = self.vectors.T @ z

    @property
    def rank(self) -> int:
        """Degrees of freedom without a penalty; eigenvalues of rounding are none."""
        largest = float(self.values.max(initial=0.0))
        return int(np.count_nonzero(self.values > 1e-10 * largest)) + int(self.fit_intercept)

    def at(self, alpha: float) -> RidgeFit:
        """The fit at one penalty."""
        return RidgeFit(self, float(alpha))


@record("ridge-spectrum-fit")
@dataclass(frozen=True)
class RidgeFit:
    """One penalty: residuals, degrees of freedom, what leaving rows out would do, evidence."""

    spectrum: RidgeSpectrum
    alpha: float

    @cached_property
    def residuals(self) -> Floats:
        """Scaled residuals y − f(x) of the training rows."""
        sp = self.spectrum
        return sp.vectors @ (sp.along * (self.alpha / (sp.values + self.alpha)))

    @property
    def shrinkage(self) -> Floats:
        """λ/(λ + α)."""
        return self.spectrum.values / (self.spectrum.values + self.alpha)

    @property
    def freedom(self) -> float:
        """Trace of the hat matrix."""
        return float(self.shrinkage.sum()) + (1.0 if self.spectrum.fit_intercept else 0.0)

    def hat(self, rows: NDArray[np.intp]) -> Floats:
        """The hat matrix on some rows."""
        U = self.spectrum.vectors[rows]
        H = (U * self.shrinkage) @ U.T
        s = self.spectrum.border
        return H if s is None else H + np.outer(s[rows], s[rows])

    @cached_property
    def left_out(self) -> Floats:
        """y_i − f_{−i}(x_i) of every row, in the units of y."""
        sp = self.spectrum
        leverage = np.einsum("ij,j,ij->i", sp.vectors, self.shrinkage, sp.vectors)
        if sp.border is not None:
            leverage = leverage + sp.border**2
        return self.residuals / np.maximum(1.0 - leverage, 1e-12) / sp.root

    def held_out(self, rows: NDArray[np.intp]) -> Floats:
        """Predictions of rows by the model trained without all of them: (I − H)⁻¹ r, exactly."""
        gap = np.linalg.solve(np.eye(len(rows)) - self.hat(rows), self.residuals[rows])
        return self.spectrum.y[rows] - gap / self.spectrum.root[rows]

    @property
    def mean_square(self) -> float:
        """Mean squared residual of the training rows."""
        return float(self.residuals @ self.residuals) / self.spectrum.n

    @property
    def log_evidence(self) -> float:
        """Of a Gaussian process with covariance v (K + αI), v at its best, per row.

        With an intercept, of the contrasts that do not see it (restricted likelihood).
        """
        sp = self.spectrum
        values, along = sp.values + self.alpha, sp.along
        if sp.fit_intercept:  # the direction of the intercept has λ = 0 and no data
            flat = int(np.argmax(np.abs(sp.vectors.T @ sp.border)))
            keep = np.arange(len(values)) != flat
            values, along = values[keep], along[keep]
        m = len(values)
        quadratic = max(float(np.sum(along**2 / values)), 1e-300)
        inside = m * np.log(2.0 * np.pi * math.e * quadratic / m) + np.sum(np.log(values))
        return float(-0.5 * inside / m)
