"""k-means in feature space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from mercer._random import seed_of
from mercer.gram import Gram
from mercer.learners._door import TrainingSample
from mercer.learners._fitted import Fitted
from mercer.learners._in_kernel_space import InKernelSpace, KernelFitted
from mercer.learners._learner import Learner
from mercer.learners._parameters import Rule
from mercer.learners._unlabelled import Clusters
from mercer.learners.spectral._rules import SPECTRAL_RULES

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class KernelKMeansFitted(KernelFitted):
    """Clusters, and their centres in feature space: members and squared norms."""

    labels: NDArray[np.intp]
    energies: Floats
    members: Floats
    own: Floats


class KernelKMeans(Clusters, InKernelSpace, Learner):
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
    random_state : int, generator or None, default=None
        Of the starts.

    Attributes
    ----------
    labels_ : ndarray of int
    inertia_ : float
        Σ‖φ(x) − centre‖².
    inertia_history_ : ndarray
        After every step of the best run; it never rises.
    n_iter_ : int
    kernel_, X_fit_
        For prediction.
    """

    _state_version: ClassVar[int] = 2
    _rules: ClassVar[dict[str, Rule]] = SPECTRAL_RULES
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
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.n_init = n_init
        self.max_iter = max_iter
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
        seed = seed_of(self.random_state)
        runs = [self._once(gram, np.random.default_rng((seed, r))) for r in range(self.n_init)]
        labels, history = min(runs, key=lambda run: run[1][-1])
        names, labels = np.unique(labels, return_inverse=True)
        members = _members(labels, len(names))
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

    def _once(self, gram: Gram, rng: np.random.Generator) -> tuple[Any, list[float]]:
        diagonal = np.asarray(gram.diag(), dtype=float)
        labels = self._start(gram, diagonal, rng)
        history: list[float] = []
        for _ in range(self.max_iter):
            members = _members(labels, self.n_clusters)
            cross = gram.matmul(members)
            own = np.einsum("ij,ij->j", members, cross)
            squares = diagonal[:, None] - 2.0 * cross + own
            squares[:, members.sum(axis=0) == 0] = np.inf  # an empty cluster attracts nobody
            history.append(float(np.take_along_axis(squares, labels[:, None], axis=1).sum()))
            new = squares.argmin(axis=1)
            if np.array_equal(new, labels):
                break
            labels = new
        return labels, history

    def _start(self, gram: Gram, diagonal: Floats, rng: np.random.Generator) -> Any:
        """k-means++ in feature space."""
        chosen = [int(rng.integers(gram.n))]
        rows = [gram.rows(chosen)[0]]
        squares = [diagonal + diagonal[chosen[0]] - 2.0 * rows[0]]
        nearest = np.maximum(squares[0], 0.0)
        while len(chosen) < self.n_clusters:
            total = nearest.sum()
            p = nearest / total if total > 0 else np.full(gram.n, 1.0 / gram.n)
            chosen.append(int(rng.choice(gram.n, p=p)))
            row = gram.rows(chosen[-1:])[0]
            squares.append(diagonal + diagonal[chosen[-1]] - 2.0 * row)
            nearest = np.minimum(nearest, np.maximum(squares[-1], 0.0))
        return np.argmin(squares, axis=0)

    def _outputs(self, X: Any) -> NDArray[np.intp]:
        """The nearest centre in feature space."""
        return np.argmin(self.fitted_.own - 2.0 * self._expand(X, self.fitted_.members), axis=1)


def _members(labels: Any, k: int) -> Floats:
    """One column per cluster, 1/size on its rows."""
    counts = np.bincount(labels, minlength=k)
    members = np.zeros((len(labels), k))
    members[np.arange(len(labels)), labels] = 1.0 / counts[labels]
    return members
