"""PAC-Bayes on a finite list of rules: posteriors, their optimisation, votes and admissibility."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp, rel_entr

from mercer._types import Samples
from mercer.bounds import Posterior
from mercer.bounds.pacbayes_classic import best_lambda, pac_bayes_lambda

Floats = NDArray[np.float64]


class OptimizedPosterior(NamedTuple):
    """A posterior, the λ at which it was reached, and the value of the PAC-Bayes-λ bound."""

    weights: Floats
    lam: float
    value: float


def gibbs_posterior(risks: Any, prior: ArrayLike, strength: float) -> Floats:
    """Q ∝ P·exp(−strength·risk); ``strength`` = m minimises the book's (5.10)."""
    risks, prior = np.asarray(risks, dtype=float), _distribution(prior, "the prior")
    with np.errstate(divide="ignore"):
        logs = np.log(prior) - strength * (risks - risks.min())
    return np.exp(logs - logsumexp(logs))


def divergence(q: Any, p: Any) -> float:
    """KL(Q‖P); infinite if Q uses a rule that P does not know."""
    return max(0.0, float(rel_entr(_distribution(q, "Q"), _distribution(p, "P")).sum()))


def posterior_record(
    q: Any, prior: ArrayLike, risks: Any, m: int, *, vote_is_model: bool = False
) -> Posterior:
    """What the bounds read about the Gibbs rule of ``q``.

    Whether ``q`` is the prior restricted to a set is seen from the weights; then the divergence is
    the negative log evidence of the set. ``vote_is_model``: the vote is what is shipped.
    """
    q, prior = _distribution(q, "Q"), _distribution(prior, "the prior")
    gibbs = min(1.0, float(q @ np.asarray(risks, dtype=float)))
    restricted = bool(np.allclose(q, restricted_posterior(prior, q > 0), rtol=1e-9, atol=0.0))
    return Posterior(
        m, gibbs, divergence(q, prior), vote_is_model=vote_is_model, restricted=restricted
    )


def optimize_lambda_bound(
    risks: Any, prior: ArrayLike, m: int, delta: float, *, steps: int = 200
) -> OptimizedPosterior:
    """Alternate between Q ∝ P·exp(−λm·risk) and the best λ; each step lowers the bound."""
    risks, lam, value = np.asarray(risks, dtype=float), 1.0, np.inf
    for _ in range(steps):
        q = gibbs_posterior(risks, prior, lam * m)
        rate, kl = float(q @ risks), divergence(q, prior)
        lam = best_lambda(rate, kl, m, delta)
        new = pac_bayes_lambda(rate, kl, m, delta, lam)
        if new >= value - 1e-12:
            break
        value = new
    return OptimizedPosterior(q, lam, float(min(value, new)))


def restricted_posterior(prior: ArrayLike, keep: Any) -> Floats:
    """The prior restricted to a set of rules and normalised."""
    prior = _distribution(prior, "the prior")
    mask = np.zeros(len(prior))
    mask[np.asarray(keep)] = 1.0
    mass = float(prior @ mask)
    if mass <= 0:
        raise ValueError("the set has no prior mass")
    return prior * mask / mass


def vote(predictions: ArrayLike, weights: ArrayLike) -> Any:
    """Plurality label per point; ties go to the smaller label. Rows are rules, columns points."""
    predictions, weights = np.asarray(predictions), np.asarray(weights, dtype=float)
    labels = np.unique(predictions)
    shares = np.stack([weights @ (predictions == label) for label in labels])
    return labels[shares.argmax(axis=0)]


def gibbs_risk(predictions: ArrayLike, weights: ArrayLike, labels: ArrayLike) -> float:
    """Mean error of a rule drawn anew for each point."""
    wrong = np.asarray(predictions) != np.asarray(labels)
    return float(np.asarray(weights, dtype=float) @ wrong.mean(axis=1))


def admissibility(centre: Any, members: Any, points: Samples) -> float:
    """Share of the points on which the vote of sampled linear rules agrees with the centre's rule.

    A set of weight vectors is Bayes admissible if its vote is a rule of its own; a ball around
    ``centre`` on the sphere is, so the share tends to one as more ``members`` are drawn from it.
    """
    points = np.asarray(points, dtype=float)
    votes = np.where(points @ np.asarray(members, dtype=float).T > 0, 1.0, -1.0).sum(axis=1)
    return float(np.mean(np.sign(votes) == np.sign(points @ np.asarray(centre, dtype=float))))


def _distribution(weights: ArrayLike, what: str) -> Floats:
    weights = np.asarray(weights, dtype=float)
    if weights.ndim != 1 or weights.min() < 0 or abs(weights.sum() - 1.0) > 1e-9:
        raise ValueError(f"{what} must be non-negative numbers that sum to one")
    return weights
