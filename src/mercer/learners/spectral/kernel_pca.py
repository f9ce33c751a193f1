"""Kernel PCA: principal components in feature space, for new points and back again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.linalg import solve
from sklearn.utils.validation import check_is_fitted

from mercer._random import seed_of
from mercer._types import RandomState, Samples
from mercer.kernels import Kernel
from mercer.kernels.distances import squared_distances
from mercer.kernels.resolve import Meant, kernel_meant
from mercer.kernels.structured.from_callable import FromCallable
from mercer.kernels.vectors.gaussian import Gaussian
from mercer.learners._door import Door, Kind, TrainingSample
from mercer.learners._fitted import Fitted
from mercer.learners._in_kernel_space import InKernelSpace, KernelFitted
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
from mercer.learners._reasons import ONE_SOLVE
from mercer.learners._unlabelled import Embeds, UnlabelledWeighted
from mercer.learners.spectral._eigen import Centred, largest_eigenpairs, over_roots, per_row
from mercer.learners.spectral._rules import SPECTRAL_RULES, or_word

Floats = NDArray[np.float64]
_ZERO, _NEGATIVE = 1e-12, 1e-5  # of the largest eigenvalue: scikit-learn's limits
_ROUNDING = 1e-15  # of the trace, which bounds all eigenvalues: residuals below mean nothing


@dataclass(frozen=True, kw_only=True)
class KernelPCAFitted(KernelFitted):
    """Eigenvectors of the kernel matrix, and what centring new rows needs."""

    eigenvalues: Floats
    eigenvectors: Floats
    ratio: Floats
    pseudo: Floats  # eigenvectors over roots of eigenvalues
    row_means: Floats
    grand_mean: float
    centre: bool
    inverse_alpha: float
    weight: Floats | None = None  # of the rows, if they do not count alike
    gamma: float = 0.0  # scikit-learn's, of its kernels
    back: Floats | None = None  # from kernel values between scores to rows

    @property
    def scores(self) -> Floats:
        """Of the training rows; a row of weight zero has none here."""
        found = self.eigenvectors * np.sqrt(self.eigenvalues)
        if self.weight is None:
            return found
        root = np.sqrt(self.weight)[:, None]
        return np.divide(found, root, out=np.zeros_like(found), where=root > 0)

    @property
    def share(self) -> Floats:
        """Of each row in means over the rows."""
        weight = np.ones(self.n) if self.weight is None else self.weight
        return weight / weight.sum()


class KernelPCA(UnlabelledWeighted, Embeds, InKernelSpace, Learner):
    """Kernel principal components without ever storing the kernel matrix, if it is large.

    Parameters
    ----------
    n_components : int or None, default=None
        How many components; None keeps those with positive eigenvalues (small data only).
    kernel : str, Kernel or callable, default="linear"
        scikit-learn's names, "precomputed", a ``mercer`` kernel, or a function of two rows.
    gamma, degree, coef0
        Of the named kernels, with scikit-learn's defaults.
    kernel_params : dict or None, default=None
        Further arguments of a function of two rows.
    alpha : float, default=1.0
        Ridge penalty of scikit-learn's way back, which ``fit_inverse_transform`` learns.
    fit_inverse_transform : bool, default=False
        Learn the way back by kernel ridge regression, as scikit-learn does. Without it
        ``inverse_transform`` looks for pre-images.
    eigen_solver : {"auto", "dense", "arpack", "randomized"}, default="auto"
        For scikit-learn's sake: eigenvectors of few rows or many components are found densely,
        else by blocks of products, to the same precision.
    tol, max_iter, iterated_power
        For scikit-learn's sake: of its solvers.
    remove_zero_eig : bool, default=False
        Leave out components without variance, even if ``n_components`` asks for them.
    center : bool, default=True
        Centre the data in feature space.
    inverse_alpha : float, default=1e-3
        Ridge penalty of the learned start of pre-images, relative to the mean of k(x, x).
    random_state : …
    copy_X : bool, default=True
        Whether the model keeps a copy of the rows, or the user's own.
    n_jobs
        For scikit-learn's sake: threads are those of the configuration.

    Attributes
    ----------
    eigenvalues_ : ndarray
        Of the (centred) kernel matrix, falling; each row weighs √w on either side.
    eigenvectors_ : ndarray of shape (n_samples, n_components)
        Of norm one; scores of the training rows are √eigenvalue times these, over √w.
    explained_variance_ratio_ : ndarray
        Eigenvalues over the trace of the (centred) kernel matrix.
    kernel_ : …
    gamma_ : float
        ``gamma`` as a number.
    X_fit_ : training data
    X_transformed_fit_, dual_coef_ : ndarray
        Scores of the training rows and coefficients of the way back, if it was learned.
    """

    lacks: ClassVar[Mapping[str, str]] = ONE_SOLVE
    _state_version: ClassVar[int] = 2
    _door: ClassVar[Door] = Door(asks="kernel", functions="pairs")
    _rules: ClassVar[dict[str, Rule]] = SPECTRAL_RULES | {
        "n_components": none_or(positive_whole),
        "alpha": non_negative,
        "eigen_solver": one_of("auto", "dense", "arpack", "randomized"),
        "tol": non_negative,
        "max_iter": none_or(positive_whole),
        "iterated_power": or_word("auto", (whole(0), "a whole number of at least 0")),
        **dict.fromkeys(("fit_inverse_transform", "remove_zero_eig", "copy_X"), flag),
    }
    fitted_: KernelPCAFitted

    def __init__(
        self,
        n_components: int | None = None,
        *,
        kernel: Any = "linear",
        gamma: float | str | None = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: Any = None,
        alpha: float = 1.0,
        fit_inverse_transform: bool = False,
        eigen_solver: str = "auto",
        tol: float = 0,
        max_iter: int | None = None,
        iterated_power: Any = "auto",
        remove_zero_eig: bool = False,
        center: bool = True,
        inverse_alpha: float = 1e-3,
        random_state: RandomState = None,
        copy_X: bool = True,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.alpha = alpha
        self.fit_inverse_transform = fit_inverse_transform
        self.eigen_solver = eigen_solver
        self.tol = tol
        self.max_iter = max_iter
        self.iterated_power = iterated_power
        self.remove_zero_eig = remove_zero_eig
        self.center = center
        self.inverse_alpha = inverse_alpha
        self.random_state = random_state
        self.copy_X = copy_X
        self.n_jobs = n_jobs

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [cls(2, kernel="rbf", random_state=0)]

    def _train(self, sample: TrainingSample) -> KernelPCAFitted:
        space, weight = self._space(sample), sample.weight
        gram, n = space.gram, sample.n
        counted = int(np.count_nonzero(weight))
        if self.n_components is not None and not 1 <= self.n_components <= counted:
            raise ValueError(f"n_components={self.n_components} must lie between 1 and {counted}")
        k = counted if self.n_components is None else int(self.n_components)
        product, rough = Centred(gram.matmul, weight, center=bool(self.center)), gram.single()
        diagonal = np.asarray(gram.diag(), dtype=np.float64)
        rounding = _ROUNDING * float(weight @ np.abs(diagonal))
        values, vectors = largest_eigenpairs(
            product,
            n,
            k,
            seed=seed_of(self.random_state),
            rough=None if rough is None else product.rough(rough),
            rounding=rounding,
        )
        mass = float(weight.sum())
        means: Floats = np.asarray(product.sums) / mass if self.center else np.zeros(n)
        grand = float(weight @ means) / mass
        trace = float(weight @ diagonal) - (mass * grand if self.center else 0.0)
        if self.n_components is None or self.remove_zero_eig:
            positive = values > max(_ZERO * values[0], rounding)
            values, vectors = values[positive], vectors[:, positive]
        values = _not_negative(values)
        eigenvalues, vectors = values, per_row(vectors, weight)
        spread = trace > 1e3 * rounding  # rows that are all alike have no variance to explain
        fitted = KernelPCAFitted(
            **self._in_space(self._copied(sample), space.meant),
            eigenvalues=eigenvalues,
            eigenvectors=vectors,
            ratio=eigenvalues / trace if spread else values * 0.0,
            pseudo=over_roots(values, vectors) * np.sqrt(weight)[:, None],
            row_means=means,
            grand_mean=grand,
            centre=bool(self.center),
            inverse_alpha=float(self.inverse_alpha),
            weight=None if np.all(weight == 1.0) else weight,
            gamma=self._gamma(sample, space.meant),
        )
        return (
            replace(fitted, back=self._way_back(fitted)) if self.fit_inverse_transform else fitted
        )

    def _meant(self, sample: TrainingSample) -> Meant:
        if isinstance(self.kernel, Kernel | str):
            return super()._meant(sample)
        function = partial(self.kernel, **(self.kernel_params or {}))
        return kernel_meant(FromCallable(function, pairwise=True), sample.X)

    def _copied(self, sample: TrainingSample) -> TrainingSample:
        """Rows of the model's own, whatever becomes of the user's."""
        own = self.copy_X and sample.kind in (Kind.VECTORS, Kind.SPARSE)
        return replace(sample, X=sample.X.copy()) if own else sample

    def _gamma(self, sample: TrainingSample, meant: Meant) -> float:
        if self.gamma is None and sample.kind in (Kind.VECTORS, Kind.SPARSE):
            return 1.0 / sample.X.shape[1]
        return float(self.gamma) if isinstance(self.gamma, Real) else meant.gamma

    def _way_back(self, fitted: KernelPCAFitted) -> Floats:
        """Coefficients of the kernel ridge regression from scores to rows."""
        if fitted.kind is Kind.GRAM:
            raise ValueError("Cannot fit_inverse_transform with a precomputed kernel.")
        K = np.asarray(self._between(fitted, fitted.scores), dtype=np.float64)
        K[np.diag_indices_from(K)] += self.alpha
        rows = fitted.rows.toarray() if sparse.issparse(fitted.rows) else fitted.rows
        return np.asarray(solve(K, rows, assume_a="pos", overwrite_a=True))

    def _between(self, fitted: KernelPCAFitted, Z: Floats) -> Any:
        """The kernel between scores: with the same numbers as between rows."""
        return fitted.kernel(np.ascontiguousarray(Z), np.ascontiguousarray(fitted.scores))

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        assert isinstance(fitted, KernelPCAFitted)
        self.eigenvalues_, self.eigenvectors_ = fitted.eigenvalues, fitted.eigenvectors
        self.explained_variance_ratio_ = fitted.ratio
        self._n_features_out = len(fitted.eigenvalues)
        self.gamma_ = fitted.gamma
        if fitted.back is not None:
            self.X_transformed_fit_, self.dual_coef_ = fitted.scores, fitted.back

    def fit_transform(self, X: Samples, y: ArrayLike | None = None, **options: Any) -> Floats:
        """Scores of the training rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : None
            Ignored, as in scikit-learn.
        options : keywords
            Those of ``fit``.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            One row per row of ``X``.
        """
        fitted = self.fit(X, y, **options).fitted_
        whole = fitted.weight is None or bool(np.all(fitted.weight > 0))
        return fitted.scores if whole else self.transform(X)

    def _outputs(self, X: Samples) -> Floats:
        """Scores of rows, from their kernel values with the training rows."""
        fitted = self.fitted_
        products = self._expand(X, np.hstack([fitted.pseudo, fitted.share[:, None]]))
        scores, own_means = products[:, :-1], products[:, -1:]
        if not fitted.centre:
            return scores
        # the centred row is k − own mean − row means + grand mean; centred vectors kill constants
        sums = fitted.pseudo.sum(axis=0)
        shift = fitted.row_means @ fitted.pseudo
        return scores - (own_means - fitted.grand_mean) * sums - shift

    def reconstruction_error(self, X: Samples) -> Floats:
        """Squared distance in feature space between each row and its projection."""
        rows, fitted = self._query(X), self.fitted_
        if fitted.kind is Kind.GRAM:
            raise ValueError("k(x, x) of new rows is not known for a precomputed kernel")
        length = np.asarray(fitted.kernel.diag(rows), dtype=float)
        if fitted.centre:
            own = self._expand(rows, fitted.share[:, None])[:, 0]
            length = length - 2.0 * own + fitted.grand_mean
        return np.maximum(0.0, length - np.sum(self._outputs(rows) ** 2, axis=1))

    def inverse_transform(self, Z: Samples, *, n_iter: int = 100, tol: float = 1e-8) -> Floats:
        """Points whose scores are close to ``Z``.

        With ``fit_inverse_transform``, scikit-learn's kernel ridge regression. Else for Gaussian
        kernels Mika's fixed-point iteration, started from a learned inverse, and for other kernels
        that inverse, a ridge regression with a Gaussian kernel between scores.

        Parameters
        ----------
        Z : array-like of shape (n_samples, n_components)
            Scores, as ``transform`` gives them.
        n_iter : int
            Most steps of the fixed-point iteration.
        tol : float
            It ends when no coordinate moves by this much.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            One point per row of ``Z``.
        """
        check_is_fitted(self)
        fitted = self.fitted_
        if fitted.back is not None:
            Z = np.atleast_2d(np.asarray(Z, dtype=float))
            return np.asarray(self._between(fitted, Z) @ fitted.back)
        dense = isinstance(fitted.rows, np.ndarray) and fitted.rows.ndim == 2
        if fitted.kind is Kind.GRAM or not dense:
            raise ValueError("pre-images need dense training rows, not a kernel matrix")
        Z = np.atleast_2d(np.asarray(Z, dtype=float))
        start = _learned_inverse(fitted, Z)
        if not isinstance(fitted.kernel, Gaussian):
            return start
        weights = Z @ fitted.pseudo.T  # expansion of the (uncentred) target point
        if fitted.centre:
            weights = weights + (1.0 - weights.sum(axis=1, keepdims=True)) * fitted.share
        points = start
        for _ in range(n_iter):
            mix = weights * fitted.kernel(points, fitted.rows)
            total = mix.sum(axis=1, keepdims=True)
            fine = np.abs(total.ravel()) > 1e-8
            new = points.copy()
            new[fine] = (mix[fine] @ fitted.rows) / total[fine]
            if np.max(np.abs(new - points)) < tol:
                return new
            points = new
        return points


def _not_negative(values: Floats) -> Floats:
    """Eigenvalues without rounding; an error where a matrix is plainly no kernel."""
    top = max(float(values[0]), 1e-300) if len(values) else 1.0
    if len(values) and values[-1] < -_NEGATIVE * top:
        raise ValueError(
            f"There are significant negative eigenvalues ({-values[-1] / top:.3g} of the largest): "
            "this is not the matrix of a kernel. Repair it (mercer.metrics), ask for fewer "
            "components, or take ClassicalMDS if it holds distances."
        )
    return np.where(values > _ZERO * top, values, 0.0)


def _learned_inverse(fitted: KernelPCAFitted, Z: Floats) -> Floats:
    scores = fitted.scores
    squared = np.sum(scores**2, axis=1)
    width = float(np.median(squared)) or 1.0
    near = np.exp(-squared_distances(scores, scores) / (2 * width))
    near[np.diag_indices_from(near)] += fitted.inverse_alpha
    mean = fitted.rows.mean(axis=0)
    coefficients = np.linalg.solve(near, fitted.rows - mean)
    return np.exp(-squared_distances(Z, scores) / (2 * width)) @ coefficients + mean
