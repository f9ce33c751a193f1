"""Models that are yet to be fitted: a kernel fits them to the rows that a learner trains on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sklearn.base import BaseEstimator, clone

from mercer._types import RandomState, Samples
from mercer.kernels.structured._exponential_mixture import FAMILIES, ExponentialMixture
from mercer.kernels.structured._gaussian_mixture import GaussianMixture
from mercer.kernels.structured._markov_chain import MarkovChain


class UnfittedMixture(BaseEstimator):
    """A mixture that `Fisher` or `Marginalized` fits to the training rows, fold by fold.

    Its parameters can be searched, as ``kernel__model__n_components`` of a machine.

    Parameters
    ----------
    n_components : int
    family : {"full", "tied", "diag", "spherical", "gaussian", "bernoulli", "poisson"}
        Gaussians with covariances of a kind; or an `ExponentialMixture` of a family, where
        "gaussian" has unit variances.
    n_init : int
        Runs, of which the likeliest counts.
    max_iter, tol, random_state
        Of each run, and of the starts.
    score_of : tuple of str
        What Gaussian scores are gradients in, see `GaussianMixture`.
    """

    def __init__(
        self,
        n_components: int = 2,
        family: str = "full",
        n_init: int = 10,
        max_iter: int = 500,
        tol: float = 1e-6,
        random_state: RandomState = None,
        score_of: tuple[str, ...] = ("weights", "means"),
    ) -> None:
        self.n_components = n_components
        self.family = family
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.score_of = score_of

    @property
    def accepts(self) -> frozenset[str]:
        """Sparse rows too, unless there are covariances."""
        return (ExponentialMixture if self.family in FAMILIES else GaussianMixture).accepts

    def fit_model(self, X: Samples) -> Any:
        """The model of these rows."""
        steps: dict[str, Any] = {
            "n_init": self.n_init,
            "max_iter": self.max_iter,
            "tol": self.tol,
            "random_state": self.random_state,
        }
        if self.family in FAMILIES:
            return ExponentialMixture.fit(X, self.n_components, self.family, **steps)
        steps["score_of"] = self.score_of
        return GaussianMixture.fit(X, self.n_components, self.family, **steps)


class UnfittedChain(BaseEstimator):
    """A Markov chain that `Fisher` fits to the training sequences, fold by fold.

    Parameters
    ----------
    smoothing : float
        Added to all counts.
    """

    accepts = MarkovChain.accepts

    def __init__(self, smoothing: float = 1.0) -> None:
        self.smoothing = smoothing

    def fit_model(self, X: Samples) -> MarkovChain:
        """The chain of these sequences."""
        return MarkovChain.fit(X, self.smoothing)


def is_unfitted(model: object) -> bool:
    """Whether the model is still to be fitted: ours, or scikit-learn's Gaussian mixture."""
    sklearns = hasattr(model, "covariance_type") and hasattr(model, "fit")
    return hasattr(model, "fit_model") or (sklearns and not hasattr(model, "means_"))


def fitted_to(model: object, X: Samples) -> Any:
    """The model of these rows; it remembers that they are the ones it is used on."""
    if hasattr(model, "fit_model"):
        return replace(model.fit_model(X), data_dependent=True)
    return replace(GaussianMixture.from_sklearn(clone(model).fit(X)), data_dependent=True)
