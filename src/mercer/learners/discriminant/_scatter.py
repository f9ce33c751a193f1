"""Scatter of rows around the means of their classes, of dense and of sparse rows.

S = Σ w (x − μ_y)(x − μ_y)'/m + λI is formed where columns are few; otherwise its inverse is applied
through the n × n matrix of inner products, S⁻¹V = (V − A'(AA' + λI)⁻¹AV)/λ for A'A = S − λI.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigh, lstsq

from mercer._cached import cached_property
from mercer._config import reserve

Floats = NDArray[np.float64]
FORMED = 1000  # columns: beyond, and with fewer rows than columns, S is not formed
CUT = 1e-12  # eigenvalues below this share of the largest are zero


@dataclass(frozen=True)
class Scatter:
    """``X`` are rows of positive ``weight``, ``codes`` their classes 0..K−1."""

    X: Any
    codes: NDArray[np.intp]
    weight: Floats
    reg_param: float

    @cached_property
    def mass(self) -> Floats:
        """Weight of every class."""
        return np.bincount(self.codes, weights=self.weight).astype(np.float64)

    @property
    def shares(self) -> Floats:
        """Weight of every class, of all."""
        return self.mass / self.mass.sum()

    @cached_property
    def means(self) -> Floats:
        """Mean of every class, one per row."""
        own = np.zeros((len(self.codes), len(self.mass)))
        own[np.arange(len(self.codes)), self.codes] = self.weight
        return np.asarray(self.X.T @ own).T / self.mass[:, None]

    @property
    def mean(self) -> Floats:
        """Mean of all rows."""
        return self.shares @ self.means

    @property
    def around_one_mean(self) -> Scatter:
        """The total scatter: all rows as one class."""
        return Scatter(self.X, np.zeros_like(self.codes), self.weight, self.reg_param)

    @property
    def formed(self) -> bool:
        """Whether S is a matrix in memory."""
        rows, columns = self.X.shape
        return columns <= max(FORMED, rows)

    @cached_property
    def covariance(self) -> Floats:
        """S, where it is formed."""
        total, d = self.mass.sum(), self.X.shape[1]
        reserve(d * d * 8, f"A covariance of {d} columns", "Keep fewer columns.")
        if sparse.issparse(self.X):
            weighed = sparse.diags_array(self.weight) @ self.X
            S = np.asarray((self.X.T @ weighed).toarray()) / total
            S -= (self.shares[:, None] * self.means).T @ self.means
        else:
            centred = self.X - self.means[self.codes]
            S = (self.weight[:, None] * centred).T @ centred / total
        S[np.diag_indices_from(S)] += self.reg_param
        return S

    def solve(self, V: Floats, solver: str = "moments") -> Floats:
        """S⁻¹V, on the range of S where S is singular."""
        if not self.formed:
            return self._solve_in_rows(V)
        if solver == "eigen":
            values, basis = eigh(self.covariance)
            kept = values > CUT * max(float(values[-1]), np.finfo(float).tiny)
            half = basis[:, kept] / np.sqrt(values[kept])  # where S = I, nothing is left to solve
            return half @ (half.T @ V)
        if self.reg_param > 0:
            try:
                factor = cho_factor(self.covariance, lower=True, check_finite=False)
                return np.asarray(cho_solve(factor, V, check_finite=False))
            except LinAlgError:
                pass  # smaller than rounding
        return np.asarray(lstsq(self.covariance, V, cond=CUT)[0])

    # -- through inner products of the rows --------------------------------------------------------

    def _solve_in_rows(self, V: Floats) -> Floats:
        n = self.X.shape[0]
        reserve(n * n * 8, f"Inner products of {n} rows", "Keep fewer rows, or fewer columns.")
        root = np.sqrt(self.weight / self.mass.sum())
        inner = _dense(self.X @ self.X.T)
        cross = np.asarray(self.X @ self.means.T)[:, self.codes]
        inner -= cross + cross.T
        inner += (self.means @ self.means.T)[np.ix_(self.codes, self.codes)]
        inner *= root[:, None] * root
        image = root[:, None] * (np.asarray(self.X @ V) - (self.means @ V)[self.codes])
        if self.reg_param > 0:
            inner[np.diag_indices_from(inner)] += self.reg_param
            factor = cho_factor(inner, lower=True, overwrite_a=True, check_finite=False)
            back = cho_solve(factor, image, check_finite=False)
            return (V - self._transposed(root[:, None] * back)) / self.reg_param
        values, basis = eigh(inner)
        kept = values > CUT * max(float(values[-1]), np.finfo(float).tiny)
        back = (basis[:, kept] / values[kept] ** 2) @ (basis[:, kept].T @ image)
        return self._transposed(root[:, None] * back)

    def _transposed(self, Q: Floats) -> Floats:
        """(X − means of the classes)'Q."""
        return np.asarray(self.X.T @ Q) - self.means.T @ _by_class(Q, self.codes, len(self.mass))


