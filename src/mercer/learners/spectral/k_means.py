"""k-means with its energy watched, and clusters against classes."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.cluster import KMeans as Engine
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import euclidean_distances, pairwise_distances_argmin_min
from sklearn.utils.validation import check_is_fitted

from mercer._random import seed_of
from mercer._types import Samples
from mercer.learners._checks import check_weights
from mercer.learners._door import Door, Kind, TrainingSample
from mercer.learners._fitted import Fitted, rows_of
from mercer.learners._learner import Learner
from mercer.learners._parameters import Rule, flag, non_negative, one_of, positive_whole
from mercer.learners._passes import InPasses, Passes, as_they_are
from mercer.learners._reasons import COORDINATES
from mercer.learners._unlabelled import Clusters, UnlabelledWeighted
from mercer.learners._watched import watched
from mercer.learners.spectral._lloyd import Quiet, mean_variance, means, squares
from mercer.learners.spectral._lloyd_sums import lloyd, seeded
from mercer.learners.spectral._rules import SPECTRAL_RULES, or_word
from mercer.learners.spectral._seeding import SEEDINGS, seed_rows
from mercer.learners.spectral._teleport import teleported
from mercer.solvers.watch import Watch

Floats = NDArray[np.float64]


class EmptyClusterError(ValueError):
    """A cluster lost all its rows."""


@dataclass(frozen=True, kw_only=True)
class KMeansFitted(Fitted):
    """Centres, and the energies of the best run."""

    labels: NDArray[np.int32] | None
    centres: Floats
    energy: float
    energies: Floats
    n_iter: int


class KMeans(
    UnlabelledWeighted,
    Clusters,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    InPasses,
    Learner,
):
    """k-means with restarts; the energy after every half-step of the best run is kept.

    ``fit_rows`` learns from rows that need not fit into memory: one run from seeds drawn as in
    k-means‖, with the energy after every step.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    init : {"k-means++", "farthest", "random"}, array or callable, default="k-means++"
        First centres: how rows are drawn, the centres, or a function of the rows, their number and
        a random state (scikit-learn's).
    n_init : int or "auto", default="auto"
        Runs from different starts; the one with the smallest energy is kept. "auto" is 10 for
        random rows and functions, else 1.
    empty : {"move", "drop", "error"}, default="move"
        What happens to a cluster without rows: its centre moves to the row farthest from its own
        centre, it is given up, or the fit stops with an error.
    teleport : bool, default=False
        When a run has settled, move the centre that is missed least into the cluster whose split
        gains most, if the energy then falls, and go on (Peyré, 12.1.2): the way out of minima in
        which two centres share one group of rows and another has none.
    max_iter : int, default=300
        Steps of each run.
    tol : float, default=1e-4
        A run ends when the centres move by less, squared and relative to the mean variance of the
        columns, or when no row changes its cluster.
    verbose : int, default=0
        Show progress on standard error.
    time_limit : float or None, default=None
        Seconds; the centres found until then are the result.
    warm_start : bool, default=False
        Start from the last centres, if they fit; then there is one run.
    copy_x : bool, default=True
        For scikit-learn's sake: nothing is overwritten.
    algorithm : {"lloyd", "elkan"}, default="lloyd"
        How the runs are computed before the best is written down; the result is the same.
    random_state : int, generator or None, default=None
        Of the starts.

    Attributes
    ----------
    cluster_centers_ : ndarray
    labels_ : ndarray of int
    inertia_ : float
        Σ‖x − centre‖² over the rows.
    inertia_history_ : ndarray
        After every assignment and every update of the best run; it never rises, except where an
        empty cluster was moved.
    seeding_inertia_ : float
        Right after seeding; for k-means++ at most 8(2 + ln k) times the optimum on average.
    n_iter_ : int
    """

    lacks: ClassVar[Mapping[str, str]] = COORDINATES
    _state_version: ClassVar[int] = 3
    _rules: ClassVar[dict[str, Rule]] = SPECTRAL_RULES | {
        "n_init": or_word("auto", positive_whole),
        "tol": non_negative,
        "algorithm": one_of("lloyd", "elkan"),
        "init": (
            lambda v: v in SEEDINGS if isinstance(v, str) else callable(v) or np.ndim(v) == 2,
            f"one of {SEEDINGS}, an array of centres or a function",
        ),
        **dict.fromkeys(("teleport", "copy_x"), flag),
    }
    _door: ClassVar[Door] = Door(dtype=np.float64)
    fitted_: KMeansFitted

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: Any = "k-means++",
        n_init: Any = "auto",
        empty: str = "move",
        teleport: bool = False,
        max_iter: int = 300,
        tol: float = 1e-4,
        verbose: Any = 0,
        time_limit: float | None = None,
        warm_start: bool = False,
        random_state: Any = None,
        copy_x: bool = True,
        algorithm: str = "lloyd",
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.empty = empty
        self.teleport = teleport
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose
        self.time_limit = time_limit
        self.warm_start = warm_start
        self.random_state = random_state
        self.copy_x = copy_x
        self.algorithm = algorithm

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [cls(3, n_init=2, random_state=0)]

    def _train(self, sample: TrainingSample) -> KMeansFitted:
        X, weight = sample.X, sample.weight
        if self.algorithm == "elkan" and self.n_clusters == 1:
            warnings.warn(
                "algorithm='elkan' doesn't make sense for a single cluster; it is found at once "
                "by either.",
                RuntimeWarning,
                stacklevel=6,
            )
        if not 1 <= self.n_clusters <= X.shape[0]:
            raise ValueError(f"n_samples={X.shape[0]} should be >= n_clusters={self.n_clusters}.")
        seed = seed_of(self.random_state)
        with watched(self) as watch:
            best = self._best_start(X, weight, seed, watch)
            found = self._replay(X, weight, best, watch)
            while self.teleport and not watch.spent:
                centres = teleported(X, weight, found["centres"], seed)
                again = None if centres is None else self._replay(X, weight, centres, watch)
                if again is None or not again["energy"] < (1.0 - 1e-9) * found["energy"]:
                    break
                again["energies"] = np.r_[found["energies"], again["energies"]]
                found = again | {"n_iter": found["n_iter"] + again["n_iter"]}
        self._warn_of_doubles(found["labels"])
        return KMeansFitted(**rows_of(sample), **found)

    def _train_in_passes(self, rows: Passes) -> KMeansFitted:
        watch = Watch(self.time_limit)
        if not 1 <= self.n_clusters <= rows.n:
            raise ValueError(f"n_samples={rows.n} should be >= n_clusters={self.n_clusters}.")
        if isinstance(self.init, str):
            centres = seeded(rows, as_they_are, self.n_clusters, seed_of(self.random_state))
        else:
            centres = self._first(rows.sample.X, rows.sample.weight, (0, 0))
        most, tol = int(self.max_iter), float(self.tol)
        found = lloyd(rows, as_they_are, centres, most, tol, watch)
        return KMeansFitted(
            **rows_of(rows.sample) | {"n": rows.n},
            labels=None,
            centres=found[0],
            energy=float(found[1][-1]),
            energies=found[1],
            n_iter=found[2],
        )

    def _warn_of_doubles(self, labels: NDArray[np.int32]) -> None:
        distinct = len(np.unique(labels))
        if self.empty == "move" and distinct < self.n_clusters:
            warnings.warn(
                f"Number of distinct clusters ({distinct}) found smaller than n_clusters "
                f"({self.n_clusters}). Possibly due to duplicate points in X.",
                ConvergenceWarning,
                stacklevel=6,
            )

    def _best_start(self, X: Any, weight: Floats, seed: int, watch: Watch) -> Floats:
        """The centres from which the smallest energy was reached, while there was time."""
        last = self.__dict__.get("cluster_centers_") if self.warm_start else None
        if last is not None and last.shape == (self.n_clusters, X.shape[1]):
            return last
        best, runs = self._first(X, weight, (seed, 0)), self._runs()
        if runs == 1:
            return best
        least = self._engine(best).fit(X, None, weight).inertia_
        for run in range(1, runs):
            if watch.over(run, 1.0 - run / runs):
                break
            first = self._first(X, weight, (seed, run))
            energy = self._engine(first).fit(X, None, weight).inertia_
            if energy < least:
                best, least = first, energy
        return best

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        assert isinstance(fitted, KMeansFitted)
        self.cluster_centers_ = fitted.centres
        if fitted.labels is not None:
            self.labels_ = fitted.labels
        self.inertia_, self.inertia_history_ = fitted.energy, fitted.energies
        self._n_features_out = len(fitted.centres)
        self.seeding_inertia_, self.n_iter_ = float(fitted.energies[0]), fitted.n_iter

    def _runs(self) -> int:
        if not (callable(self.init) or isinstance(self.init, str)):
            if self.n_init not in ("auto", 1):
                warnings.warn(
                    "Explicit initial center position passed: performing only one init in "
                    f"{type(self).__name__} instead of n_init={self.n_init}.",
                    RuntimeWarning,
                    stacklevel=8,
                )
            return 1
        if self.n_init != "auto":
            return int(self.n_init)
        return 10 if callable(self.init) or self.init == "random" else 1

    def _first(self, X: Any, weight: Floats, seed: tuple[int, int]) -> Floats:
        if isinstance(self.init, str):
            rng = np.random.default_rng(seed)
            rows = X[seed_rows(X, self.n_clusters, self.init, rng, weight)]
            return rows.toarray() if sparse.issparse(rows) else rows
        if callable(self.init):
            state = np.random.RandomState(np.random.default_rng(seed).integers(2**31))
            centres = np.asarray(self.init(X, self.n_clusters, random_state=state), dtype=float)
        else:
            centres = np.asarray(self.init, dtype=float)
        words = (f"clusters {self.n_clusters}", f"features of the data {X.shape[1]}")
        for size, wanted, what in zip(
            centres.shape, (self.n_clusters, X.shape[1]), words, strict=False
        ):
            if size != wanted:
                raise ValueError(
                    f"The shape of the initial centers {centres.shape} does not match the number "
                    f"of {what}."
                )
        return centres

    def _engine(self, centres: Floats) -> Any:
        return Quiet(
            Engine(
                len(centres),
                init=centres,
                n_init=1,
                max_iter=self.max_iter,
                tol=self.tol,
                algorithm=self.algorithm,
            )
        )

    def _replay(self, X: Any, weight: Floats, centres: Floats, watch: Watch) -> dict[str, Any]:
        """The winning run again, slowly, to write down its energies and to treat empty clusters."""
        history: list[float] = []
        labels = np.full(X.shape[0], -1)
        spread, step = max(mean_variance(X), 1e-300), 0
        for step in range(1, self.max_iter + 1):
            new, gaps = pairwise_distances_argmin_min(X, centres)
            history.append(float(weight @ gaps**2))
            old = centres
            centres, new, changed = self._without_empty(centres, new, gaps)
            centres = means(X, weight, new, centres)
            history.append(float(weight @ squares(X, centres, new)))
            settled = np.array_equal(new, labels)
            same = len(old) == len(centres)
            gap = float(np.sum((old - centres) ** 2)) / spread if same else np.inf
            late = watch.over(step, gap)
            if ((settled or gap <= self.tol) and not changed) or late:
                break
            labels = new
        labels = pairwise_distances_argmin_min(X, centres)[0].astype(np.int32)
        return {
            "labels": labels,
            "centres": centres,
            "energy": float(weight @ squares(X, centres, labels)),
            "energies": np.array(history),
            "n_iter": step,
        }

    def _without_empty(
        self, centres: Floats, labels: Any, gaps: Floats
    ) -> tuple[Floats, Any, bool]:
        lost = np.setdiff1d(np.arange(len(centres)), labels)
        if not len(lost):
            return centres, labels, False
        if self.empty == "error":
            raise EmptyClusterError(
                f"{len(lost)} clusters have no rows; use fewer clusters, empty='move' or 'drop'"
            )
        if self.empty == "drop":
            kept = np.setdiff1d(np.arange(len(centres)), lost)
            return centres[kept], np.searchsorted(kept, labels), True
        labels, gaps = labels.copy(), gaps.copy()
        for cluster in lost:
            far = int(gaps.argmax())
            labels[far], gaps[far] = cluster, 0.0
        return centres, labels, bool(gaps.max() > 0)

    def _outputs(self, X: Floats) -> NDArray[np.int32]:
        """The nearest centre of each row."""
        return pairwise_distances_argmin_min(X, self.fitted_.centres)[0].astype(np.int32)

    def _query(self, X: Samples) -> Any:
        """Rows as they come: distances are the same whether zeros are written or not."""
        check_is_fitted(self)
        return self._door.query(self, X, Kind.SPARSE if sparse.issparse(X) else Kind.VECTORS)

    def transform(self, X: Samples) -> Floats:
        """Distances of rows to the centres.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_clusters)
            One column per centre.
        """
        rows = self._query(X)
        return euclidean_distances(rows, self.fitted_.centres)

    def score(self, X: Samples, y: object = None, sample_weight: ArrayLike | None = None) -> float:
        """Minus the energy of these rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : None
            Ignored, as in scikit-learn.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows; None: 1 each.

        Returns
        -------
        float
            Minus the weighted sum of squared distances to the nearest center.
        """
        rows = self._query(X)
        weight = check_weights(sample_weight, rows.shape[0])
        gaps = pairwise_distances_argmin_min(rows, self.fitted_.centres)[1]
        return -float(weight @ gaps**2)


def cluster_table(labels: ArrayLike, classes: Any) -> tuple[Any, Any, NDArray[np.intp]]:
    """Rows of each class in each cluster: cluster names, class names, counts."""
    from sklearn.metrics.cluster import contingency_matrix

    labels, classes = np.asarray(labels), np.asarray(classes)
    return np.unique(labels), np.unique(classes), contingency_matrix(classes, labels).T
