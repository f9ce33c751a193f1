"""Bayesian inference over finitely many hypotheses: likelihoods, evidence, decisions.

Section 3.1 of Herbrich's book. A set of hypotheses is given by its table of predictions, one row
per hypothesis, or by losses; everything here works for any learner's predictions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln, log_softmax, logsumexp

Floats = NDArray[np.float64]


def inverse_loss_likelihood(losses: Any, beta: float) -> Floats:
    """P(y | h) = exp(-l(h(x), y)/β) / Σ_y' exp(-l(h(x), y')/β) (3.2).

    Parameters
    ----------
    losses : array of shape (..., n_classes)
        The loss of the prediction against every class.
    beta : float >= 0
        Infinity is uniform; zero puts everything on the classes of smallest loss.

    Returns
    -------
    array of the same shape; the last axis sums to one
    """
    losses = np.asarray(losses, dtype=np.float64)
    if not beta >= 0:
        raise ValueError(f"beta must be >= 0, got {beta!r}")
    if beta == 0:
        best = losses == losses.min(axis=-1, keepdims=True)
        return best / best.sum(axis=-1, keepdims=True)
    return np.exp(log_softmax(-losses / beta, axis=-1))


def pac_likelihood(predictions: ArrayLike, labels: ArrayLike) -> Floats:
    """1 where the prediction equals the label, else 0 (definition 3.3)."""
    return (np.asarray(predictions) == np.asarray(labels)).astype(np.float64)


@dataclass(frozen=True)
class HypothesisPosterior:
    """Posterior over finitely many hypotheses.

    Parameters
    ----------
    log_likelihood : array of shape (n_hypotheses,)
        Of all observations, -inf for a hypothesis they rule out.
    prior : array of shape (n_hypotheses,), default: uniform

    Attributes
    ----------
    weights : posterior probabilities
    log_marginal_likelihood : ln Σ prior · likelihood
        With the PAC likelihood the prior mass of version space.
    """

    log_likelihood: Any
    prior: Any = None

    def __post_init__(self) -> None:
        log = np.asarray(self.log_likelihood, dtype=np.float64)
        prior = np.full(len(log), 1.0 / len(log)) if self.prior is None else np.asarray(self.prior)
        if prior.shape != log.shape or np.any(prior < 0) or not np.isclose(prior.sum(), 1.0):
            raise ValueError("prior must be a probability for every hypothesis, summing to one")
        with np.errstate(divide="ignore"):
            joint = log + np.log(prior)
        total = float(logsumexp(joint))
        if not np.isfinite(total):
            raise ValueError(
                "the observations have probability zero under every hypothesis: their sum "
                "vanishes and there is no posterior"
            )
        object.__setattr__(self, "log_likelihood", log)
        object.__setattr__(self, "prior", prior)
        object.__setattr__(self, "_joint", joint)
        object.__setattr__(self, "_total", total)

    @classmethod
    def from_predictions(
        cls, predictions: ArrayLike, labels: ArrayLike, prior: ArrayLike | None = None
    ) -> HypothesisPosterior:
        """With the PAC likelihood: the prior restricted to the consistent hypotheses."""
        with np.errstate(divide="ignore"):
            log = np.log(pac_likelihood(predictions, np.asarray(labels)[None, :])).sum(axis=1)
        return cls(log, prior)

    @property
    def weights(self) -> Floats:
        """Posterior probabilities."""
        return np.exp(self._joint - self._total)  # type: ignore[attr-defined]

    @property
    def log_marginal_likelihood(self) -> float:
        """Logarithm of the prior mean of the likelihood."""
        return float(self._total)  # type: ignore[attr-defined]

    def most_probable(self) -> int:
        """The hypothesis of largest posterior probability (3.4); the first of equals."""
        return int(np.argmax(self._joint))  # type: ignore[attr-defined]

    def bayes(self, predictions: ArrayLike, classes: Any = None, loss: Any = None) -> NDArray[Any]:
        """The decision of smallest posterior mean loss for every column (3.5, 3.6).

        Parameters
        ----------
        predictions : array of shape (n_hypotheses, n_queries)
        classes : array, optional
            The decisions to choose from; by default every value that some hypothesis predicts.
        loss : array of shape (n_classes, n_classes), optional
            ``loss[i, j]`` of deciding class i when a hypothesis says j; zero-one by default.
        """
        predictions = np.asarray(predictions)
        known = np.unique(predictions) if classes is None else np.asarray(classes)
        mass = np.stack([self.weights @ (predictions == c) for c in known])
        cost = 1.0 - np.eye(len(known)) if loss is None else np.asarray(loss, dtype=np.float64)
        return known[np.argmin(cost @ mass, axis=0)]

    def gibbs(self, predictions: ArrayLike, rng: np.random.Generator) -> NDArray[Any]:
        """For every column the prediction of one hypothesis drawn afresh (definition 3.8)."""
        predictions = np.asarray(predictions)
        drawn = rng.choice(len(self.weights), size=predictions.shape[1], p=self.weights)
        return predictions[drawn, np.arange(predictions.shape[1])]


def choose_model(
    log_marginal_likelihoods: Any, prior: ArrayLike | None = None
) -> tuple[int, Floats]:
    """The model of largest posterior probability, and the probabilities of all (3.3).

    With a uniform prior this is the model of largest marginal likelihood.
    """
    posterior = HypothesisPosterior(log_marginal_likelihoods, prior)
    return posterior.most_probable(), posterior.weights


def weight_log_prior(w: Any, a: float, b: float) -> Floats:
    """Ln p(w) of a relevance vector machine's weight: 1/θ ~ Gamma(a, scale b), θ integrated out.

    lnΓ(a+½) - lnΓ(a) - ½ ln 2π - a ln b - (a+½) ln(1/b + w²/2) (remark 3.14): a peak at zero with
    heavy tails, which is why weights vanish; the machine is the limit a → 0, b → ∞.
    """
    if not (a > 0 and b > 0):
        raise ValueError(f"a and b must be positive, got {a!r} and {b!r}")
    w = np.asarray(w, dtype=np.float64)
    constant = gammaln(a + 0.5) - gammaln(a) - 0.5 * np.log(2.0 * np.pi) - a * np.log(b)
    return constant - (a + 0.5) * np.log(1.0 / b + 0.5 * w**2)
