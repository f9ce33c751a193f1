"""One fitted two-class Gaussian process: what prediction and certificates need of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from mercer._blas import blas_threads
from mercer._cached import cached_property
from mercer._types import Samples
from mercer.gram.triangle import Triangle
from mercer.kernels import Kernel
from mercer.kernels.sklearn_theta import SklearnTheta
from mercer.kernels.structured.precomputed import Precomputed
from mercer.kernels.theta import Theta
from mercer.kernels.validate import n_rows, take
from mercer.learners.bayes._space import cross
from mercer.learners.bayes.gp._laplace import LaplaceEvidence
from mercer.learners.bayes.gp._latent_chains import LatentLikelihood
from mercer.learners.bayes.gp._sampled import ROWS, Sampled
from mercer.learners.bayes.gp.links import Link

Floats = NDArray[np.float64]


@dataclass
class BinaryProcess(Sampled):
    """Labels ``y`` are -1 and +1; ``a`` are the dual coefficients of the latent mean."""

    kernel: Kernel
    theta: Theta | SklearnTheta
    point: Floats
    link: Link
    noise: float
    X: Any
    y: Floats
    weight: Floats
    a: Floats
    t: Floats
    root: Floats
    log_evidence: float
    norm: float
    diagonal: Floats
    kl: float
    spread: Floats  # standard deviations of the training latents
    dtype: str = "float64"
    samples: Floats | None = None
    r_hat: Floats | None = None
    effective_sample_size: Floats | None = None

    @classmethod
    def settle(cls, evidence: LaplaceEvidence, point: Floats) -> BinaryProcess:
        """The approximation at the chosen hyper-parameters."""
        kernel = evidence.theta.kernel_at(point)
        evidence.fill(kernel)
        a, t = evidence.mode()
        _, bend, _ = evidence.link.derivatives(evidence.y, t)
        root = np.sqrt(evidence.weight * bend)
        log_evidence = evidence.value(a, t)
        diagonal = evidence.K.diagonal()
        inside = evidence.B.inverse_diagonal(evidence.K)  # a third array is not needed
        # KL(N(t, Σ) || N(0, K)) = ½ (tr B^-1 - n + ln|B| + a't), as Σ = (K^-1 + W)^-1
        kl = 0.5 * (float(inside.sum()) - len(t) + evidence.B.log_determinant() + float(a @ t))
        small = root**2 < 1e-8 / np.maximum(diagonal, 1e-300)
        variance = np.divide(1.0 - inside, root**2, out=diagonal.copy(), where=~small)
        made = cls(
            kernel=kernel,
            theta=evidence.theta,
            point=point,
            link=evidence.link,
            noise=evidence.noise,
            X=evidence.X,
            y=evidence.y,
            weight=evidence.weight,
            a=a,
            t=t,
            root=root,
            log_evidence=log_evidence,
            norm=math.sqrt(max(0.0, float(a @ t))),
            diagonal=diagonal,
            kl=max(0.0, kl),
            spread=np.sqrt(np.maximum(variance, 0.0)),
            dtype=str(evidence.B.array.dtype),
        )
        made.factor = evidence.B
        return made

    @cached_property
    def factor(self) -> Triangle:
        """Of B: kept by `settle`, and made again after loading, for files leave it out."""
        evidence = LaplaceEvidence(
            self.X, self.y, self.weight, self.theta, self.link, self.noise, self.dtype
        )
        with blas_threads(len(self.y)):  # as at fit: threads change the last bits
            evidence.fill(self.kernel)
            evidence.factor_scaled(self.root)
        return evidence.B

    @property
    def gibbs_error(self) -> float:
        """Training error of a latent function drawn from the posterior for every row."""
        return float(np.mean(ndtr(-self.y * self.t / np.maximum(self.spread, 1e-300))))

    def latent(self, X: Samples, kept: Any, variance: bool = True) -> tuple[Floats, Floats]:
        """Mean and variance of the latent function at new rows."""
        if self.samples is not None and not isinstance(self.kernel, Precomputed):
            return self.sampled_latent(X, kept)
        K = cross(self.kernel, X, self.X, kept)
        coef = self.a if self.samples is None else self.samples.mean(axis=1)
        mean = np.asarray(K @ coef, dtype=np.float64)
        if not variance:
            return mean, np.zeros_like(mean)
        half = self.factor.half_solve(self.root[:, None] * K.T)
        lost = np.einsum("ij,ij->j", half, half, dtype=np.float64)
        own = np.asarray(Kernel._diag(self.kernel, X), dtype=np.float64)
        return mean, np.maximum(own - lost, 0.0)

    @property
    def n(self) -> int:
        """Training rows."""
        return len(self.y)

    def probability(self, X: Samples, kept: Any) -> Floats:
        """P(+1 | x), over the draws of the training latents if there are any."""
        if self.samples is not None:
            return self.sampled_probability(X, kept)
        return self.link.probability(*self.latent(X, kept))

    def likelihood(self) -> LatentLikelihood:
        return _SignLikelihood(self.link, self.y[:, None], self.weight[:, None])

    def laplace(self) -> tuple[Floats, Floats]:
        return self.t[:, None], self.root[:, None] ** 2

    def sampled_probability(self, X: Samples, kept: Any) -> Floats:
        """P(+1 | x) averaged over the draws of the training latents."""
        parts = [np.empty(0)]
        for start in range(0, n_rows(X), ROWS):
            means, variance = self._given_draws(take(X, slice(start, start + ROWS)), kept)
            parts.append(self.link.mean_probability(means, variance))
        return np.concatenate(parts)


@dataclass(frozen=True)
class _SignLikelihood:
    """Of labels ``y`` for latents of shape (1, n, chains)."""

    link: Link
    y: Floats
    weight: Floats

    def log(self, f: Floats) -> Floats:
        return np.sum(self.weight * self.link.log_likelihood(self.y, f[0]), axis=0)

    def slope(self, f: Floats) -> Floats:
        return (self.weight * self.link.slopes(self.y, f[0]))[None]
