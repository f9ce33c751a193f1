"""k-centres: as few far rows as possible, of anything whose rows can be compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from mercer._random import seed_of
from mercer._storable import record
from mercer._types import RandomState, Samples
from mercer.learners._door import Door, TrainingSample
from mercer.learners._fitted import Fitted, rows_of
from mercer.learners._learner import Learner
from mercer.learners._parameters import Rule
from mercer.learners._reasons import NO_COUNT, ONE_SOLVE
from mercer.learners._unlabelled import Clusters
from mercer.learners.spectral._compared import Compared, ComparesRows
from mercer.learners.spectral._rules import SPECTRAL_RULES


@record("centres-fitted")
@dataclass(frozen=True, kw_only=True)
class CentersFitted(Fitted):
    """Rows that are centres; of given distances their numbers say it all."""

    _state_version: ClassVar[int] = 1
    rows: Compared  # the centres
    places: NDArray[np.intp]
    labels: NDArray[np.intp]
    radius: float


class KCenters(Clusters, ComparesRows, Learner):
    """k centres among the rows that keep the largest distance small, within a factor of two.

    Farthest-first traversal (Gonzalez; Hochbaum and Shmoys): no polynomial method does better
    than this factor in general metric spaces.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of centres.
    metric : str, callable, Metric or Kernel, default="euclidean"
        Distance between rows: scikit-learn's names, a function of two objects or a
        `mercer.metrics.Metric` (strings, sequences, graphs too), a `mercer.kernels.Kernel` for the
        distance in its feature space, or "precomputed" for a symmetric matrix of distances.
    random_state : int, generator or None, default=None
        Of the first centre.

    Attributes
    ----------
    cluster_centers_indices_ : ndarray of int
        Rows that are centres.
    labels_ : ndarray of int
    radius_ : float
        Largest distance of a row from its centre; at most twice the optimum.
    """

    _tag: ClassVar[str] = "learner:k-centres"
    lacks: ClassVar[Mapping[str, str]] = ONE_SOLVE | NO_COUNT
    _state_version: ClassVar[int] = 2
    _rules: ClassVar[dict[str, Rule]] = SPECTRAL_RULES | ComparesRows._rules
    _door: ClassVar[Door] = Door(asks="metric", dtype=np.float64)
    fitted_: CentersFitted

    def __init__(
        self, n_clusters: int = 8, *, metric: Any = "euclidean", random_state: RandomState = None
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.random_state = random_state

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [cls(3, random_state=0)]

    def _train(self, sample: TrainingSample) -> CentersFitted:
        rows, n = self._compared(sample), sample.n
        if not 1 <= self.n_clusters <= n:
            raise ValueError(f"n_clusters={self.n_clusters} needs 1 <= it <= {n} rows")
        centres = [int(np.random.default_rng(seed_of(self.random_state)).integers(n))]
        gaps = [rows.from_row(centres[0])]
        nearest = gaps[0]
        while len(centres) < self.n_clusters:
            centres.append(int(nearest.argmax()))
            gaps.append(rows.from_row(centres[-1]))
            nearest = np.minimum(nearest, gaps[-1])
        places = np.array(centres)
        return CentersFitted(
            **rows_of(sample),
            rows=rows.taken(places).stored(),
            places=places,
            labels=np.argmin(gaps, axis=0),
            radius=float(nearest.max()),
        )

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        assert isinstance(fitted, CentersFitted)
        self.cluster_centers_indices_, self.labels_ = fitted.places, fitted.labels
        self.radius_ = fitted.radius

    def _outputs(self, X: Samples) -> NDArray[np.intp]:
        """The nearest centre; of given distances, those to the training rows."""
        return np.argmin(self.fitted_.rows.to(X), axis=1)
