"""Clusters as the parts of a Gaussian mixture, fitted by expectation and maximisation."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import solve_triangular
from scipy.special import logsumexp
from sklearn.cluster import KMeans as Engine
from sklearn.exceptions import ConvergenceWarning

from mercer._config import reserve
from mercer._random import seed_of
from mercer._types import Samples
from mercer.learners._door import Door, TrainingSample
from mercer.learners._fitted import Fitted, rows_of
from mercer.learners._learner import Learner
from mercer.learners._parameters import Rule, non_negative, one_of, positive
from mercer.learners._reasons import COORDINATES
from mercer.learners._unlabelled import Clusters, UnlabelledWeighted
from mercer.learners._watched import watched
from mercer.learners.spectral._rules import SPECTRAL_RULES
from mercer.solvers.watch import Watch

Floats = NDArray[np.float64]
SHAPES = ("full", "tied", "diag", "spherical")


@dataclass(frozen=True, kw_only=True)
class MixtureFitted(Fitted):
    """Shares, means and covariances of the parts."""

    shares: Floats
    means: Floats
    roots: Floats  # lower Cholesky factors of the covariances
    shape: str
    labels: NDArray[np.int32]
    history: Floats
    converged: bool

    def log_densities(self, X: Floats) -> Floats:
        """Ln of share times density of every part at every row."""
        d = X.shape[1]
        found = np.empty((len(X), len(self.shares)))
        for c, (mean, root) in enumerate(zip(self.means, self.roots, strict=True)):
            z = solve_triangular(root, (X - mean).T, lower=True, check_finite=False)
            half = np.log(np.diagonal(root)).sum()
            found[:, c] = -0.5 * (np.sum(z * z, axis=0) + d * np.log(2.0 * np.pi)) - half
        with np.errstate(divide="ignore"):
            return found + np.log(self.shares)


class MixtureClustering(UnlabelledWeighted, Clusters, Learner):
    """Gaussian mixture: soft clusters, and a number of clusters that can be judged by BIC.

    Vectors only: a density needs coordinates. Objects that have a kernel can be given
    `KernelPCA` coordinates first. Sparse rows are filled, as covariances are full.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of parts.
    covariance_type : {"full", "tied", "diag", "spherical"}, default="full"
        Shapes of the parts: any ellipsoid each, one for all, axes-parallel, or balls.
    reg_param : float, default=1e-6
        Added to the diagonal of every covariance.
    n_init : int, default=1
        Runs from different k-means solutions; the likeliest is kept.
    max_iter : int, default=100
        Steps of each run.
    tol : float, default=1e-3
        A run ends when the mean log-likelihood grows by less.
    verbose : bool, default=False
        Show progress on standard error.
    time_limit : float or None, default=None
        Seconds; the parts found until then are the result, with a warning.
    warm_start : bool, default=False
        Start from the last parts, if they fit; then there is one run.
    random_state : int, generator or None, default=None
        Of the starts.

    Attributes
    ----------
    labels_ : ndarray of int
        The likeliest part of each row.
    weights_ : ndarray of shape (n_clusters,)
        Shares of the parts.
    means_ : ndarray of shape (n_clusters, n_features)
    covariances_ : ndarray of shape (n_clusters, n_features, n_features)
    log_likelihood_ : float
        Mean over the training rows.
    log_likelihood_history_ : ndarray
        After every step of the best run; it never falls but for ``reg_param``.
    converged_, n_iter_
    """

    lacks: ClassVar[Mapping[str, str]] = COORDINATES
    _rules: ClassVar[dict[str, Rule]] = SPECTRAL_RULES | {
        "covariance_type": one_of(*SHAPES),
        "reg_param": non_negative,
        "tol": positive,
    }
    _door: ClassVar[Door] = Door(narrow=sys.maxsize, dtype=np.float64, least=2)
    fitted_: MixtureFitted

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        covariance_type: str = "full",
        reg_param: float = 1e-6,
        n_init: int = 1,
        max_iter: int = 100,
        tol: float = 1e-3,
        verbose: bool = False,
        time_limit: float | None = None,
        warm_start: bool = False,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.covariance_type = covariance_type
        self.reg_param = reg_param
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
        return [cls(2, random_state=0), cls(3, covariance_type="diag", random_state=0)]

    def _train(self, sample: TrainingSample) -> MixtureFitted:
        if not self.n_clusters <= sample.n:
            raise ValueError(f"n_clusters={self.n_clusters} needs 1 <= it <= {sample.n} rows")
        d = sample.X.shape[1]
        reserve(
            32 * self.n_clusters * d * d,  # the factors, and what they are made from
            f"{self.n_clusters} covariances of {d} columns",
            "Take fewer columns, by PCA for example.",
        )
        with watched(self) as watch:
            best = self._best(sample, watch)
        if not best.converged:
            raised = "time_limit" if watch.spent else "max_iter or tol"
            warnings.warn(
                f"the mixture did not settle in {len(best.history) - 1} steps; raise {raised}",
                ConvergenceWarning,
                stacklevel=5,
            )
        return best

    def _best(self, sample: TrainingSample, watch: Watch) -> MixtureFitted:
        """The likeliest run, of those that there is time for."""
        last = self.__dict__.get("fitted_") if self.warm_start else None
        if last is not None and last.means.shape == (self.n_clusters, sample.X.shape[1]):
            return self._run_from(sample, _shares(last.log_densities(sample.X)), watch)
        seed = seed_of(self.random_state)
        best: MixtureFitted | None = None
        for run in range(self.n_init):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)  # of few distinct rows
                engine = Engine(self.n_clusters, n_init=1, random_state=(seed + run) % 2**32)
                labels = engine.fit(sample.X, sample_weight=sample.weight).labels_
            found = self._run_from(sample, np.eye(self.n_clusters)[labels], watch)
            if best is None or found.history[-1] > best.history[-1]:
                best = found
            if watch.spent:
                break
        assert best is not None
        return best

    def _run_from(self, sample: TrainingSample, soft: Floats, watch: Watch) -> MixtureFitted:
        X, weight = sample.X, sample.weight
        history: list[float] = []
        while True:
            model = self._parts(sample, soft, history)
            joint = model.log_densities(X)
            total = logsumexp(joint, axis=1)
            history.append(float(weight @ total / weight.sum()))
            soft = np.exp(joint - total[:, None])
            growth = abs(history[-1] - history[-2]) if len(history) > 1 else np.inf
            late = watch.over(len(history), growth)
            if growth < self.tol or late or len(history) > self.max_iter:
                return MixtureFitted(
                    **rows_of(sample),
                    shares=model.shares,
                    means=model.means,
                    roots=model.roots,
                    shape=self.covariance_type,
                    labels=joint.argmax(axis=1).astype(np.int32),
                    history=np.array(history),
                    converged=bool(growth < self.tol),
                )

    def _parts(self, sample: TrainingSample, soft: Floats, history: list[float]) -> MixtureFitted:
        """Shares, means and covariances of rows that belong to parts by these probabilities."""
        X = sample.X
        held = soft * sample.weight[:, None]
        mass = held.sum(axis=0) + 10.0 * np.finfo(float).eps
        means = held.T @ X / mass[:, None]
        covariances = np.empty((len(mass), X.shape[1], X.shape[1]))
        for c in range(len(mass)):
            off = X - means[c]
            covariances[c] = (held[:, c] * off.T) @ off / mass[c]
        if self.covariance_type == "tied":
            covariances[:] = np.einsum("c,cij->ij", mass / mass.sum(), covariances)
        elif self.covariance_type != "full":
            spread = np.diagonal(covariances, axis1=1, axis2=2)
            if self.covariance_type == "spherical":
                spread = np.repeat(spread.mean(axis=1, keepdims=True), X.shape[1], axis=1)
            covariances = spread[:, :, None] * np.eye(X.shape[1])
        covariances = covariances + self.reg_param * np.eye(X.shape[1])
        try:
            roots = np.linalg.cholesky(covariances)
        except np.linalg.LinAlgError:
            raise ValueError(
                "a part of the mixture has collapsed to fewer dimensions than the rows have: take "
                "fewer clusters, a simpler covariance_type, or a larger reg_param"
            ) from None
        return MixtureFitted(
            **rows_of(sample),
            shares=mass / mass.sum(),
            means=means,
            roots=roots,
            shape=self.covariance_type,
            labels=np.zeros(0, dtype=np.int32),
            history=np.array(history),
            converged=False,
        )

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        assert isinstance(fitted, MixtureFitted)
        self.labels_, self.weights_, self.means_ = fitted.labels, fitted.shares, fitted.means
        self.covariances_ = fitted.roots @ fitted.roots.transpose(0, 2, 1)
        self.log_likelihood_history_ = fitted.history
        self.log_likelihood_, self.converged_ = float(fitted.history[-1]), fitted.converged
        self.n_iter_ = max(1, len(fitted.history) - 1)

    def _outputs(self, X: Floats) -> NDArray[np.int32]:
        return self.fitted_.log_densities(X).argmax(axis=1).astype(np.int32)

    def predict_proba(self, X: Samples) -> Floats:
        """Probabilities of the parts, one row each.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_clusters)
            They sum to one.
        """
        rows = self._query(X)
        return _shares(self.fitted_.log_densities(rows))

    def score_samples(self, X: Samples) -> Floats:
        """Log-density of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            ln p(x).
        """
        rows = self._query(X)
        return logsumexp(self.fitted_.log_densities(rows), axis=1)

    def score(self, X: Samples, y: ArrayLike | None = None) -> float:
        """Mean log-density of these rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : None
            Ignored, as in scikit-learn.

        Returns
        -------
        float
            Mean of ``score_samples``.
        """
        return float(self.score_samples(X).mean())

    def bic(self, X: Samples) -> float:
        """Schwarz's criterion of these rows: the number of clusters with the smallest is best."""
        found = self.score_samples(X)
        k, d = self.fitted_.means.shape
        each = {"full": k * d * (d + 1) // 2, "tied": d * (d + 1) // 2, "diag": k * d}
        free = each.get(self.fitted_.shape, k) + k * d + k - 1
        return float(-2.0 * found.sum() + free * np.log(len(found)))


def _shares(joint: Floats) -> Floats:
    """Probabilities of the parts, from logarithms up to a constant of each row."""
    return np.exp(joint - logsumexp(joint, axis=1, keepdims=True))
