"""What a fitted Gaussian-process classifier answers: latent values, probabilities, draws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from mercer import _config
from mercer._random import generator
from mercer._storable import record
from mercer.kernels.validate import n_rows, take
from mercer.learners._door import Kind
from mercer.learners.bayes._probabilities import Probabilities
from mercer.learners.bayes.gp._base import GaussianProcess, ProcessFitted
from mercer.learners.bayes.gp._sampled import flattened

Floats = NDArray[np.float64]


@record("gp-classification-fitted")
@dataclass(frozen=True, kw_only=True)
class ClassificationFitted(ProcessFitted):
    """Two-class processes, or one that has all classes; averaged over draws if ``sampled``."""

    processes: list[Any]
    softmax: bool
    sampled: bool


class _ClassAnswers(Probabilities, GaussianProcess):
    """The part of the classifier that reads what was fitted."""

    fitted_: ClassificationFitted

    def latent_mean_and_variance(self, X: Any) -> tuple[Floats, Floats]:
        """Mean and variance of the latent function of each process at new rows.

        Returns
        -------
        two ndarrays of shape (n_queries,), or (n_queries, n_classes) for more than two classes
        """
        rows, kept = self._query(X), self.fitted_.kept
        mean, variance = self._over_blocks(rows, lambda p, part: p.latent(part, kept))
        return (mean[:, 0], variance[:, 0]) if len(self.classes_) == 2 else (mean, variance)

    def _outputs(self, X: Any) -> Floats:
        """Log odds of each class against the rest: positive for ``classes_[1]`` of two.

        With a precomputed kernel the latent mean, which has the same sign.
        """
        if self.fitted_.kind is not Kind.GRAM:
            return super()._outputs(X)
        odds = self._latent_means(X)
        return odds[:, 0] if len(self.classes_) == 2 else odds

    def _latent_means(self, X: Any) -> Floats:
        kept = self.fitted_.kept
        return self._over_blocks(X, lambda p, part: p.latent(part, kept, variance=False))[0]

    def _most_probable(self, X: Any) -> NDArray[Any]:
        fitted, two = self.fitted_, len(self.classes_) == 2
        if fitted.kind is not Kind.GRAM and (fitted.sampled or not two):
            return super()._most_probable(X)
        # the sigmoid is antisymmetric: the averaged probability is on the side of the mean
        means = self._latent_means(X)
        return means[:, 0] > 0 if two else means.argmax(axis=1)

    def _positive(self, X: Any) -> Floats:
        """Of each process, the probability of its own class."""
        fitted = self.fitted_
        if fitted.kind is Kind.GRAM:
            raise ValueError(
                "probabilities need k(x, x) of the new objects, which a precomputed matrix of "
                "values against the training rows does not hold; use predict or pass a Kernel"
            )

        def probability(process: Any, part: Any) -> tuple[Floats, Floats]:
            each = process.probability(part, fitted.kept)
            return each, each

        return self._over_blocks(X, probability)[0]

    def _over_blocks(self, X: Any, ask: Any) -> tuple[Floats, Floats]:
        """Two numbers per row and process, or per row and class if one process has them all."""
        fitted, n = self.fitted_, n_rows(X)
        width = len(self.classes_) if fitted.softmax else len(fitted.processes)
        first, second = np.empty((n, width)), np.empty((n, width))
        size = _config.block_rows(24 * width * fitted.n)
        for start in range(0, n, size):
            part = slice(start, min(n, start + size))
            for j, process in enumerate(fitted.processes):
                columns: Any = slice(None) if fitted.softmax else j
                first[part, columns], second[part, columns] = ask(process, take(X, part))
        return first, second

    def sample_latents(
        self,
        n_samples: int = 1000,
        burn_in: int = 300,
        n_chains: int = 8,
        random_state: Any = None,
    ) -> Floats:
        """Draws of the training latents from their exact posterior, at the learned kernel.

        What ``inference="mcmc"`` averages over; of a Laplace model, what it approximates.

        Returns
        -------
        ndarray of shape (n_samples, n_training_rows), for more than two classes
        (n_samples, n_training_rows, n_classes)
        """
        check_is_fitted(self)
        rng, processes = generator(random_state), self.fitted_.processes
        each = [flattened(p.draw(n_samples, burn_in, n_chains, rng)) for p in processes]
        together = np.concatenate(each, axis=2)[:n_samples]
        return together[..., 0] if len(self.classes_) == 2 else together
