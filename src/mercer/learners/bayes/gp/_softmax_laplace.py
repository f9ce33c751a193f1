"""Laplace's approximation for several classes at once: softmax of C latent functions.

The functions are independent a priori and share one kernel. With π the class probabilities of a
row of weight w and D_c = diag(w π_c), the curvature W = D - D R (R'DR)^-1 R'D couples the classes
of each row only (R adds over classes), so that with E_c = (K + D_c^-1)^-1 and S = Σ E_c

    (K + W^-1)^-1 = E - E R S^-1 R'E,   ln|I + KW| = Σ ln|I + K D_c| + ln|S| - Σ ln w

and nothing larger than n x n is factored: C + 3 such arrays (Rasmussen and Williams 2006, section
3.5, algorithm 3.3, which leaves out ln|S|).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax, softmax

from mercer._types import Samples
from mercer.gram.triangle import Triangle
from mercer.kernels import Kernel
from mercer.kernels.sklearn_theta import SklearnTheta
from mercer.kernels.theta import Theta
from mercer.learners.bayes.gp._evidence import trace_with_derivatives
from mercer.learners.bayes.gp._laplace_mode import LatentMode

Floats = NDArray[np.float64]


class SoftmaxEvidence(LatentMode):
    """Minus the approximate log evidence of class numbers ``codes``, for a minimiser.

    ``slope`` multiplies the latent values; ``noise`` is added to the diagonal of the Gram matrix.
    """

    _tag = "record:softmax-evidence"

    def __init__(
        self,
        X: Samples,
        codes: NDArray[np.intp],
        n_classes: int,
        weight: Floats,
        theta: Theta | SklearnTheta,
        slope: float = 1.0,
        noise: float = 0.0,
        dtype: Any = np.float64,
    ) -> None:
        n = len(codes)
        self.X, self.codes, self.weight, self.theta = X, codes, weight, theta
        self.slope, self.noise = slope, noise
        self.Y = np.eye(n_classes)[codes]
        self.K, self.S = Triangle(n, dtype), Triangle(n, dtype)
        self.E = [Triangle(n, dtype) for _ in range(n_classes)]
        self.log_determinant = 0.0

    def objective(self, a: Floats, t: Floats) -> float:
        each = log_softmax(self.slope * t, axis=1)[np.arange(len(t)), self.codes]
        return float(self.weight @ each - 0.5 * np.vdot(a, t))

    def _zero(self) -> Floats:
        return np.zeros_like(self.Y)

    def _times(self, a: Floats) -> Floats:
        return np.column_stack([self.K.times(column) for column in a.T])

    def _pull(self, t: Floats) -> Floats:
        return self.slope * self.weight[:, None] * (self.Y - softmax(self.slope * t, axis=1))

    def _factor_at(self, t: Floats) -> Floats:
        """E of every class and S factored, with the log determinant; returns the probabilities."""
        p = softmax(self.slope * t, axis=1)
        self.log_determinant = -float(np.sum(np.log(self.slope**2 * self.weight)))
        for c, E in enumerate(self.E):
            root = self.slope * np.sqrt(self.weight * np.maximum(p[:, c], 1e-300))
            _scaled(self.K, root, E)
            E.add_diagonal(1.0)
            E.factor()
            self.log_determinant += E.log_determinant()
            E.invert()
            _scaled(E, root, E)
            for start, stop in self.S.blocks():
                rows, own = self.S.array[start:stop, :stop], E.array[start:stop, :stop]
                np.copyto(rows, own) if c == 0 else np.add(rows, own, out=rows)
        self.S.factor()
        self.log_determinant += self.S.log_determinant()
        return p

    def _target(self, t: Floats, at: Floats) -> Floats:
        mixed = t - np.sum(at * t, axis=1, keepdims=True)
        b = self.slope**2 * self.weight[:, None] * at * mixed + self._pull(t)
        return b - self.shrunk(self._times(b))

    def shrunk(self, v: Floats) -> Floats:
        """(K + W^-1)^-1 v = E v - E R S^-1 R'E v, one column per class."""
        each = np.column_stack([E.times(v[:, c]) for c, E in enumerate(self.E)])
        common = self.S.solve(each.sum(axis=1))
        return each - np.column_stack([E.times(common) for E in self.E])

    def value(self, a: Floats, t: Floats) -> float:
        """The approximate log evidence at the mode."""
        return self.objective(a, t) - 0.5 * self.log_determinant

    def _value_and_slopes(self, kernel: Kernel, a: Floats, t: Floats) -> tuple[float, Any]:
        value = self.value(a, t)
        pull = self._determinant_slopes(t)
        shift = pull - self.shrunk(self._times(pull))
        self._collect_inverse()
        slopes, _ = trace_with_derivatives(kernel, self.X, a, self.S, (shift, a), self.K)
        return value, slopes

    def _determinant_slopes(self, t: Floats) -> Floats:
        """Derivatives of -½ ln|I + KW| in the latent values, K held."""
        p = softmax(self.slope * t, axis=1)
        result = np.empty_like(p)
        for start, stop in self.S.blocks():
            part, rows = slice(start, stop), _columns(self.K, start, stop)
            T = self.latent_covariance(rows, self.K.diagonal()[part])
            q = p[part]
            Tq = np.einsum("icd,id->ic", T, q)
            own = np.einsum("icc->ic", T)
            inside = own - np.sum(own * q, axis=1, keepdims=True) - 2.0 * Tq
            inside += 2.0 * np.sum(q * Tq, axis=1, keepdims=True)
            result[part] = -0.5 * self.slope**3 * self.weight[part, None] * q * inside
        return result

    def latent_covariance(self, K: Floats, own: Floats) -> Floats:
        """Posterior covariance over classes at points; K holds their values against the rows.

        K has one column per point. Returns an array of shape (n_points, n_classes, n_classes).
        """
        each = [E.product(K) for E in self.E]
        halves = [self.S.half_solve(product) for product in each]
        C = len(self.E)
        result = np.empty((K.shape[1], C, C))
        for c in range(C):
            for d in range(c + 1):
                both = np.einsum("ij,ij->j", halves[c], halves[d], dtype=np.float64)
                result[:, c, d] = result[:, d, c] = both
            result[:, c, c] += own - np.einsum("ij,ij->j", K, each[c], dtype=np.float64)
        return result

    def _collect_inverse(self) -> None:
        """S becomes Σ (E_c - E_c S^-1 E_c) / C: what `trace_with_derivatives` takes C times."""
        total = np.zeros_like(self.S.array)  # the factor of S is needed until the end
        for start, stop in self.S.blocks():
            rows = total[start:stop, :stop]
            for E in self.E:
                lost = E.product(self.S.solve(_columns(E, start, stop)))
                rows += E.array[start:stop, :stop] - lost[:stop].T
        np.divide(total, len(self.E), out=self.S.array)


def _scaled(source: Triangle, root: Floats, target: Triangle) -> None:
    """Put root_i source_ij root_j into the target."""
    root = root.astype(source.array.dtype)
    for start, stop in source.blocks():
        block = source.array[start:stop, :stop] * root[:stop]
        target.array[start:stop, :stop] = block * root[start:stop, None]


def _columns(triangle: Triangle, start: int, stop: int) -> Floats:
    """Some columns of the symmetric matrix."""
    above = triangle.array[start:stop, :start].T
    inside = triangle.array[start:stop, start:stop]
    inside = np.tril(inside) + np.tril(inside, -1).T
    return np.vstack([above, inside, triangle.array[stop:, start:stop]])
