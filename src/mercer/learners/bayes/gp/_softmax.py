"""A fitted Gaussian process for several classes at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax
from scipy.stats import norm, qmc

from mercer._blas import blas_threads
from mercer.kernels import Kernel
from mercer.kernels.structured.precomputed import Precomputed
from mercer.kernels.theta import Theta
from mercer.kernels.validate import take
from mercer.learners.bayes._space import cross
from mercer.learners.bayes.gp._softmax_laplace import SoftmaxEvidence

Floats = NDArray[np.float64]
POINTS = 512  # of the average over latent values, and as many mirrored ones: right to about 1e-3


@dataclass
class SoftmaxProcess:
    """Latent functions of all classes; ``a`` has their dual coefficients as columns."""

    _state_version: ClassVar[int] = 1

    X: Any
    codes: NDArray[np.intp]
    weight: Floats
    theta: Theta
    slope: float
    noise: float
    dtype: str
    kernel: Kernel
    point: Floats
    a: Floats
    t: Floats
    log_evidence: float

    @classmethod
    def settle(cls, evidence: SoftmaxEvidence, point: Floats) -> SoftmaxProcess:
        """The approximation at the chosen hyper-parameters."""
        kernel = evidence.theta.kernel_at(point)
        evidence.fill(kernel)
        a, t = evidence.mode()
        made = cls(
            evidence.X,
            evidence.codes,
            evidence.weight,
            evidence.theta,
            evidence.slope,
            evidence.noise,
            str(evidence.K.array.dtype),
            kernel,
            point,
            a,
            t,
            evidence.value(a, t),
        )
        made.evidence = evidence
        return made

    @cached_property
    def evidence(self) -> SoftmaxEvidence:
        """Factored at the mode: kept by `settle`, and made again after loading a file."""
        evidence = SoftmaxEvidence(
            self.X,
            self.codes,
            self.a.shape[1],
            self.weight,
            self.theta,
            self.slope,
            self.noise,
            self.dtype,
        )
        with blas_threads(self.n):  # as at fit: threads change the last bits
            evidence.fill(self.kernel)
            evidence.factor_at_mode(self.t)
        return evidence

    @property
    def n(self) -> int:
        """Training rows."""
        return len(self.a)

    def latent(self, X: Any, kept: Any, variance: bool = True) -> tuple[Floats, Floats]:
        """Mean and variance of the latent function of every class at new rows."""
        K = cross(self.kernel, X, self.X, kept)
        mean = np.asarray(K @ self.a, dtype=np.float64)
        if not variance:
            return mean, np.zeros_like(mean)
        return mean, np.maximum(np.einsum("icc->ic", self._covariance(X, K)), 0.0)

    def _covariance(self, X: Any, K: Any) -> Floats:
        own = np.asarray(Kernel._diag(self.kernel, X), dtype=np.float64)
        return self.evidence.latent_covariance(K.T, own)

    def probability(self, X: Any, kept: Any) -> Floats:
        """Class probabilities averaged over the latent values, by a fixed low-discrepancy rule."""
        K = cross(self.kernel, X, self.X, kept)
        return average_softmax(K @ self.a, self._covariance(X, K), self.slope)

    def training_probability(self) -> Floats:
        """Of the training rows, as `probability` would say."""
        kernel, X, n = self.kernel, self.X, self.n
        if isinstance(kernel, Precomputed):
            return self.t  # compared instead of probabilities, as ``predict`` does
        parts = [take(X, slice(start, start + 256)) for start in range(0, n, 256)]
        return np.vstack([self.probability(part, None) for part in parts])


def average_softmax(mean: Floats, covariance: Floats, slope: float = 1.0) -> Floats:
    """E softmax(slope t) for t ~ N(mean, covariance), one row and one matrix per point."""
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :]
    z = _normal_points(mean.shape[1])
    result = np.empty_like(mean, dtype=np.float64)
    for i, (centre, spread) in enumerate(zip(mean, root, strict=True)):
        result[i] = softmax(slope * (centre + z @ spread.T), axis=1).mean(axis=0)
    return result


@cache
def _normal_points(dimension: int) -> Floats:
    # moved off zero by half a step; not scrambled, so that no generator is needed
    uniform = qmc.Sobol(dimension, scramble=False).random(POINTS) + 0.5 / POINTS
    z = norm.ppf(uniform)
    return np.vstack([z, -z])
