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
from mercer._types import RandomState, Samples
from mercer.kernels.validate import n_rows, take
from mercer.learners._door import Kind
from mercer.learners.bayes._probabilities import Probabilities
from mercer.learners.bayes.gp._base import GaussianProcess, ProcessFitted
from mercer.learners.bayes.gp._sampled import flattened
from mercer.learners.margin.svm._probability import agree, couple
from mercer.learners.schemes import one_column_per_class

Floats = NDArray[np.float64]


@record("gp-classification-fitted")
@dataclass(frozen=True, kw_only=True)
class ClassificationFitted(ProcessFitted):
    """Two-class processes, or one that has all classes; averaged over draws if ``sampled``.

    ``members`` are the rows of each process, if every pair of classes has one.
    """

    processes: list[Any]
    softmax: bool
    sampled: bool
    members: list[NDArray[np.intp]] | None = None

    def columns(self, process: int) -> NDArray[np.intp] | None:
        """Columns of a matrix of all pairs that a process knows; None for all."""
        if self.members is None:
            return self.kept
        own = self.members[process]
        return own if self.kept is None else self.kept[own]


class _ClassAnswers(Probabilities, GaussianProcess):
    """The part of the classifier that reads what was fitted."""

    fitted_: ClassificationFitted

    def latent_mean_and_variance(self, X: Samples) -> tuple[Floats, Floats]:
        """Mean and variance of the latent function of each process at new rows.

        Returns
        -------
        two ndarrays of shape (n_queries,), or (n_queries, n_functions) for more than two classes
        """
        mean, variance = self._over_blocks(self._query(X), lambda p, *rows: p.latent(*rows))
        return (mean[:, 0], variance[:, 0]) if len(self.classes_) == 2 else (mean, variance)

    def _outputs(self, X: Samples) -> Floats:
        """Log odds of each class against the rest: positive for ``classes_[1]`` of two.

        With a precomputed kernel the latent mean, which has the same sign.
        """
        if self.fitted_.members is not None:
            return self._votes(X)
        if self.fitted_.kind is not Kind.GRAM:
            return super()._outputs(X)
        odds = self._latent_means(X)
        return odds[:, 0] if len(self.classes_) == 2 else odds

    def _latent_means(self, X: Samples) -> Floats:
        return self._over_blocks(X, lambda p, *rows: p.latent(*rows, variance=False))[0]

    def _votes(self, X: Samples) -> Floats:
        """Of pairs, the votes of each class, with the outputs as tie-breakers.

        A process against another says more than its sign, so an output is the probability of the
        first class less one half; of a precomputed kernel the latent mean.
        """
        gram = self.fitted_.kind is Kind.GRAM
        values = self._latent_means(X) if gram else self._positive(X) - 0.5
        return one_column_per_class(values, len(self.classes_))

    def _most_probable(self, X: Samples) -> NDArray[Any]:
        fitted, two = self.fitted_, len(self.classes_) == 2
        if fitted.members is not None:
            return self._votes(X).argmax(axis=1)
        if fitted.kind is not Kind.GRAM and (fitted.sampled or not two):
            return super()._most_probable(X)
        # the sigmoid is antisymmetric: the averaged probability is on the side of the mean
        means = self._latent_means(X)
        return means[:, 0] > 0 if two else means.argmax(axis=1)

    def _positive(self, X: Samples) -> Floats:
        """Of each process, the probability of its own class."""
        fitted = self.fitted_
        if fitted.kind is Kind.GRAM:
            raise ValueError(
                "probabilities need k(x, x) of the new objects, which a precomputed matrix of "
                "values against the training rows does not hold; use predict or pass a Kernel"
            )

        def probability(process: Any, *rows: Any) -> tuple[Floats, Floats]:
            each = process.probability(*rows)
            return each, each

        return self._over_blocks(X, probability)[0]

    def predict_proba(self, X: Samples) -> Floats:
        """Class probabilities, averaged over what is uncertain about the latent functions.

        Those of pairs are coupled as in Wu, Lin and Weng (2004, second method). Where the result
        prefers another class than the votes, the nearest distribution that does not is given.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features), or objects

        Returns
        -------
        ndarray of shape (n_queries, n_classes)
        """
        if not hasattr(self, "fitted_") or self.fitted_.members is None:
            return super().predict_proba(X)
        pairs, count = self._positive(self._query(X)), len(self.classes_)
        winners = one_column_per_class(pairs - 0.5, count).argmax(axis=1)
        return agree(couple(pairs, count), winners)

    def _over_blocks(self, X: Samples, ask: Any) -> tuple[Floats, Floats]:
        """Two numbers per row and process, or per row and class if one process has them all."""
        fitted, n = self.fitted_, n_rows(X)
        width = len(self.classes_) if fitted.softmax else len(fitted.processes)
        first, second = np.empty((n, width)), np.empty((n, width))
        size = _config.block_rows(24 * width * fitted.n)
        for start in range(0, n, size):
            part = slice(start, min(n, start + size))
            for j, process in enumerate(fitted.processes):
                columns: Any = slice(None) if fitted.softmax else j
                first[part, columns], second[part, columns] = ask(
                    process, take(X, part), fitted.columns(j)
                )
        return first, second

    def sample_latents(
        self,
        n_samples: int = 1000,
        burn_in: int = 300,
        n_chains: int = 8,
        random_state: RandomState = None,
    ) -> Floats:
        """Draws of the training latents from their exact posterior, at the learned kernel.

        What ``inference="mcmc"`` averages over; of a Laplace model, what it approximates.

        Returns
        -------
        ndarray of shape (n_samples, n_training_rows), for more than two classes
        (n_samples, n_training_rows, n_classes)
        """
        check_is_fitted(self)
        if self.fitted_.members is not None:
            raise ValueError(
                "each pair of classes has latents at rows of its own: ask each of processes_"
            )
        rng, processes = generator(random_state), self.fitted_.processes
        each = [flattened(p.draw(n_samples, burn_in, n_chains, rng)) for p in processes]
        together = np.concatenate(each, axis=2)[:n_samples]
        return together[..., 0] if len(self.classes_) == 2 else together
