"""Generative models with a score: the gradient of ln P(x) in the parameters.

They are plain arrays, not estimators, so that copying a kernel keeps them fitted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, gammaln, logsumexp

from mercer.kernels.sequences.encoded import check_sequences, encode

Floats = NDArray[np.float64]
FAMILIES = ("gaussian", "bernoulli", "poisson")


@dataclass
class GaussianMixture:
    """Σ_j π_j N(μ_j, S_j); ``covariances`` has shape (r, d, d)."""

    weights: Floats
    means: Floats
    covariances: Floats

    accepts = frozenset({"vectors"})

    @classmethod
    def from_sklearn(cls, model: Any) -> GaussianMixture:
        """A fitted ``sklearn.mixture.GaussianMixture`` of any covariance type."""
        means = np.asarray(model.means_, dtype=np.float64)
        r, d = means.shape
        raw, kind = np.asarray(model.covariances_, dtype=np.float64), model.covariance_type
        full = {
            "full": lambda: raw,
            "tied": lambda: np.broadcast_to(raw, (r, d, d)),
            "diag": lambda: np.stack([np.diag(row) for row in raw]),
            "spherical": lambda: raw[:, None, None] * np.eye(d),
        }[kind]()
        return cls(np.asarray(model.weights_, dtype=np.float64), means, np.array(full))

    def log_components(self, X: Floats) -> Floats:
        """Ln P_j(x), shape (n, r)."""
        X, columns = np.asarray(X, dtype=np.float64), []
        for mean, S in zip(self.means, self.covariances, strict=True):
            root = np.linalg.cholesky(S)
            z = np.linalg.solve(root, (X - mean).T)
            size = 2 * np.log(np.diagonal(root)).sum() + len(mean) * np.log(2 * np.pi)
            columns.append(-0.5 * ((z**2).sum(axis=0) + size))
        return np.stack(columns, axis=1)

    def posterior(self, X: Floats) -> Floats:
        """π_j P_j(x) / P(x)."""
        return posterior(self.log_components(X), self.weights)

    def scores(self, X: Floats) -> Floats:
        """Gradient of ln P(x) in (π_1..π_r, μ_1..μ_r); Σπ = 1 is not enforced, as in the text."""
        share = self.posterior(X)
        parts = [share / self.weights]
        for j, (mean, S) in enumerate(zip(self.means, self.covariances, strict=True)):
            parts.append(share[:, [j]] * np.linalg.solve(S, (X - mean).T).T)
        return np.hstack(parts)

    def sample(self, n: int, rng: np.random.Generator) -> Floats:
        """Draw from the model."""
        which = rng.choice(len(self.weights), size=n, p=self.weights / self.weights.sum())
        roots = np.linalg.cholesky(self.covariances)
        noise = rng.normal(size=(n, self.means.shape[1]))
        return self.means[which] + np.einsum("nij,nj->ni", roots[which], noise)


@dataclass
class ExponentialMixture:
    """Σ_j π_j Π_c P(x_c; θ_jc), an exponential family per column with natural parameters θ.

    ``family``: "gaussian" (unit variance, τ(x) = x), "bernoulli" or "poisson" (τ(x) = x too).
    """

    weights: Floats
    natural: Floats
    family: str = "bernoulli"

    accepts = frozenset({"vectors"})

    @classmethod
    def fit(
        cls, X: Any, n_components: int, family: str = "bernoulli", n_iter: int = 100, seed: int = 0
    ) -> ExponentialMixture:
        """Maximum likelihood by EM, slightly smoothed, from a random start."""
        if family not in FAMILIES:
            raise ValueError(f"family={family!r} is not one of {FAMILIES}")
        X = np.asarray(X, dtype=np.float64)
        rng = np.random.default_rng(seed)
        share = rng.dirichlet(np.ones(n_components), size=len(X))
        model = cls(np.full(n_components, 1.0 / n_components), np.zeros((n_components, 1)), family)
        for _ in range(n_iter):
            total = share.sum(axis=0) + 1e-10
            means = (share.T @ X + X.mean(axis=0)) / (total[:, None] + 1.0)
            model = cls(total / total.sum(), _natural(family, means), family)
            new = model.posterior(X)
            if np.abs(new - share).max() < 1e-8:
                break
            share = new
        return model

    def means(self) -> Floats:
        """E τ(x) of each component."""
        if self.family == "bernoulli":
            return expit(self.natural)
        return np.exp(self.natural) if self.family == "poisson" else self.natural

    def log_components(self, X: Floats) -> Floats:
        """Ln P_j(x), shape (n, r)."""
        X, theta = np.asarray(X, dtype=np.float64), self.natural
        if self.family == "bernoulli":
            return X @ theta.T - np.logaddexp(0.0, theta).sum(axis=1)
        if self.family == "poisson":
            return X @ theta.T - np.exp(theta).sum(axis=1) - gammaln(X + 1.0).sum(axis=1)[:, None]
        base = -0.5 * (X**2 + np.log(2 * np.pi)).sum(axis=1)[:, None]
        return X @ theta.T - 0.5 * (theta**2).sum(axis=1) + base

    def posterior(self, X: Floats) -> Floats:
        """π_j P_j(x) / P(x)."""
        return posterior(self.log_components(X), self.weights)

    def scores(self, X: Floats) -> Floats:
        """Gradient in (π, θ): P_j/P, and posterior_j · (τ(x) - E_j τ)."""
        share = self.posterior(X)
        inner = share[:, :, None] * (X[:, None, :] - self.means()[None])
        return np.hstack([share / self.weights, inner.reshape(len(X), -1)])

    def sample(self, n: int, rng: np.random.Generator) -> Floats:
        """Draw from the model."""
        means = self.means()[rng.choice(len(self.weights), size=n, p=self.weights)]
        if self.family == "bernoulli":
            return (rng.random(means.shape) < means).astype(float)
        return rng.poisson(means).astype(float) if self.family == "poisson" else rng.normal(means)


def _natural(family: str, means: Floats) -> Floats:
    if family == "bernoulli":
        p = np.clip(means, 1e-6, 1 - 1e-6)
        return np.log(p / (1 - p))
    return np.log(np.maximum(means, 1e-6)) if family == "poisson" else means


def posterior(log_components: Floats, weights: Floats) -> Floats:
    """Shares of the components, without overflow."""
    joint = log_components + np.log(weights)
    return np.exp(joint - logsumexp(joint, axis=1, keepdims=True))


@dataclass
class MarkovChain:
    """Sequences whose next symbol depends on the last one: P(first) and P(next | last)."""

    alphabet: tuple[Any, ...]
    first: Floats
    transition: Floats
    length: int = 50  # of the sequences that `sample` draws

    accepts = frozenset({"strings", "objects"})

    @classmethod
    def fit(cls, sequences: Any, smoothing: float = 1.0) -> MarkovChain:
        """Counts plus ``smoothing``, divided by their sums."""
        (data,), alphabet = encode(sequences)
        k = len(alphabet)
        starts = data.symbols[data.starts[:-1][data.lengths > 0]]
        first = np.bincount(starts, minlength=k) + smoothing
        counts = np.zeros((k, k)) + smoothing
        inside = np.ones(len(data.symbols), dtype=bool)
        inside[data.starts[:-1][data.lengths > 0]] = False
        after = np.flatnonzero(inside)
        np.add.at(counts, (data.symbols[after - 1], data.symbols[after]), 1.0)
        middle = int(np.median(data.lengths))
        return cls(
            tuple(alphabet), first / first.sum(), counts / counts.sum(axis=1)[:, None], middle
        )

    def scores(self, X: Any) -> Floats:
        """Gradient in the logarithms of the (soft-max) parameters: counts minus expectations.

        A symbol that the model does not know breaks the sequence: it has no transitions.
        """
        check_sequences(X, "MarkovChain")
        (data,), symbols = encode(X)
        place = {symbol: i for i, symbol in enumerate(self.alphabet)}
        known = np.array([place.get(s, -1) for s in symbols] or [0], dtype=np.int64)
        k = len(self.alphabet)
        rows = np.zeros((data.n, k + k * k))
        for i in range(data.n):
            own = known[data.symbols[data.starts[i] : data.starts[i + 1]]]
            if len(own) and own[0] >= 0:
                rows[i, :k] = -self.first
                rows[i, own[0]] += 1.0
            good = (own[:-1] >= 0) & (own[1:] >= 0)
            counts = np.zeros((k, k))
            np.add.at(counts, (own[:-1][good], own[1:][good]), 1.0)
            rows[i, k:] = (counts - counts.sum(axis=1)[:, None] * self.transition).ravel()
        return rows

    def sample(self, n: int, rng: np.random.Generator) -> Any:
        """Draw sequences of ``length`` symbols."""
        k, steps = len(self.alphabet), np.cumsum(self.transition, axis=1)
        found = np.empty(n, dtype=object)
        for i in range(n):
            state = int(rng.choice(k, p=self.first))
            walk = [state]
            for u in rng.random(max(0, self.length - 1)):
                state = min(int(np.searchsorted(steps[state], u)), k - 1)
                walk.append(state)
            found[i] = [self.alphabet[s] for s in walk]
        return found
