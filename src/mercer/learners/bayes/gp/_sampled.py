"""What fitted processes of classification do with draws of their training latents."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._cached import cached_property
from mercer._types import Samples
from mercer.gram.triangle import Triangle
from mercer.kernels import Kernel
from mercer.learners.bayes._space import cross
from mercer.learners.bayes.gp._chain_quality import effective_sample_size, r_hat
from mercer.learners.bayes.gp._latent_chains import LatentLikelihood, latent_chains

Floats = NDArray[np.float64]
ROWS = 256  # queries at a time: each is compared with every draw


class Sampled:
    """Mixin: a process says what its likelihood and Laplace's approximation are."""

    kernel: Kernel
    noise: float
    X: Any
    samples: Floats | None  # K^-1 times draws of the training latents: (n, draws[, functions])
    r_hat: Floats | None
    effective_sample_size: Floats | None

    @property
    def n(self) -> int:
        """Training rows."""
        raise TypeError(f"{type(self).__name__} does not say how many rows it has")

    def likelihood(self) -> LatentLikelihood:
        """Of the labels."""
        raise TypeError(f"{type(self).__name__} does not say which likelihood it has")

    def laplace(self) -> tuple[Floats, Floats]:
        """Latents at the mode and the curvature there, one column per latent function."""
        raise TypeError(f"{type(self).__name__} does not say where its mode is")

    @cached_property
    def _prior_factor(self) -> Triangle:
        """Of the Gram matrix with the noise on its diagonal, for draws."""
        K = Triangle(self.n)

        def fill() -> None:
            K.fill(self.kernel, self.X)
            K.add_diagonal(self.noise)

        fill()
        K.factor(fill)
        return K

    def draw(self, n_samples: int, burn_in: int, n_chains: int, rng: np.random.Generator) -> Floats:
        """Training latents from the exact posterior, (n_chains, draws of each, n, functions)."""
        mode, bend = self.laplace()
        return latent_chains(
            np.tril(self._prior_factor.array),
            self.likelihood(),
            mode,
            bend,
            rng,
            n_draws=math.ceil(n_samples / n_chains),
            burn_in=burn_in,
            n_chains=n_chains,
        )

    def keep(self, draws: Floats) -> None:
        """Answer with the average over these draws from now on."""
        self.r_hat, self.effective_sample_size = r_hat(draws), effective_sample_size(draws)
        together = flattened(draws)  # (all draws, n, functions)
        by_row = together.transpose(1, 0, 2)
        solved = self._prior_factor.solve(by_row.reshape(self.n, -1)).reshape(by_row.shape)
        self.samples = solved[:, :, 0] if together.shape[-1] == 1 else solved

    def _given_draws(self, X: Samples, kept: Any) -> tuple[Floats, Floats]:
        """Means at new rows for every draw, (rows, draws[, functions]), and their one variance."""
        if self.samples is None:
            raise RuntimeError("draw the training latents first")
        K = cross(self.kernel, X, self.X, kept).astype(np.float64)
        half = self._prior_factor.half_solve(K.T)
        own = np.asarray(Kernel._diag(self.kernel, X), dtype=np.float64)
        variance = np.maximum(own - np.einsum("ij,ij->j", half, half), 0.0)
        return np.tensordot(K, self.samples, axes=1), variance

    def sampled_latent(self, X: Samples, kept: Any) -> tuple[Floats, Floats]:
        """Mean and variance of the latent functions at new rows over all draws."""
        means, variance = self._given_draws(X, kept)
        more = variance.reshape(-1, *[1] * (means.ndim - 2))
        return means.mean(axis=1), means.var(axis=1) + more


def flattened(draws: Floats) -> Floats:
    """Draws of all chains, one after the other: (all draws, n, functions)."""
    return draws.reshape(-1, *draws.shape[2:])
