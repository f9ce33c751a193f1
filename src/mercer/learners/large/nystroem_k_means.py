"""Kernel k-means of very many rows: k-means on coordinates at landmarks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from mercer._random import seed_of
from mercer._types import RandomState, Samples
from mercer.learners._door import Door
from mercer.learners._learner import Learner
from mercer.learners._parameters import Rule, non_negative, positive_whole
from mercer.learners._passes import InPasses, Passes, RowsInMemory
from mercer.learners._reasons import ONE_SOLVE
from mercer.learners._unlabelled import Clusters, UnlabelledWeighted
from mercer.learners.large._low_rank import AtLandmarks, LowRankFitted
from mercer.learners.spectral._lloyd_sums import lloyd, seeded
from mercer.solvers.watch import Watch

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class NystroemKMeansFitted(LowRankFitted):
    """Centres among the coordinates; outputs are −½‖φ − c‖² up to what all centres share."""

    centres: Floats
    energies: Floats
    passes: int
    labels: NDArray[np.intp] | None


class NystroemKMeans(UnlabelledWeighted, Clusters, InPasses, AtLandmarks, Learner):
    """k-means in the span of landmarks: each step is one pass, and memory stays.

    With all rows as landmarks the clusters are those of :class:`KernelKMeans` from the same start.
    Seeds are drawn as in k-means‖ (Bahmani and others 2012).

    Parameters
    ----------
    n_clusters : int, default=8
        How many.
    kernel, gamma, degree, coef0 : …
    n_landmarks : int, default=500
        Rows drawn as landmarks.
    max_iter : int, default=100
        Most steps.
    time_limit : float or None, default=None
        Seconds after which no further step begins; the best so far is kept, with a warning.
    tol : float, default=1e-4
        Stop when the squares of the centres' moves sum to this part of the spread of the rows.
    random_state : int, generator or None, default=None
        Draws landmarks and seeds.

    Attributes
    ----------
    labels_ : ndarray of int
        Clusters of the training rows; not after ``fit_rows``.
    inertia_ : float
        Σ‖φ − centre‖² over coordinates φ at the landmarks.
    inertia_history_ : ndarray
        After every step; it never rises.
    landmarks_; rank_ : …
    n_iter_ : int
        Steps.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.learners import NystroemKMeans
    >>> rng = np.random.default_rng(0)
    >>> angle, ring = rng.uniform(0, 6.3, 2000), rng.integers(0, 2, 2000)
    >>> X = (0.3 + ring)[:, None] * np.c_[np.cos(angle), np.sin(angle)]
    >>> model = NystroemKMeans(2, gamma=1.0, n_landmarks=50, random_state=0).fit(X)
    >>> len(model.inertia_history_) > 1
    True
    """

    lacks: ClassVar[Mapping[str, str]] = ONE_SOLVE | {
        "copies": "landmarks and seeds are drawn from the rows as they come",
        "warm_start": "the seeds are near the end: a start saves a few passes",
        "time_limit": "",
        "progress": "a few passes in all",
    }
    _door: ClassVar[Door] = Door(asks="kernel")
    _rules: ClassVar[dict[str, Rule]] = {
        "n_clusters": positive_whole,
        "n_landmarks": positive_whole,
        "max_iter": positive_whole,
        "tol": non_negative,
    }
    fitted_: NystroemKMeansFitted

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        kernel: Any = "rbf",
        gamma: float | str = "scale",
        degree: float = 3,
        coef0: float = 0.0,
        n_landmarks: int = 500,
        max_iter: int = 100,
        time_limit: float | None = None,
        tol: float = 1e-4,
        random_state: RandomState = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.n_landmarks = n_landmarks
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.tol = tol
        self.random_state = random_state

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [cls(3, gamma=0.5, n_landmarks=20, random_state=0)]

    def _train_in_passes(self, rows: Passes) -> NystroemKMeansFitted:
        if not 1 <= self.n_clusters <= rows.n:
            raise ValueError(f"n_clusters={self.n_clusters} needs 1 <= it <= {rows.n} rows")
        watch = Watch(self.time_limit)
        landmarks, facts = self._placed(rows)
        mapped = landmarks.coordinates
        start = seeded(rows, mapped, int(self.n_clusters), seed_of(self.random_state))
        most, tol = int(self.max_iter), float(self.tol)
        centres, energies, steps = lloyd(rows, mapped, start, most, tol, watch)
        labels = None
        if isinstance(rows, RowsInMemory):
            phi = mapped(rows.sample.X)
            labels = (phi @ centres.T - 0.5 * np.sum(centres**2, axis=1)).argmax(axis=1)
        return NystroemKMeansFitted(
            **facts,
            coef=landmarks.whitening @ centres.T,
            intercept=-0.5 * np.sum(centres**2, axis=1),
            centres=centres,
            energies=energies,
            passes=steps,
            labels=labels,
        )

    def _publish(self, fitted: Any) -> None:
        super()._publish(fitted)
        self.inertia_, self.inertia_history_ = float(fitted.energies[-1]), fitted.energies
        self.n_iter_ = fitted.passes
        if fitted.labels is not None:
            self.labels_ = fitted.labels

    def _outputs(self, X: Samples) -> Any:
        """The nearest centre among the coordinates."""
        return super()._outputs(X).argmax(axis=1)
