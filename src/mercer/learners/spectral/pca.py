"""Principal components, by whichever matrix is smaller."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from mercer._random import seed_of
from mercer._types import Samples
from mercer.learners._door import Door, Kind, TrainingSample
from mercer.learners._fitted import Fitted, rows_of
from mercer.learners._learner import Learner
from mercer.learners._parameters import (
    Rule,
    flag,
    non_negative,
    none_or,
    one_of,
    positive_whole,
    whole,
)
from mercer.learners._reasons import COORDINATES, ONE_SOLVE
from mercer.learners._unlabelled import Embeds, UnlabelledWeighted
from mercer.learners.spectral import _components
from mercer.learners.spectral._component_law import HasComponentLaw
from mercer.learners.spectral._eigen import fixed_signs
from mercer.learners.spectral._rules import SPECTRAL_RULES, or_word

Floats = NDArray[np.float64]
HOW_MANY: Rule = none_or(
    (
        lambda v: (
            v == "mle"
            if isinstance(v, str)
            else positive_whole[0](v) or (isinstance(v, float) and 0 < v < 1)
        ),
        "a positive whole number, a share in (0, 1) or 'mle'",
    )
)
SOLVERS = ("auto", "full", "covariance_eigh", "gram", "arpack", "randomized")
NORMALIZERS = ("auto", "QR", "LU", "none")


@dataclass(frozen=True, kw_only=True)
class PCAFitted(Fitted):
    """Directions, what each of them explains, and what scores are divided by."""

    mean: Floats
    components: Floats
    singular: Floats
    variances: Floats
    ratio: Floats
    route: str
    scale: Floats | None
    noise: float = 0.0  # variance of the directions left out; unknown in older files
    n_features: int = 0


class PCA(UnlabelledWeighted, HasComponentLaw, Embeds, Learner):
    """Principal component analysis; sparse rows are centred without being filled.

    Parameters
    ----------
    n_components : int, float in (0, 1), "mle" or None, default=None
        How many components, the share of the variance to keep, or Minka's choice; None keeps all.
    copy : bool, default=True
        For scikit-learn's sake: rows are never written to.
    whiten : bool, default=False
        Scale the scores to variance one.
    svd_solver : {"auto", "full", "covariance_eigh", "gram", "arpack", "randomized"}, default="auto"
        Singular values of the filled matrix, eigenvectors of the p × p covariance or of the n × n
        Gram matrix, Lanczos steps, or products with random vectors; "auto" takes the cheapest of
        those that are exact.
    tol : float, default=0.0
        Of the Lanczos steps; 0 is the precision of the machine.
    iterated_power, n_oversamples, power_iteration_normalizer
        Of the random products, as scikit-learn's.
    random_state : int, generator or None, default=None
        Start of the Lanczos steps, or the random vectors.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal directions, of falling variance.
    explained_variance_ : ndarray
        Variance of the scores, divided by n − 1 (by the sum of weights less one).
    explained_variance_ratio_ : ndarray
        Their share of the whole.
    singular_values_ : ndarray
        Of the centred data.
    mean_ : ndarray of shape (n_features,)
        What was subtracted.
    noise_variance_ : float
        Mean variance of the directions left out, in the law behind ``score``.
    svd_solver_ : str
        The route that was taken.
    n_components_, n_samples_ : int
        Number of components kept, and of rows.
    """

    lacks: ClassVar[Mapping[str, str]] = ONE_SOLVE | COORDINATES
    _state_version: ClassVar[int] = 3
    _rules: ClassVar[dict[str, Rule]] = SPECTRAL_RULES | {
        "n_components": HOW_MANY,
        "copy": flag,
        "svd_solver": one_of(*SOLVERS),
        "tol": non_negative,
        "iterated_power": or_word("auto", (whole(0), "a whole number of at least 0")),
        "n_oversamples": positive_whole,
        "power_iteration_normalizer": one_of(*NORMALIZERS),
    }
    _door: ClassVar[Door] = Door(dtype=np.float64, least=2)
    fitted_: PCAFitted

    def __init__(
        self,
        n_components: int | float | str | None = None,
        *,
        copy: bool = True,
        whiten: bool = False,
        svd_solver: str = "auto",
        tol: float = 0.0,
        iterated_power: Any = "auto",
        n_oversamples: int = 10,
        power_iteration_normalizer: str = "auto",
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.copy = copy
        self.whiten = whiten
        self.svd_solver = svd_solver
        self.tol = tol
        self.iterated_power = iterated_power
        self.n_oversamples = n_oversamples
        self.power_iteration_normalizer = power_iteration_normalizer
        self.random_state = random_state

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [cls(2, random_state=0), cls(2, svd_solver="gram", random_state=0)]

    def _train(self, sample: TrainingSample) -> PCAFitted:
        X, (n, p), mass = sample.X, sample.X.shape, float(sample.weight.sum())
        if mass <= 1.0:
            raise ValueError(
                f"weights count rows, and a variance needs more than one: they sum to {mass:.3g}"
            )
        wanted = self._wanted(n, p)
        mean = np.asarray(X.T @ sample.weight).ravel() / mass
        root = np.sqrt(sample.weight)
        route = self._route(X, n, p, wanted)
        singular, found = self._found(route, X, mean, root, wanted)
        total = _components.total_variation(X, mean, root) / (mass - 1.0)
        variances = singular**2 / (mass - 1.0)
        keep = self._keep(variances, total, wanted, mass)
        left = min(n, p) - keep
        kept = variances[:keep]
        return PCAFitted(
            **rows_of(sample),
            mean=mean,
            components=fixed_signs(found[:keep].T).T,
            singular=singular[:keep],
            variances=kept,
            ratio=kept / total if total > 0 else np.zeros(keep),
            route=route,
            scale=np.sqrt(np.where(kept > 0, kept, 1.0)) if self.whiten else None,
            noise=max(0.0, total - float(kept.sum())) / left if left else 0.0,
            n_features=p,
        )

    def _found(self, route: str, X: Any, mean: Floats, root: Floats, wanted: int) -> Any:
        """Singular values and directions by this route."""
        if route == "arpack" and wanted >= min(X.shape):  # too many for Lanczos steps
            route = "covariance_eigh" if X.shape[1] <= X.shape[0] else "gram"
        if route == "arpack":
            seed = seed_of(self.random_state)
            return _components.arpack(X, mean, root, wanted, seed=seed, tol=self.tol)
        if route == "randomized":
            return _components.randomized(
                X,
                mean,
                root,
                wanted,
                seed=seed_of(self.random_state),
                n_iter=self.iterated_power,
                n_oversamples=self.n_oversamples,
                power_iteration_normalizer=self.power_iteration_normalizer,
            )
        plain = {
            "full": _components.full,
            "covariance_eigh": _components.covariance,
            "gram": _components.gram,
        }
        return plain[route](X, mean, root, wanted)

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        assert isinstance(fitted, PCAFitted)
        self.mean_, self.components_ = fitted.mean, fitted.components
        self.singular_values_, self.svd_solver_ = fitted.singular, fitted.route
        self.explained_variance_ = fitted.variances
        self.explained_variance_ratio_ = fitted.ratio
        self.n_components_ = self._n_features_out = len(fitted.variances)
        self.noise_variance_, self.n_samples_ = fitted.noise, fitted.n

    def _wanted(self, n: int, p: int) -> int:
        k, most = self.n_components, min(n, p)
        if k == "mle" and n < p:
            raise ValueError("n_components='mle' is only supported if n_samples >= n_features")
        if isinstance(k, str) and self.svd_solver in ("arpack", "randomized"):
            raise ValueError(
                f"n_components={k!r} cannot be a string with svd_solver={self.svd_solver!r}"
            )
        if k is None and self.svd_solver == "arpack":
            return max(1, most - 1)  # as many as Lanczos steps can find
        if k is None or isinstance(k, (float, str)):
            return most
        if not 1 <= k <= most:
            raise ValueError(
                f"n_components={k} must be between 1 and min(n_samples, n_features)={most} with "
                f"svd_solver={self.svd_solver!r}"
            )
        return int(k)

    def _keep(self, variances: Floats, total: float, wanted: int, mass: float) -> int:
        if self.n_components == "mle":
            return max(1, _components.likeliest_dimension(variances, mass))
        if not isinstance(self.n_components, float):
            return wanted
        shares = np.cumsum(variances) / total if total > 0 else np.ones(len(variances))
        place = int(np.searchsorted(shares, self.n_components, side="right"))  # more than asked for
        return min(len(shares), place + 1)

    def _route(self, X: Samples, n: int, p: int, wanted: int) -> str:
        if self.svd_solver != "auto":
            return self.svd_solver
        few = wanted <= min(n, p) // 10
        if few and (sparse.issparse(X) or min(n, p) > 1000):
            return "arpack"
        return "covariance_eigh" if p <= n else "gram"

    def _query(self, X: Samples) -> Any:
        """Rows as they come: scores are the same whether zeros are written or not."""
        check_is_fitted(self)
        return self._door.query(self, X, Kind.SPARSE if sparse.issparse(X) else Kind.VECTORS)

    def _outputs(self, X: Any) -> Floats:
        fitted = self.fitted_
        scores = np.asarray(X @ fitted.components.T) - fitted.mean @ fitted.components.T
        return scores if fitted.scale is None else scores / fitted.scale

    def inverse_transform(self, Z: Samples) -> Floats:
        """Points of the affine space spanned by the components, from scores.

        Parameters
        ----------
        Z : array-like of shape (n_samples, n_components)
            Scores, as ``transform`` gives them.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            One point per row of ``Z``.
        """
        check_is_fitted(self)
        fitted, Z = self.fitted_, np.asarray(Z, dtype=float)
        return (Z if fitted.scale is None else Z * fitted.scale) @ fitted.components + fitted.mean

    def reconstruction_error(self, X: Samples) -> float:
        """Σ‖x − reconstruction‖²; on the training rows n − 1 times the variance left out."""
        rows = self._query(X)
        dense = rows.toarray() if sparse.issparse(rows) else rows
        return float(np.sum((dense - self.inverse_transform(self._outputs(dense))) ** 2))
