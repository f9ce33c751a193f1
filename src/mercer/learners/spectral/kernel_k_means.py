"""k-means in feature space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from mercer._random import seed_of
from mercer._types import Samples
from mercer.gram import Gram
from mercer.learners._door import TrainingSample
from mercer.learners._fitted import Fitted
from mercer.learners._in_kernel_space import InKernelSpace, KernelFitted
from mercer.learners._learner import Learner
from mercer.learners._parameters import Rule, non_negative
from mercer.learners._unlabelled import Clusters, UnlabelledWeighted
from mercer.learners._watched import watched
from mercer.learners.spectral._rules import SPECTRAL_RULES
from mercer.solvers.watch import Watch

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class KernelKMeansFitted(KernelFitted):
    """Clusters, and their centres in feature space: members and squared norms."""

    labels: NDArray[np.intp]
    energies: Floats
    members: Floats
    own: Floats


class KernelKMeans(UnlabelledWeighted, Clusters, InKernelSpace, Learner):
    """k-means on feature vectors: ‖φ(x) − centre‖² from kernel values alone.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    kernel : str, Kernel or callable, default="rbf"
        scikit-learn's names, "precomputed", a ``mercer`` kernel, or a function.
    gamma, degree, coef0
        Of the named kernels.
    n_init : int, default=10
        Runs from different starts (k-means++ in feature space); the best is kept.
    max_iter : int, default=100
        Steps of each run.
    tol : float, default=0.0
        A run ends when the energy falls by no more, relative to its value; 0 when no row changes
        its cluster.
    verbose : bool, default=False
        Show progress on standard error.
    time_limit : float or None, default=None
        Seconds; the best clusters found until then are the result.
    warm_start : bool, default=False
        Start from the last clusters, if there are as many rows; then there is one run.
    random_state : int, generator or None, default=None
        Of the starts.

    Attributes
    ----------
    labels_ : ndarray of int
    inertia_ : float
        Σ‖φ(x) − centre‖², each row as often as it weighs.
    inertia_history_ : ndarray
        After every step of the best run; it never rises.
    n_iter_ : int
    kernel_, X_fit_
        For prediction.
    """

    _state_version: ClassVar[int] = 2
    _rules: ClassVar[dict[str, Rule]] = SPECTRAL_RULES | {"tol": non_negative}
    fitted_: KernelKMeansFitted

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        kernel: Any = "rbf",
        gamma: Any = None,
        degree: float = 3,
        coef0: float = 1,
        n_init: int = 10,
        max_iter: int = 100,
        tol: float = 0.0,
        verbose: bool = False,
        time_limit: float | None = None,
        warm_start: bool = False,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose
        self.time_limit = time_limit
        self.warm_start = warm_start
        self.random_state = random_state

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [cls(3, n_init=2, random_state=0)]

    def _train(self, sample: TrainingSample) -> KernelKMeansFitted:
        space = self._space(sample)
        gram = space.gram
        if not 1 <= self.n_clusters <= gram.n:
            raise ValueError(f"n_clusters={self.n_clusters} needs 1 <= it <= {gram.n} rows")
        labels, history = self._best(gram, sample.weight)
        names, labels = np.unique(labels, return_inverse=True)
        members = _members(labels, len(names), sample.weight)
        return KernelKMeansFitted(
            **self._in_space(sample, space.meant),
            labels=labels,
            energies=np.array(history),
            members=members,
            own=np.einsum("ij,ij->j", members, gram.matmul(members)),
        )

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        assert isinstance(fitted, KernelKMeansFitted)
        self.labels_, self.inertia_history_ = fitted.labels, fitted.energies
        self.inertia_, self.n_iter_ = float(fitted.energies[-1]), len(fitted.energies)

    def _best(self, gram: Gram, weight: Floats) -> tuple[Any, list[float]]:
        """The run of the smallest energy, of those that there is time for."""
        seed = seed_of(self.random_state)
        diagonal = np.asarray(gram.diag(), dtype=float)
        last = self.__dict__.get("labels_") if self.warm_start else None
        warm = last is not None and len(last) == gram.n and last.max() < self.n_clusters
        best: tuple[Any, list[float]] | None = None
        with watched(self) as watch:
            for run in range(1 if warm else self.n_init):
                rng = np.random.default_rng((seed, run))
                labels = last if warm else self._start(gram, diagonal, weight, rng)
                found = self._once(gram, diagonal, weight, labels, watch)
                if best is None or found[1][-1] < best[1][-1]:
                    best = found
                if watch.spent:
                    break
        assert best is not None
        return best

    def _once(
        self, gram: Gram, diagonal: Floats, weight: Floats, labels: Any, watch: Watch
    ) -> tuple[Any, list[float]]:
        history: list[float] = []
        for step in range(self.max_iter):
            members = _members(labels, self.n_clusters, weight)
            cross = gram.matmul(members)
            own = np.einsum("ij,ij->j", members, cross)
            squares = diagonal[:, None] - 2.0 * cross + own
            squares[:, members.sum(axis=0) == 0] = np.inf  # an empty cluster attracts nobody
            history.append(
                float(weight @ np.take_along_axis(squares, labels[:, None], axis=1)[:, 0])
            )
            new = squares.argmin(axis=1)
            fall = (history[-2] - history[-1]) / max(history[-1], 1e-300) if step else np.inf
            late = watch.over(step + 1, float(np.mean(new != labels)))
            if np.array_equal(new, labels) or fall < self.tol:
                break
            labels = new
            if late:
                break
        return labels, history

    def _start(self, gram: Gram, diagonal: Floats, weight: Floats, rng: np.random.Generator) -> Any:
        """k-means++ in feature space."""
        chosen = [int(rng.choice(gram.n, p=weight / weight.sum()))]
        rows = [gram.rows(chosen)[0]]
        squares = [diagonal + diagonal[chosen[0]] - 2.0 * rows[0]]
        nearest = weight * np.maximum(squares[0], 0.0)
        while len(chosen) < self.n_clusters:
            total = nearest.sum()
            p = nearest / total if total > 0 else weight / weight.sum()
            chosen.append(int(rng.choice(gram.n, p=p)))
            row = gram.rows(chosen[-1:])[0]
            squares.append(diagonal + diagonal[chosen[-1]] - 2.0 * row)
            nearest = np.minimum(nearest, weight * np.maximum(squares[-1], 0.0))
        return np.argmin(squares, axis=0)

    def _outputs(self, X: Samples) -> NDArray[np.intp]:
        """The nearest centre in feature space."""
        return np.argmin(self.fitted_.own - 2.0 * self._expand(X, self.fitted_.members), axis=1)


def _members(labels: Any, k: int, weight: Floats) -> Floats:
    """One column per cluster, the share of each of its rows."""
    mass = np.bincount(labels, weights=weight, minlength=k)
    members = np.zeros((len(labels), k))
    own = mass[labels]
    share = np.divide(weight, own, out=np.zeros_like(weight), where=own > 0)
    members[np.arange(len(labels)), labels] = share
    return members
