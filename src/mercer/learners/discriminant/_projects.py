"""What Fisher's discriminants share: projections, and probabilities where outputs are log odds."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.metaestimators import available_if

from mercer._types import Samples
from mercer.learners._parameters import Rule, none_or, one_of, positive_whole
from mercer.learners.discriminant._mass import PRIOR
from mercer.learners.discriminant._scores import ClassProbabilities

Floats = NDArray[np.float64]

RULES: dict[str, Rule] = {
    "solver": one_of("moments", "eigen", "least_squares"),
    "prior": PRIOR,
    "n_components": none_or(positive_whole),
}


def _gaussian(learner: Any) -> bool:
    """Whether outputs are logarithms of odds, as those of least squares are not."""
    if learner.solver == "least_squares":
        raise AttributeError("outputs of solver='least_squares' are no logarithms of odds")
    return True


class Discriminates(ClassProbabilities, ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """Mixin: ``transform`` by ``_projections(rows)``, at most ``n_components`` of them."""

    solver: str
    n_components: int | None
    explained_variance_ratio_: Floats

    predict_proba = available_if(_gaussian)(ClassProbabilities.predict_proba)
    predict_log_proba = available_if(_gaussian)(ClassProbabilities.predict_log_proba)

    def transform(self, X: Samples) -> Floats:
        """Coordinates along the directions that tell the classes apart, the best ones first.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            New points; of a precomputed kernel their values against the training rows.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Their mean over the training rows is 0 and their variance within classes 1.
        """
        return self._projections(self._query(X))

    def _projections(self, X: Samples) -> Floats:
        raise TypeError(f"{type(self).__name__} does not say how it projects")

    @property
    def _n_features_out(self) -> int:
        return len(self.explained_variance_ratio_)

    def _warn_if_degenerate(self, directions: int) -> None:
        """Say that the classes have one mean: the rule is then the same everywhere."""
        if not directions:
            warnings.warn(
                f"{type(self).__name__}: the classes have the same mean, so there is no direction "
                "that tells them apart; every row gets the class of the largest prior",
                UserWarning,
                stacklevel=6,
            )

    def _check_components(self, classes: int, columns: int) -> int:
        """How many directions are asked for."""
        most = min(classes - 1, columns)
        wanted = most if self.n_components is None else int(self.n_components)
        if wanted > most:
            raise ValueError(
                "n_components cannot be larger than min(n_features, n_classes - 1): there are "
                f"{most} directions between {classes} classes in {columns} columns."
            )
        return wanted
