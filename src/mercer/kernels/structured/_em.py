"""Maximum likelihood of mixtures by expectation and maximisation, from several starts."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import logsumexp
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array

from mercer._random import generator
from mercer._types import Samples
from mercer.kernels.validate import natural

Floats = NDArray[np.float64]


class Mixture(Protocol):
    """What the loop asks of a mixture."""

    weights: Floats

    def log_components(self, X: Samples) -> Floats:
        """Ln P_j(x), shape (n, r)."""


M = TypeVar("M", bound=Mixture)


def posterior(log_components: Floats, weights: Floats) -> Floats:
    """Shares of the components, without overflow."""
    joint = log_components + np.log(weights)
    return np.exp(joint - logsumexp(joint, axis=1, keepdims=True))


def log_density(log_components: Floats, weights: Floats) -> Floats:
    """Ln P(x) of every row."""
    return np.asarray(logsumexp(log_components + np.log(weights), axis=1))


def checked_rows(X: Samples, owner: str, *, accept_sparse: bool) -> Any:
    """Finite rows of numbers in double precision, dense or CSR."""
    if sparse.issparse(X) and not accept_sparse:
        raise TypeError(f"{owner} has covariances of all columns: pass a dense array (X.toarray())")
    return check_array(X, accept_sparse="csr", dtype=np.float64, input_name="X")


def fit_mixture(
    X: Any,
    n_components: int,
    maximise: Callable[[Floats], M],
    *,
    owner: str,
    n_init: int,
    max_iter: int,
    tol: float,
    random_state: Any,
) -> tuple[M, float, int]:
    """The likeliest of ``n_init`` runs: the model, its mean log-likelihood per row, its steps.

    ``maximise`` turns shares of the rows into a model. Every run starts from rows drawn far apart,
    each other row given to the nearest of them.
    """
    count = natural(n_components, f"{owner}: n_components")
    runs, most = natural(n_init, f"{owner}: n_init"), natural(max_iter, f"{owner}: max_iter")
    if X.shape[0] < count:
        raise ValueError(f"{owner}: {count} components need as many rows; got {X.shape[0]}")
    rng = generator(random_state)
    found = [_climb(X, _start(X, count, rng), maximise, most, tol) for _ in range(runs)]
    model, value, steps = max(found, key=lambda run: run[1])
    if steps > most:
        warnings.warn(
            f"{owner}: the likelihood was still growing after max_iter={most} steps",
            ConvergenceWarning,
            stacklevel=3,
        )
    return model, value, min(steps, most)


def _climb(
    X: Samples, share: Floats, maximise: Callable[[Floats], M], most: int, tol: float
) -> tuple[M, float, int]:
    """One run; more than ``most`` steps are counted if it did not settle."""
    last = -np.inf
    for step in range(1, most + 1):
        model = maximise(share)
        parts = model.log_components(X)
        value = float(log_density(parts, model.weights).mean())
        if value - last <= tol:
            return model, value, step
        last, share = value, posterior(parts, model.weights)
    return model, value, most + 1


def _start(X: Any, count: int, rng: np.random.Generator) -> Floats:
    """Each row belongs to the nearest of ``count`` rows, drawn with chances by squared distance."""
    distances = np.empty((X.shape[0], count))
    nearest = np.full(X.shape[0], np.inf)
    squares = np.asarray((X.multiply(X) if sparse.issparse(X) else X * X).sum(axis=1)).ravel()
    place = int(rng.integers(X.shape[0]))
    for j in range(count):
        row = X[[place]].toarray()[0] if sparse.issparse(X) else X[place]
        distances[:, j] = np.maximum(squares - 2 * (X @ row) + squares[place], 0.0)
        nearest = np.minimum(nearest, distances[:, j])
        total = nearest.sum()
        chances = nearest / total if total > 0 else None  # all rows equal: any of them
        place = int(rng.choice(X.shape[0], p=chances))
    share = np.zeros_like(distances)
    share[np.arange(len(share)), distances.argmin(axis=1)] = 1.0
    return share
