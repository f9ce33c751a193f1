"""Principal components, by whichever matrix is smaller."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import eigh
from scipy.sparse.linalg import LinearOperator, svds
from sklearn.utils.validation import check_is_fitted

from mercer._random import seed_of
from mercer.learners._door import Door, Kind, TrainingSample
from mercer.learners._fitted import Fitted, rows_of
from mercer.learners._learner import Learner
from mercer.learners._parameters import Rule, none_or, positive_whole
from mercer.learners._reasons import COORDINATES, ONE_SOLVE
from mercer.learners._unlabelled import Embeds
from mercer.learners.spectral._eigen import fixed_signs
from mercer.learners.spectral._rules import SPECTRAL_RULES

Floats = NDArray[np.float64]
HOW_MANY: Rule = none_or(
    (
        lambda v: positive_whole[0](v) or (isinstance(v, float) and 0 < v < 1),
        "a positive whole number, or a share in (0, 1)",
    )
)


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


class PCA(Embeds, Learner):
    """Principal component analysis; sparse rows are centred without being filled.

    Parameters
    ----------
    n_components : int, float in (0, 1) or None, default=None
        How many components, or the share of the variance to keep; None keeps all.
    svd_solver : {"auto", "covariance", "gram", "lanczos"}, default="auto"
        Eigenvectors of the p × p covariance, of the n × n Gram matrix, or by Lanczos steps; "auto"
        takes the cheapest.
    whiten : bool, default=False
        Scale the scores to variance one.
    random_state : int, generator or None, default=None
        Start of the Lanczos route.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal directions, of falling variance.
    explained_variance_ : ndarray
        Variance of the scores, divided by n (eigenvalues of the covariance with 1/n).
    explained_variance_ratio_ : ndarray
        Their share of the whole.
    singular_values_ : ndarray
        Of the centred data.
    mean_ : ndarray of shape (n_features,)
        What was subtracted.
    svd_solver_ : str
        The route that was taken.
    n_components_ : int
        Number of components kept.
    """

    lacks: ClassVar[Mapping[str, str]] = ONE_SOLVE | COORDINATES
    _state_version: ClassVar[int] = 2
    _rules: ClassVar[dict[str, Rule]] = SPECTRAL_RULES | {"n_components": HOW_MANY}
    _door: ClassVar[Door] = Door(dtype=np.float64, least=2)
    fitted_: PCAFitted

    def __init__(
        self,
        n_components: int | float | None = None,
        *,
        svd_solver: str = "auto",
        whiten: bool = False,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.svd_solver = svd_solver
        self.whiten = whiten
        self.random_state = random_state

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [cls(2, random_state=0), cls(2, svd_solver="gram", random_state=0)]

    def _train(self, sample: TrainingSample) -> PCAFitted:
        X = sample.X
        n, p = X.shape
        wanted = self._wanted(min(n, p))
        mean = np.asarray(X.mean(axis=0)).ravel()
        total = _total_variance(X, mean)
        route = self._route(X, n, p, wanted)
        if route == "lanczos" and wanted >= min(n, p):  # too many for Lanczos steps
            singular, found = (_covariance if p <= n else _gram)(X, mean, wanted)
        elif route == "lanczos":
            singular, found = _lanczos(X, mean, wanted, seed_of(self.random_state))
        else:
            singular, found = {"covariance": _covariance, "gram": _gram}[route](X, mean, wanted)
        variances = singular**2 / n
        keep = self._keep(variances, total, wanted)
        variances = variances[:keep]
        return PCAFitted(
            **rows_of(sample),
            mean=mean,
            components=fixed_signs(found[:keep].T).T,
            singular=singular[:keep],
            variances=variances,
            ratio=variances / total if total > 0 else np.zeros(keep),
            route=route,
            scale=np.sqrt(np.where(variances > 0, variances, 1.0)) if self.whiten else None,
        )

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        assert isinstance(fitted, PCAFitted)
        self.mean_, self.components_ = fitted.mean, fitted.components
        self.singular_values_, self.svd_solver_ = fitted.singular, fitted.route
        self.explained_variance_ = fitted.variances
        self.explained_variance_ratio_ = fitted.ratio
        self.n_components_ = self._n_features_out = len(fitted.variances)

    def _wanted(self, most: int) -> int:
        k = self.n_components
        if k is None or (isinstance(k, float) and 0 < k < 1):
            return most
        if not 1 <= k <= most:
            raise ValueError(
                f"n_components must be a whole number between 1 and {most}, or a share in (0, 1); "
                f"got {k!r}"
            )
        return int(k)

    def _keep(self, variances: Floats, total: float, wanted: int) -> int:
        if not isinstance(self.n_components, float) or self.n_components >= 1:
            return wanted
        shares = np.cumsum(variances) / total if total > 0 else np.ones(len(variances))
        place = int(np.searchsorted(shares, self.n_components - 1e-12))
        return min(len(shares), place + 1)

    def _route(self, X: Any, n: int, p: int, wanted: int) -> str:
        if self.svd_solver != "auto":
            return self.svd_solver
        few = wanted <= min(n, p) // 10
        if few and (sparse.issparse(X) or min(n, p) > 1000):
            return "lanczos"
        return "covariance" if p <= n else "gram"

    def _query(self, X: Any) -> Any:
        """Rows as they come: scores are the same whether zeros are written or not."""
        check_is_fitted(self)
        return self._door.query(self, X, Kind.SPARSE if sparse.issparse(X) else Kind.VECTORS)

    def _outputs(self, X: Any) -> Floats:
        fitted = self.fitted_
        scores = np.asarray(X @ fitted.components.T) - fitted.mean @ fitted.components.T
        return scores if fitted.scale is None else scores / fitted.scale

    def inverse_transform(self, Z: Any) -> Floats:
        """Points of the affine space spanned by the components, from scores."""
        check_is_fitted(self)
        fitted, Z = self.fitted_, np.asarray(Z, dtype=float)
        return (Z if fitted.scale is None else Z * fitted.scale) @ fitted.components + fitted.mean

    def reconstruction_error(self, X: Any) -> float:
        """Σ‖x − reconstruction‖²; on the training rows n times the variance left out."""
        rows = self._query(X)
        dense = rows.toarray() if sparse.issparse(rows) else rows
        return float(np.sum((dense - self.inverse_transform(self._outputs(dense))) ** 2))


def _total_variance(X: Any, mean: Floats) -> float:
    squares = X.multiply(X).sum() if sparse.issparse(X) else np.einsum("ij,ij->", X, X)
    return max(0.0, float(squares) / X.shape[0] - float(mean @ mean))


def _covariance(X: Any, mean: Floats, wanted: int) -> tuple[Floats, Floats]:
    n, p = X.shape
    if sparse.issparse(X):
        C = (X.T @ X).toarray() - n * np.outer(mean, mean)
    else:
        centred = X - mean
        C = centred.T @ centred
    values, vectors = eigh(C, subset_by_index=(p - wanted, p - 1))
    return np.sqrt(np.maximum(values[::-1], 0.0)), vectors[:, ::-1].T


def _gram(X: Any, mean: Floats, wanted: int) -> tuple[Floats, Floats]:
    n = X.shape[0]
    centred = np.asarray(X.toarray() if sparse.issparse(X) else X) - mean
    values, vectors = eigh(centred @ centred.T, subset_by_index=(n - wanted, n - 1))
    singular = np.sqrt(np.maximum(values[::-1], 0.0))
    components = vectors[:, ::-1].T @ centred
    lengths = np.linalg.norm(components, axis=1, keepdims=True)
    flat = lengths.ravel() <= 1e-10 * max(singular[0], 1e-300)
    components = components / np.where(lengths > 0, lengths, 1.0)
    if flat.any():  # directions without variance: any orthonormal completion will do
        components[flat] = 0.0
        basis = np.linalg.qr(np.vstack([components[~flat], np.eye(centred.shape[1])]).T)[0].T
        components[flat] = basis[(~flat).sum() :][: flat.sum()]
    return singular, components


def _lanczos(X: Any, mean: Floats, wanted: int, seed: int) -> tuple[Floats, Floats]:
    n, p = X.shape

    def forward(v: Floats) -> Floats:
        v = v.reshape(p, -1)
        return np.asarray(X @ v) - mean @ v

    def backward(u: Floats) -> Floats:
        u = u.reshape(n, -1)
        return np.asarray(X.T @ u) - np.outer(mean, u.sum(axis=0))

    centred: Any = LinearOperator(
        (n, p), matvec=forward, rmatvec=backward, matmat=forward, rmatmat=backward, dtype=float
    )
    start = np.random.default_rng(seed).standard_normal(min(n, p))
    _, singular, components = svds(centred, k=wanted, v0=start)
    order = np.argsort(singular)[::-1]
    return singular[order], components[order]
