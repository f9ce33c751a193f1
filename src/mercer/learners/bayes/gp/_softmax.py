"""A fitted Gaussian process for several classes at once."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp, softmax
from scipy.stats import norm, qmc

from mercer._blas import blas_threads
from mercer._cached import cached_property
from mercer._types import Samples
from mercer.kernels import Kernel
from mercer.kernels.sklearn_theta import SklearnTheta
from mercer.kernels.structured.precomputed import Precomputed
from mercer.kernels.theta import Theta
from mercer.kernels.validate import n_rows, take
from mercer.learners.bayes._space import cross
from mercer.learners.bayes.gp._latent_chains import LatentLikelihood
from mercer.learners.bayes.gp._sampled import ROWS, Sampled
from mercer.learners.bayes.gp._softmax_laplace import SoftmaxEvidence

Floats = NDArray[np.float64]
POINTS = 512  # of the average over latent values, and as many mirrored ones: right to about 1e-3


@dataclass
class SoftmaxProcess(Sampled):
    """Latent functions of all classes; ``a`` has their dual coefficients as columns."""

    _state_version: ClassVar[int] = 1

    X: Any
    codes: NDArray[np.intp]
    weight: Floats
    theta: Theta | SklearnTheta
    slope: float
    noise: float
    dtype: str
    kernel: Kernel
    point: Floats
    a: Floats
    t: Floats
    log_evidence: float
    samples: Floats | None = None
    r_hat: Floats | None = None
    effective_sample_size: Floats | None = None

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

    def latent(self, X: Samples, kept: Any, variance: bool = True) -> tuple[Floats, Floats]:
        """Mean and variance of the latent function of every class at new rows."""
        if self.samples is not None and not isinstance(self.kernel, Precomputed):
            return self.sampled_latent(X, kept)
        K = cross(self.kernel, X, self.X, kept)
        coef = self.a if self.samples is None else self.samples.mean(axis=1)
        mean = np.asarray(K @ coef, dtype=np.float64)
        if not variance:
            return mean, np.zeros_like(mean)
        return mean, np.maximum(np.einsum("icc->ic", self._covariance(X, K)), 0.0)

    def _covariance(self, X: Any, K: Any) -> Floats:
        own = np.asarray(Kernel._diag(self.kernel, X), dtype=np.float64)
        return self.evidence.latent_covariance(K.T, own)

    def probability(self, X: Samples, kept: Any) -> Floats:
        """Class probabilities averaged over the latent values, by a fixed low-discrepancy rule."""
        if self.samples is not None:
            return self.sampled_probability(X, kept)
        K = cross(self.kernel, X, self.X, kept)
        return average_softmax(K @ self.a, self._covariance(X, K), self.slope)

    def likelihood(self) -> LatentLikelihood:
        return _ClassLikelihood(self.codes, self.weight[:, None], self.slope)

    def laplace(self) -> tuple[Floats, Floats]:
        p = softmax(self.slope * self.t, axis=1)
        return self.t, self.slope**2 * self.weight[:, None] * p * (1.0 - p)

    def sampled_probability(self, X: Samples, kept: Any) -> Floats:
        """Averaged over the draws of the training latents, and over a fixed pair of points each."""
        assert self.samples is not None
        n_draws, n_classes = self.samples.shape[1:]
        power = math.ceil(math.log2(n_draws))  # a power of two is balanced
        z = norm.ppf(qmc.Sobol(n_classes, seed=0).random_base2(power)[:n_draws])
        parts = [np.empty((0, n_classes))]
        for start in range(0, n_rows(X), ROWS):
            means, variance = self._given_draws(take(X, slice(start, start + ROWS)), kept)
            shift = np.sqrt(variance)[:, None, None] * z
            both = (softmax(self.slope * (means + s * shift), axis=2) for s in (1.0, -1.0))
            parts.append(0.5 * sum(p.mean(axis=1) for p in both))
        return np.concatenate(parts)

    def training_probability(self) -> Floats:
        """Of the training rows, as `probability` would say."""
        kernel, X, n = self.kernel, self.X, self.n
        if isinstance(kernel, Precomputed):
            return self.t  # compared instead of probabilities, as ``predict`` does
        parts = [take(X, slice(start, start + 256)) for start in range(0, n, 256)]
        return np.vstack([self.probability(part, None) for part in parts])


@dataclass(frozen=True)
class _ClassLikelihood:
    """Of class numbers for latents of shape (classes, n, chains)."""

    codes: NDArray[np.intp]
    weight: Floats
    factor: float

    def log(self, f: Floats) -> Floats:
        own = self.factor * np.take_along_axis(f, self.codes[None, :, None], axis=0)[0]
        return np.sum(self.weight * (own - logsumexp(self.factor * f, axis=0)), axis=0)

    def slope(self, f: Floats) -> Floats:
        own = np.arange(len(f))[:, None, None] == self.codes[:, None]
        return self.factor * self.weight * (own - softmax(self.factor * f, axis=0))


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
