"""Draws of latent Gaussian values given labels, by Hamiltonian Monte Carlo in several chains.

The posterior of the latents f, prior N(0, K) times a log-concave likelihood P(y | f), is far from
round where labels are nearly certain: values hundreds wide end at walls one wide. So f = A u with
A A' = (K^-1 + Λ)^-1, where the diagonal Λ is fitted to the variances that the first draws have (the
form that expectation propagation gives a posterior). The Gaussian part of the motion is a rotation
and followed exactly; only the rest, ln P(y | f) + ½ f'Λf, is integrated in steps (Beskos et al.
2011), whose length the first draws choose too (Hoffman and Gelman 2014).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular

Floats = NDArray[np.float64]
WINDOWS = (0.15, 0.25, 0.3, 0.3)  # of the draws thrown away: each ends with a better Λ
ANGLE = 2.5  # of rotation between two draws: more than a quarter turn, for Λ is not perfect
MOST_STEPS = 128
ACCEPT = 0.75
THIN = 2  # trajectories from one draw to the next: what is kept, is asked at every prediction
ROUNDS = 10  # of matching variances
LONGEST_STEP = 1.0


class LatentLikelihood(Protocol):
    """Of labels given latents of shape (n_functions, n, n_chains)."""

    def log(self, f: Floats) -> Floats:
        """The log likelihood of every chain."""

    def slope(self, f: Floats) -> Floats:
        """Its derivative in f."""


def latent_chains(
    lower: Floats,
    likelihood: LatentLikelihood,
    mode: Floats,
    bend: Floats,
    rng: np.random.Generator,
    *,
    n_draws: int,
    burn_in: int,
    n_chains: int,
) -> Floats:
    """Draws of shape (n_chains, n_draws, n, n_functions).

    Parameters
    ----------
    lower : Cholesky factor of K, which all latent functions share
    mode, bend : arrays of shape (n, n_functions)
        Laplace's approximation: the chains start scattered around it.
    """
    move = _Motion(lower, likelihood, np.maximum(bend.T, 1e-12))
    f = mode.T[..., None] + move.spread(rng.standard_normal((*mode.T.shape, n_chains)))
    state = move.at(f)
    for window, share in enumerate(WINDOWS):
        length = int(share * burn_in)
        search = _StepSearch(move.step)
        seen = []
        for _ in range(length):
            state, accepted = move.draw(state, rng)
            move.step = search.after(accepted)
            seen.append(state.f)
        if length:
            move.step = search.average
        if window < len(WINDOWS) - 1 and length * n_chains > 20:
            move.match(np.moveaxis(np.stack(seen[length // 3 :]), 0, -1))
            state = move.at(state.f)
    kept = np.empty((n_draws, *f.shape))
    for i in range(n_draws):
        for _ in range(THIN):
            state, _ = move.draw(state, rng)
        kept[i] = state.f
    return kept.transpose(3, 0, 2, 1)


@dataclass(frozen=True)
class _State:
    """Where the chains are: coordinates, latents, the rest of the energy and its slope."""

    u: Floats
    f: Floats
    energy: Floats
    force: Floats


class _Motion:
    """Trajectories of all chains at once, in coordinates where the posterior is nearly round."""

    def __init__(self, lower: Floats, likelihood: LatentLikelihood, added: Floats) -> None:
        self.lower, self.likelihood, self.step = lower, likelihood, 0.3
        self._change(added)

    def _change(self, added: Floats) -> None:
        """Take Λ, one row per function: A = L R^-T with R R' = I + L'ΛL."""
        self.added = added
        L, one = self.lower, np.eye(len(self.lower))
        roots = [cholesky(one + (L.T * row) @ L, lower=True) for row in added]
        self.A = np.stack([solve_triangular(root, L.T, lower=True).T for root in roots])
        self.roots = np.stack(roots)

    def spread(self, u: Floats) -> Floats:
        """Latents f = A u."""
        return self.A @ u

    def match(self, draws: Floats) -> None:
        """Choose Λ so that the variances of A u are those of the draws."""
        n_functions, n = draws.shape[:2]
        variance = draws.reshape(n_functions, n, -1).var(axis=2)
        variance = np.maximum(variance, 1e-12 * np.mean(variance) + 1e-300)
        for _ in range(ROUNDS):
            here = np.einsum("cij,cij->ci", self.A, self.A)
            self._change(np.clip(self.added * here / variance, 1e-12, 1e12))

    def at(self, f: Floats) -> _State:
        """The state at given latents."""
        whitened = np.stack([solve_triangular(self.lower, part, lower=True) for part in f])
        u = self.roots.transpose(0, 2, 1) @ whitened
        here = self.A @ u
        return _State(u, here, self._energy(here), self._force(here))

    def _energy(self, f: Floats) -> Floats:
        return -0.5 * np.einsum("cnk,cn,cnk->k", f, self.added, f) - self.likelihood.log(f)

    def _force(self, f: Floats) -> Floats:
        pull = self.added[..., None] * f
        pull += self.likelihood.slope(f)
        return self.A.transpose(0, 2, 1) @ pull

    def draw(self, start: _State, rng: np.random.Generator) -> tuple[_State, float]:
        """One trajectory, accepted or not for each chain; the mean chance of being accepted."""
        p = rng.standard_normal(start.u.shape)
        before = start.energy + _half_square(start.u) + _half_square(p)
        angle = ANGLE * rng.uniform(0.5, 1.0)
        count = int(np.clip(math.ceil(angle / self.step), 1, MOST_STEPS))
        cos, sin = math.cos(self.step), math.sin(self.step)
        u, force, half = start.u, start.force, 0.5 * self.step
        with np.errstate(over="ignore", invalid="ignore"):  # a step too long is refused below
            for _ in range(count):
                p = p + half * force
                u, p = cos * u + sin * p, cos * p - sin * u
                f = self.A @ u
                force = self._force(f)
                p += half * force
            end = _State(u, f, self._energy(f), force)
            after = end.energy + _half_square(u) + _half_square(p)
            chance = np.nan_to_num(np.exp(np.minimum(0.0, before - after)), nan=0.0)
        taken = rng.uniform(size=chance.shape) < chance
        mixed = (
            np.where(taken, new, old)
            for new, old in zip(vars(end).values(), vars(start).values(), strict=True)
        )
        return _State(*mixed), float(chance.mean())


class _StepSearch:
    """Dual averaging: the length of a step at which a share `ACCEPT` of draws is accepted."""

    def __init__(self, start: float) -> None:
        self.aim = math.log(10.0 * start)
        self.count, self.short, self.log_average = 0, 0.0, math.log(start)

    def after(self, accepted: float) -> float:
        """The next length to try."""
        self.count += 1
        rate = 1.0 / (self.count + 10)
        self.short = (1.0 - rate) * self.short + rate * (ACCEPT - accepted)
        log_step = min(self.aim - math.sqrt(self.count) / 0.05 * self.short, math.log(LONGEST_STEP))
        share = self.count**-0.75
        self.log_average = share * log_step + (1.0 - share) * self.log_average
        return math.exp(log_step)

    @property
    def average(self) -> float:
        """What the trials settle on."""
        return math.exp(self.log_average)


def _half_square(u: Floats) -> Any:
    return 0.5 * np.einsum("cnk,cnk->k", u, u)
