"""Gaussian-process regression without an n × n array: for rows whose covariance does not fit.

The hyper-parameters are those of largest evidence on a random part of the rows. With them all rows
are solved exactly, by conjugate gradients; the evidence of all rows comes by Lanczos' method from
random vectors, with a stated error.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer import _config
from mercer._types import Samples
from mercer.gram import NotPositiveDefiniteError, build_gram
from mercer.kernels import Kernel
from mercer.learners.bayes.gp._base import in_precision
from mercer.solvers.covariance import Covariance, UnsolvedError

Floats = NDArray[np.float64]

SOLVERS = ("auto", "cholesky", "cg")
SEARCHED = 5000  # rows on which hyper-parameters are looked for
PART = 0.25  # of the memory limit that the search may hold
NOISE = 1e-6  # of the mean square of the targets: less is not left to conjugate gradients unasked
NO_FACTOR = "there is no Cholesky factor after solver='cg'; fit with solver='cholesky'"
NO_WHITE = (
    "solver='cg' wants the noise of measurements in noise= or alpha=, not as White in the kernel"
)
NO_INVERSE = (
    "leaving rows out needs the diagonal of an inverse, which products do not give; fit with "
    "solver='cholesky', or hold rows out"
)
NO_SLOPES = "the gradient of the evidence needs an inverse; fit with solver='cholesky'"


def fits(n: int, matrices: float) -> bool:
    """Whether so many n x n arrays fit into the memory limit."""
    return 8.0 * matrices * n * n <= _config.memory_limit()


def searched_rows(n: int, matrices: float, rng: np.random.Generator) -> NDArray[np.intp]:
    """The rows on which hyper-parameters are looked for."""
    room = math.isqrt(int(PART * _config.memory_limit() / (8.0 * matrices)))
    return np.sort(rng.permutation(n)[: max(2, min(n, SEARCHED, room))])


class ProductFactor:
    """What a Cholesky factor answers, by products with the covariance."""

    jitter = 0.0

    def __init__(self, kernel: Kernel, X: Samples, variances: Floats) -> None:
        try:
            gram = build_gram(kernel, in_precision(X, "float64"), checked=True)
            self.covariance = Covariance(gram, variances)
        except UnsolvedError as error:
            raise NotPositiveDefiniteError(str(error)) from None

    def fitted(self, y: Floats) -> tuple[Floats, float, float]:
        """Dual coefficients of the mean, the log evidence, and by how much that may be wrong."""
        a = self.solve(y)
        n, outputs = y.shape
        value, error = self.covariance.log_determinant()
        misfit = outputs * value + float(np.vdot(y, a)) + n * outputs * math.log(2.0 * math.pi)
        return a, -0.5 * misfit, 0.5 * outputs * error

    def solve(self, b: Floats) -> Floats:
        """The inverse of the covariance times columns."""
        try:
            return self.covariance.solve(np.asarray(b, dtype=np.float64))
        except UnsolvedError as error:
            raise NotPositiveDefiniteError(f"{error}; raise the noise (alpha)") from None

    def explained(self, K: ArrayLike, prior: Floats) -> Floats:
        """The variance that each column of K explains of its ``prior``, never too much."""
        return self.covariance.explained(np.asarray(K, dtype=np.float64), prior)

    def explained_together(self, K: ArrayLike) -> Floats:
        """The covariance that the columns of K explain."""
        B = np.asarray(K, dtype=np.float64)
        known = B.T @ self.solve(B)
        return (known + known.T) / 2
