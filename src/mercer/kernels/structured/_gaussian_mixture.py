"""Mixtures of Gaussians, with the score of their parameters.

They are plain arrays, not estimators, so that copying a kernel keeps them fitted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._types import Samples
from mercer.kernels.structured._em import checked_rows, fit_mixture, log_density, posterior
from mercer.kernels.validate import real

Floats = NDArray[np.float64]
COVARIANCES = ("full", "tied", "diag", "spherical")


@dataclass
class GaussianMixture:
    """Σ_j π_j N(μ_j, S_j); ``covariances`` has shape (r, d, d).

    ``score_of`` says which parameters the scores are gradients in: "weights", "means", and
    "variances" (the diagonals of S) or "covariances" (their lower triangles, where an entry off
    the diagonal stands for both of its places).
    """

    weights: Floats
    means: Floats
    covariances: Floats
    score_of: tuple[str, ...] = ("weights", "means")
    log_likelihood: float | None = None  # per row, of a fit
    n_iter: int | None = None
    data_dependent: bool = False  # whether a kernel fitted it to the rows it is used on

    accepts = frozenset({"vectors"})

    @classmethod
    def fit(
        cls,
        X: Any,
        n_components: int = 2,
        covariance_type: str = "full",
        *,
        n_init: int = 10,
        max_iter: int = 500,
        tol: float = 1e-6,
        reg_covar: float = 1e-6,
        random_state: Any = None,
        score_of: tuple[str, ...] = ("weights", "means"),
    ) -> GaussianMixture:
        """The likeliest of ``n_init`` runs; ``reg_covar`` is added to all variances."""
        if covariance_type not in COVARIANCES:
            raise ValueError(f"covariance_type={covariance_type!r} is not one of {COVARIANCES}")
        X = checked_rows(X, "GaussianMixture", accept_sparse=False)
        extra = real(reg_covar, "GaussianMixture: reg_covar", low=0)

        def maximise(share: Floats) -> GaussianMixture:
            total = share.sum(axis=0) + 10 * np.finfo(float).eps
            means = (share.T @ X) / total[:, None]
            spread = _covariances(X, share, total, means, covariance_type)
            spread[:, np.arange(X.shape[1]), np.arange(X.shape[1])] += extra
            return cls(total / total.sum(), means, spread, tuple(score_of))

        model, value, steps = fit_mixture(
            X,
            n_components,
            maximise,
            owner="GaussianMixture",
            n_init=n_init,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
        )
        model.log_likelihood, model.n_iter = value, steps
        return model

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

    def check(self, X: Any) -> None:
        """Refuse parameters or rows that do not fit together."""
        r, d = self.means.shape
        if self.weights.shape != (r,) or self.covariances.shape != (r, d, d):
            raise ValueError(
                f"GaussianMixture: weights {self.weights.shape}, means {self.means.shape} and "
                f"covariances {self.covariances.shape} should be (r,), (r, d) and (r, d, d)"
            )
        unknown = set(self.score_of) - {"weights", "means", "variances", "covariances"}
        if unknown or {"variances", "covariances"} <= set(self.score_of):
            raise ValueError(
                f"GaussianMixture: score_of={self.score_of!r} should name 'weights', 'means', and "
                "'variances' or 'covariances'"
            )
        if X.shape[1] != d:
            raise ValueError(f"the mixture has {d} columns, the rows have {X.shape[1]}")

    def log_components(self, X: Samples) -> Floats:
        """Ln P_j(x), shape (n, r)."""
        X, columns = np.asarray(X, dtype=np.float64), []
        for mean, S in zip(self.means, self.covariances, strict=True):
            root = np.linalg.cholesky(S)
            z = np.linalg.solve(root, (X - mean).T)
            size = 2 * np.log(np.diagonal(root)).sum() + len(mean) * np.log(2 * np.pi)
            columns.append(-0.5 * ((z**2).sum(axis=0) + size))
        return np.stack(columns, axis=1)

    def log_density(self, X: Samples) -> Floats:
        """Ln P(x) of every row."""
        return log_density(self.log_components(X), self.weights)

    def posterior(self, X: Samples) -> Floats:
        """π_j P_j(x) / P(x)."""
        return posterior(self.log_components(X), self.weights)

    def scores(self, X: Samples) -> Floats:
        """Gradient of ln P(x) in the parameters; Σπ = 1 is not enforced, as in the text."""
        X = np.asarray(X, dtype=np.float64)
        share = self.posterior(X)
        parts = [share / self.weights] if "weights" in self.score_of else []
        pulls = [  # S_j⁻¹(x − μ_j)
            np.linalg.solve(S, (X - mean).T).T
            for mean, S in zip(self.means, self.covariances, strict=True)
        ]
        if "means" in self.score_of:
            parts += [share[:, [j]] * pull for j, pull in enumerate(pulls)]
        for kind in {"variances", "covariances"} & set(self.score_of):
            parts += [
                share[:, [j]] * _spread_score(pull, np.linalg.inv(S), kind)
                for j, (pull, S) in enumerate(zip(pulls, self.covariances, strict=True))
            ]
        return np.hstack(parts)

    def sample(self, n: int, rng: np.random.Generator) -> Floats:
        """Draw from the model."""
        which = rng.choice(len(self.weights), size=n, p=self.weights / self.weights.sum())
        roots = np.linalg.cholesky(self.covariances)
        noise = rng.normal(size=(n, self.means.shape[1]))
        return self.means[which] + np.einsum("nij,nj->ni", roots[which], noise)


def _spread_score(pull: Floats, inverse: Floats, kind: str) -> Floats:
    """½(S⁻¹(x − μ)(x − μ)'S⁻¹ − S⁻¹) of every row, on the diagonal or in the lower triangle."""
    if kind == "variances":
        return 0.5 * (pull**2 - np.diagonal(inverse))
    rows, columns = np.tril_indices(len(inverse))
    both = np.where(rows == columns, 0.5, 1.0)  # an entry off the diagonal moves two places
    return both * (pull[:, rows] * pull[:, columns] - inverse[rows, columns])


def _covariances(X: Floats, share: Floats, total: Floats, means: Floats, kind: str) -> Floats:
    """The likeliest covariances of a type, as full matrices."""
    d = X.shape[1]
    if kind in ("full", "tied"):
        found = np.empty((len(means), d, d))
        for j, mean in enumerate(means):
            apart = X - mean
            found[j] = (share[:, [j]] * apart).T @ apart / total[j]
        if kind == "tied":
            found[:] = np.tensordot(total, found, axes=1) / total.sum()
        return found
    variances = np.stack([share[:, j] @ (X - mean) ** 2 for j, mean in enumerate(means)])
    variances /= total[:, None]
    if kind == "spherical":
        variances[:] = variances.mean(axis=1, keepdims=True)
    return variances[:, :, None] * np.eye(d)
