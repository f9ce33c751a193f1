"""Mixtures of products of exponential families, with the score of their parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import expit, gammaln

from mercer._types import Samples
from mercer.kernels.structured._em import checked_rows, fit_mixture, log_density, posterior

Floats = NDArray[np.float64]
FAMILIES = ("gaussian", "bernoulli", "poisson")
_EDGE = 1e-6  # means stay so far inside: natural parameters are finite


@dataclass
class ExponentialMixture:
    """Σ_j π_j Π_c P(x_c; θ_jc), an exponential family per column with natural parameters θ.

    ``family``: "gaussian" (unit variance, τ(x) = x; `GaussianMixture` has variances), "bernoulli"
    or "poisson" (τ(x) = x too).
    """

    weights: Floats
    natural: Floats
    family: str = "bernoulli"
    log_likelihood: float | None = None  # per row, of a fit
    n_iter: int | None = None
    data_dependent: bool = False  # whether a kernel fitted it to the rows it is used on

    accepts = frozenset({"vectors", "sparse"})

    @classmethod
    def fit(
        cls,
        X: Any,
        n_components: int = 2,
        family: str = "bernoulli",
        *,
        n_init: int = 10,
        max_iter: int = 500,
        tol: float = 1e-6,
        random_state: Any = None,
    ) -> ExponentialMixture:
        """The likeliest of ``n_init`` runs; every component also sees the mean row once."""
        if family not in FAMILIES:
            raise ValueError(f"family={family!r} is not one of {FAMILIES}")
        X = checked_rows(X, "ExponentialMixture", accept_sparse=True)
        _check_domain(family, X)
        middle = np.asarray(X.mean(axis=0)).ravel()

        def maximise(share: Floats) -> ExponentialMixture:
            total = share.sum(axis=0) + 1e-10
            means = (np.asarray((X.T @ share).T) + middle) / (total[:, None] + 1.0)
            return cls(total / total.sum(), _natural(family, means), family)

        model, value, steps = fit_mixture(
            X,
            n_components,
            maximise,
            owner="ExponentialMixture",
            n_init=n_init,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
        )
        model.log_likelihood, model.n_iter = value, steps
        return model

    def check(self, X: Any) -> None:
        """Refuse parameters or rows that do not fit together."""
        if self.family not in FAMILIES:
            raise ValueError(f"family={self.family!r} is not one of {FAMILIES}")
        if X.shape[1] != self.natural.shape[1]:
            raise ValueError(
                f"the mixture has {self.natural.shape[1]} columns, the rows have {X.shape[1]}"
            )
        _check_domain(self.family, X)

    def means(self) -> Floats:
        """E τ(x) of each component."""
        if self.family == "bernoulli":
            return expit(self.natural)
        return np.exp(self.natural) if self.family == "poisson" else self.natural

    def log_components(self, X: Any) -> Floats:
        """Ln P_j(x), shape (n, r)."""
        X = X if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
        theta, common = self.natural, np.asarray(X @ self.natural.T)
        if self.family == "bernoulli":
            return common - np.logaddexp(0.0, theta).sum(axis=1)
        if self.family == "poisson":
            return common - np.exp(theta).sum(axis=1) - _row_sums(X, lambda x: gammaln(x + 1.0))
        base = -0.5 * (_row_sums(X, np.square) + X.shape[1] * np.log(2 * np.pi))
        return common - 0.5 * (theta**2).sum(axis=1) + base

    def log_density(self, X: Samples) -> Floats:
        """Ln P(x) of every row."""
        return log_density(self.log_components(X), self.weights)

    def posterior(self, X: Samples) -> Floats:
        """π_j P_j(x) / P(x)."""
        return posterior(self.log_components(X), self.weights)

    def scores(self, X: Any) -> Floats:
        """Gradient in (π, θ): P_j/P, and posterior_j · (τ(x) - E_j τ)."""
        share = self.posterior(X)
        rows = X.toarray() if sparse.issparse(X) else np.asarray(X)  # centred, they are full
        inner = share[:, :, None] * (rows[:, None, :] - self.means()[None])
        return np.hstack([share / self.weights, inner.reshape(len(rows), -1)])

    def sample(self, n: int, rng: np.random.Generator) -> Floats:
        """Draw from the model."""
        means = self.means()[rng.choice(len(self.weights), size=n, p=self.weights)]
        if self.family == "bernoulli":
            return (rng.random(means.shape) < means).astype(float)
        return rng.poisson(means).astype(float) if self.family == "poisson" else rng.normal(means)


def _row_sums(X: Any, function: Any) -> Floats:
    """Sums of a function with f(0) = 0 over the columns, as a column."""
    if not sparse.issparse(X):
        return np.asarray(function(X).sum(axis=1))[:, None]
    mapped = X.copy()
    mapped.data = function(mapped.data)
    return np.asarray(mapped.sum(axis=1)).reshape(-1, 1)


def _natural(family: str, means: Floats) -> Floats:
    if family == "bernoulli":
        p = np.clip(means, _EDGE, 1 - _EDGE)
        return np.log(p / (1 - p))
    return np.log(np.maximum(means, _EDGE)) if family == "poisson" else means


def _check_domain(family: str, X: Any) -> None:
    """Refuse numbers that the family gives no probability."""
    values = X.data if sparse.issparse(X) else X
    if family == "bernoulli" and not np.all((values == 0) | (values == 1)):
        wanted, wrong = "0 and 1", values[(values != 0) & (values != 1)]
    elif family == "poisson" and not np.all((values >= 0) & (values == np.round(values))):
        wanted, wrong = "counts 0, 1, 2, ...", values[(values < 0) | (values != np.round(values))]
    else:
        return
    raise ValueError(f"family={family!r} wants {wanted}; X has {float(wrong.ravel()[0]):g}")
