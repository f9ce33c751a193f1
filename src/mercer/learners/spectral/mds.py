"""Multidimensional scaling: points from nothing but distances."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import pairwise_distances
from sklearn.utils.validation import check_is_fitted

from mercer._random import seed_of
from mercer._types import RandomState, Samples
from mercer.learners._door import TrainingSample
from mercer.learners._fitted import Fitted, rows_of
from mercer.learners._learner import Learner
from mercer.learners._parameters import Rule
from mercer.learners._reasons import ONE_SOLVE
from mercer.learners._unlabelled import EmbedsTraining, UnlabelledWeighted
from mercer.learners.spectral._compared import Compared, ComparesRows
from mercer.learners.spectral._eigen import Centred, largest_eigenpairs, over_roots, per_row
from mercer.learners.spectral._rules import SPECTRAL_RULES
from mercer.learners.spectral._stress import StressForm, descend

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class MDSFitted(Fitted):
    """Points of the training rows, and what places new ones (nothing after a refinement)."""

    _state_version: ClassVar[int] = 1
    rows: Compared
    embedding: Floats
    eigenvalues: Floats
    negative: float
    stress: float
    means: Floats
    pseudo: Floats | None


class ClassicalMDS(UnlabelledWeighted, EmbedsTraining, ComparesRows, Learner):
    """Points whose inner products are −½·J·D²·J: exact if the distances are Euclidean.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the points.
    metric : str, callable, Metric or Kernel, default="euclidean"
        Distance between rows: scikit-learn's names, a function of two objects or a
        `mercer.metrics.Metric` (strings, sequences, graphs too), a `mercer.kernels.Kernel` for the
        distance in its feature space, or "precomputed" for a symmetric matrix of distances.
    metric_params : dict or None, default=None
        Further arguments of a named metric.
    refine : bool, default=False
        Go on minimising the stress Σ(d − ‖p − q‖)² by majorisation (SMACOF); new rows can then not
        be placed.
    random_state : …

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
    eigenvalues_ : ndarray
        The largest ones, used for the points.
    negative_ : float
        Most negative eigenvalue over the largest: 0 for Euclidean distances. The report in
        ``euclidean_report()`` says what it means.
    stress_ : float
        √(Σ(d − ‖p − q‖)²/Σd²).
    """

    lacks: ClassVar[Mapping[str, str]] = ONE_SOLVE
    _matrices: ClassVar[float] = 6.2
    _state_version: ClassVar[int] = 2
    _rules: ClassVar[dict[str, Rule]] = SPECTRAL_RULES | ComparesRows._rules
    fitted_: MDSFitted

    def __init__(
        self,
        n_components: int = 2,
        *,
        metric: Any = "euclidean",
        metric_params: Any = None,
        refine: bool = False,
        random_state: RandomState = None,
    ) -> None:
        self.n_components = n_components
        self.metric = metric
        self.metric_params = metric_params
        self.refine = refine
        self.random_state = random_state

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [cls(2, random_state=0)]

    def _train(self, sample: TrainingSample) -> MDSFitted:
        rows, n = self._compared(sample), sample.n
        D = rows.matrix
        if not 1 <= self.n_components < n:
            raise ValueError(f"n_components={self.n_components} needs 1 <= it < {n} points")
        weight, squares = sample.weight, D**2
        product = Centred(lambda V: -0.5 * (squares @ V), weight)
        seed = seed_of(self.random_state)
        values, vectors = largest_eigenpairs(product, n, self.n_components, seed=seed)
        lowest = -largest_eigenpairs(lambda V: -product(V), n, 1, seed=seed)[0][0]
        pseudo = over_roots(values, per_row(vectors, weight)) * np.sqrt(weight)[:, None]
        means = squares @ weight / weight.sum()
        points = -0.5 * (squares - means) @ pseudo
        points -= weight @ points / weight.sum()
        if self.refine:
            form = StressForm(D, weight, "metric")
            points = descend(form, points, max_iter=300, tol=1e-6).points
        return MDSFitted(
            **rows_of(sample),
            rows=rows.stored(),
            embedding=points,
            eigenvalues=values,
            negative=float(min(0.0, lowest) / max(values[0], 1e-300)),
            stress=_relative_stress(D, pairwise_distances(points), weight),
            means=means,
            pseudo=None if self.refine else pseudo,
        )

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        assert isinstance(fitted, MDSFitted)
        self.embedding_, self.eigenvalues_ = fitted.embedding, fitted.eigenvalues
        self.negative_, self.stress_ = fitted.negative, fitted.stress
        self._n_features_out = fitted.embedding.shape[1]

    def _outputs(self, X: Samples) -> Floats:
        """Places of rows by their distances to the training rows (Gower)."""
        fitted = self.fitted_
        if fitted.pseudo is None:
            raise ValueError("after refine=True new rows cannot be placed; use refine=False")
        return -0.5 * (fitted.rows.to(X) ** 2 - fitted.means) @ fitted.pseudo

    def euclidean_report(self) -> str:
        """Whether points with exactly these distances exist."""
        check_is_fitted(self)
        if self.negative_ > -1e-9:
            return "The distances are Euclidean: points with exactly these distances exist."
        if self.negative_ > -1e-6:
            return (
                f"The distances are Euclidean up to rounding: the most negative eigenvalue is "
                f"{-self.negative_:.1g} of the largest."
            )
        return (
            f"The distances are not Euclidean: the most negative eigenvalue is "
            f"{100 * -self.negative_:.2g} % of the largest. The points reproduce them only in part "
            f"(stress {self.stress_:.3g})."
        )


def _relative_stress(D: Floats, found: Floats, weight: Floats) -> float:
    both = np.outer(weight, weight)
    total = float(np.sum(both * D**2))
    return float(np.sqrt(np.sum(both * (found - D) ** 2) / total)) if total > 0 else 0.0