def _by_class(Q: Floats, codes: NDArray[np.intp], count: int) -> Floats:
    found = np.zeros((count, Q.shape[1]))
    np.add.at(found, codes, Q)
    return found


def _dense(matrix: Any) -> Floats:
    return np.asarray(matrix.toarray() if sparse.issparse(matrix) else matrix, dtype=np.float64)


@dataclass(frozen=True)
class Discriminant:
    """Scores of the classes, linear in x, and the directions that tell the classes apart.

    ``coef`` has one column per class, ``scalings`` one per direction; in the latter the scatter
    within classes is 1. ``ratios`` are the shares of the spread between classes.
    """

    coef: Floats
    intercept: Floats
    scalings: Floats
    ratios: Floats

    @property
    def plane(self) -> tuple[Floats, Floats]:
        """Columns and offsets: of two classes the difference of their scores."""
        if self.coef.shape[1] > 2:
            return self.coef, self.intercept
        return self.coef[:, [1]] - self.coef[:, [0]], self.intercept[[1]] - self.intercept[[0]]


def discriminant(scatter: Scatter, solver: str, prior: Floats) -> Discriminant:
    """Gaussians of common covariance S plugged into Bayes' rule, or least squares."""
    apart = (scatter.means - scatter.mean).T
    apart[np.abs(apart) <= 1e-13 * np.abs(scatter.means).max(axis=0)[:, None]] = 0.0  # rounding
    inside = scatter.solve(apart, solver)
    if not np.any(inside):  # no spread along the gaps, one row per class say: the gaps themselves
        inside = apart
    if solver == "least_squares":  # on targets m/m_y for rows of the class, 0 for others, less 1
        coef, offsets = scatter.around_one_mean.solve(apart), np.zeros(len(scatter.mass))
    else:
        coef, offsets = inside, np.log(prior) - 0.5 * np.sum(apart * inside, axis=0)
    return Discriminant(coef, offsets - scatter.mean @ coef, *_directions(scatter, apart, inside))


def _directions(scatter: Scatter, apart: Floats, inside: Floats) -> tuple[Floats, Floats]:
    """The generalised eigenvectors of the scatter between classes and S, and their shares."""
    root = np.sqrt(scatter.shares)
    spread, turn = eigh(root[:, None] * (apart.T @ inside) * root)
    spread, turn = spread[:0:-1], turn[:, :0:-1]  # one is zero: the mean of the means
    kept = np.flatnonzero(spread > 1e-10 * max(float(spread[0]), np.finfo(float).tiny))
    scalings = (inside * root) @ turn[:, kept] / np.sqrt(spread[kept])
    # a direction has no sign of its own: the largest weight is positive, whatever the last digits
    largest = np.abs(scalings).argmax(axis=0)
    scalings = scalings * np.sign(scalings[largest, np.arange(scalings.shape[1])])
    return scalings, spread[kept] / max(float(spread[kept].sum()), np.finfo(float).tiny)
