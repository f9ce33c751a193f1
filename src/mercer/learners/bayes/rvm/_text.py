"""The relevance vector machine of the text: start with every weight, prune (algorithms 6 and 7)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mercer.learners.bayes.rvm._posterior import (
    WeightPosterior,
    classification_posterior,
    next_theta,
    regression_posterior,
)
from mercer.solvers.watch import Watch

Floats = NDArray[np.float64]
PRUNE = math.sqrt(np.finfo(float).eps)


@dataclass
class Relevance:
    """A fitted machine over the columns of its basis.

    ``active`` are the columns kept; all other weights are exactly zero. ``history`` holds the log
    evidence after every step.
    """

    active: NDArray[np.intp]
    theta: Floats
    mean: Floats
    covariance: Floats
    noise: float
    log_evidence: float
    converged: bool
    history: list[float] = field(default_factory=list)


def fit_regression(
    X: Floats,
    t: Floats,
    weight: Floats,
    *,
    update: str = "fast",
    theta: Floats | float = 1.0,
    noise: float = 0.1,
    learn_noise: bool = True,
    max_iter: int = 1000,
    tol: float = 1e-6,
    watch: Watch | None = None,
) -> Relevance:
    """Algorithm 6 with the weights of pruned columns set to zero, and guards against rounding."""
    root = np.sqrt(weight)
    X, t, rows = X * root[:, None], t * root, len(t)
    shift = float(np.sum(np.log(root)))
    theta = np.full(X.shape[1], theta) if np.ndim(theta) == 0 else np.array(theta, dtype=float)
    gram, moment, energy = X.T @ X, X.T @ t, float(t @ t)
    floor = 1e-10 * (energy / rows if energy > 0 else 1.0)
    history: list[float] = []
    converged = False
    for _ in range(max_iter):
        active = np.flatnonzero(theta > PRUNE * _unit(gram, energy, rows))
        posterior = regression_posterior(
            gram[np.ix_(active, active)], moment[active], energy, rows, theta[active], noise, shift
        )
        history.append(posterior.log_evidence)
        new = np.zeros_like(theta)
        new[active] = next_theta(posterior, theta[active], update)
        freedom = rows - float(posterior.determined(theta[active]).sum())
        if learn_noise and freedom > 1e-6 * rows:
            noise = max(posterior.residual / freedom, floor)
        change = _log_change(theta[active], new[active])
        theta = new
        if change < tol and (len(history) < 2 or abs(history[-1] - history[-2]) < tol):
            converged = True
            break
        if watch is not None and watch.over(len(history), change):
            break
    active = np.flatnonzero(theta > PRUNE * _unit(gram, energy, rows))
    posterior = regression_posterior(
        gram[np.ix_(active, active)], moment[active], energy, rows, theta[active], noise, shift
    )
    return _finished(active, theta, posterior, noise, converged, history)


def fit_classification(
    X: Floats,
    y: Floats,
    weight: Floats,
    *,
    update: str = "fast",
    theta: Floats | float = 1.0,
    max_iter: int = 500,
    tol: float = 1e-5,
    watch: Watch | None = None,
) -> Relevance:
    """Algorithm 7: Laplace's mode of the active weights, then one update of θ, and again."""
    theta = np.full(X.shape[1], theta) if np.ndim(theta) == 0 else np.array(theta, dtype=float)
    w = np.zeros(X.shape[1])
    history: list[float] = []
    converged = False
    for _ in range(max_iter):
        active = np.flatnonzero(theta > PRUNE)
        posterior = classification_posterior(X[:, active], y, weight, theta[active], w[active])
        history.append(posterior.log_evidence)
        w = np.zeros_like(w)
        w[active] = posterior.mean
        new = np.zeros_like(theta)
        new[active] = next_theta(posterior, theta[active], update)
        change = _log_change(theta[active], new[active])
        theta = new
        if change < tol and (len(history) < 2 or abs(history[-1] - history[-2]) < tol):
            converged = True
            break
        if watch is not None and watch.over(len(history), change):
            break
    active = np.flatnonzero(theta > PRUNE)
    posterior = classification_posterior(X[:, active], y, weight, theta[active], w[active])
    return _finished(active, theta, posterior, 0.0, converged, history)


def _unit(gram: Floats, energy: float, rows: int) -> float:
    """Prior variance of a weight that explains all of the targets: the unit of pruning."""
    largest = float(np.max(np.diagonal(gram))) / rows
    return energy / rows / largest if largest > 0 and energy > 0 else 1.0


def _log_change(old: Floats, new: Floats) -> float:
    """Largest change of ln θ among the columns that stay."""
    stays = new > PRUNE
    if not stays.any():
        return 0.0 if not len(old) else float(np.max(old, initial=0.0))
    return float(np.max(np.abs(np.log(new[stays] / old[stays]))))


def _finished(
    active: NDArray[np.intp],
    theta: Floats,
    posterior: WeightPosterior,
    noise: float,
    converged: bool,
    history: list[float],
) -> Relevance:
    return Relevance(
        active,
        theta[active],
        posterior.mean,
        posterior.covariance,
        noise,
        posterior.log_evidence,
        converged,
        [*history, posterior.log_evidence],
    )
