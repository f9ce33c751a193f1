"""Kernel PCA: principal components in feature space, for new points and back again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from mercer._random import seed_of
from mercer.kernels.distances import squared_distances
from mercer.kernels.vectors.gaussian import Gaussian
from mercer.learners._door import Kind, TrainingSample
from mercer.learners._fitted import Fitted
from mercer.learners._in_kernel_space import InKernelSpace, KernelFitted
from mercer.learners._learner import Learner
from mercer.learners._parameters import Rule, none_or, positive_whole
from mercer.learners._reasons import ONE_SOLVE
from mercer.learners._unlabelled import Embeds
from mercer.learners.spectral._eigen import WithSums, centred, largest_eigenpairs, over_roots
from mercer.learners.spectral._rules import SPECTRAL_RULES

Floats = NDArray[np.float64]
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

    @property
    def scores(self) -> Floats:
        """Of the training rows."""
        return self.eigenvectors * np.sqrt(self.eigenvalues)


class KernelPCA(Embeds, InKernelSpace, Learner):
    """Kernel principal components without ever storing the kernel matrix, if it is large.

    Parameters
    ----------
    n_components : int or None, default=None
        How many components; None keeps those with positive eigenvalues (small data only).
    kernel : str, Kernel or callable, default="linear"
        scikit-learn's names, "precomputed", a ``mercer`` kernel, or a function.
    gamma, degree, coef0
        Of the named kernels, with scikit-learn's defaults.
    center : bool, default=True
        Centre the data in feature space.
    inverse_alpha : float, default=1e-3
        Ridge penalty of the learned way back, relative to the mean of k(x, x) over scores.
    random_state : int, generator or None, default=None
        Start of the iterative eigen-solver.

    Attributes
    ----------
    eigenvalues_ : ndarray
        Of the (centred) kernel matrix, falling.
    eigenvectors_ : ndarray of shape (n_samples, n_components)
        Of norm one; scores of the training rows are √eigenvalue times these.
    explained_variance_ratio_ : ndarray
        Eigenvalues over the trace of the (centred) kernel matrix.
    kernel_ : Kernel
        The kernel with all its parameters as numbers.
    X_fit_ : training data
    """

    lacks: ClassVar[Mapping[str, str]] = ONE_SOLVE
    _state_version: ClassVar[int] = 2
    _rules: ClassVar[dict[str, Rule]] = SPECTRAL_RULES | {"n_components": none_or(positive_whole)}
    fitted_: KernelPCAFitted

    def __init__(
        self,
        n_components: int | None = None,
        *,
        kernel: Any = "linear",
        gamma: Any = None,
        degree: float = 3,
        coef0: float = 1,
        center: bool = True,
        inverse_alpha: float = 1e-3,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.center = center
        self.inverse_alpha = inverse_alpha
        self.random_state = random_state

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [cls(2, kernel="rbf", random_state=0)]

    def _train(self, sample: TrainingSample) -> KernelPCAFitted:
        space = self._space(sample)
        gram, n = space.gram, sample.n
        if self.n_components is not None and not 1 <= self.n_components <= n:
            raise ValueError(f"n_components={self.n_components} must lie between 1 and {n}")
        k = n if self.n_components is None else int(self.n_components)
        product, rough = WithSums(gram.matmul), gram.single()
        rounding = _ROUNDING * float(np.abs(gram.diag()).sum(dtype=np.float64))
        around = centred if self.center else lambda product: product
        values, vectors = largest_eigenpairs(
            around(product),
            n,
            k,
            seed=seed_of(self.random_state),
            rough=None if rough is None else around(rough),
            rounding=rounding,
        )
        means: Floats = np.asarray(product.sums) / n if self.center else np.zeros(n)
        grand = float(means.mean())
        trace = gram.trace() - (n * grand if self.center else 0.0)
        if self.n_components is None:
            positive = values > 1e-12 * max(values[0], 1e-300)
            values, vectors = values[positive], vectors[:, positive]
        eigenvalues = np.maximum(values, 0.0)
        spread = trace > 1e3 * rounding  # rows that are all alike have no variance to explain
        return KernelPCAFitted(
            **self._in_space(sample, space.meant),
            eigenvalues=eigenvalues,
            eigenvectors=vectors,
            ratio=eigenvalues / trace if spread else values * 0.0,
            pseudo=over_roots(values, vectors),
            row_means=means,
            grand_mean=grand,
            centre=bool(self.center),
            inverse_alpha=float(self.inverse_alpha),
        )

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        assert isinstance(fitted, KernelPCAFitted)
        self.eigenvalues_, self.eigenvectors_ = fitted.eigenvalues, fitted.eigenvectors
        self.explained_variance_ratio_ = fitted.ratio
        self._n_features_out = len(fitted.eigenvalues)

    def fit_transform(self, X: Any, y: Any = None) -> Floats:
        """Scores of the training rows."""
        return self.fit(X, y).fitted_.scores

    def _outputs(self, X: Any) -> Floats:
        """Scores of rows, from their kernel values with the training rows."""
        fitted = self.fitted_
        ones = np.ones((fitted.n, 1))
        products = self._expand(X, np.hstack([fitted.pseudo, ones / len(ones)]))
        scores, own_means = products[:, :-1], products[:, -1:]
        if not fitted.centre:
            return scores
        # the centred row is k − own mean − row means + grand mean; centred vectors kill constants
        sums = fitted.pseudo.sum(axis=0)
        shift = fitted.row_means @ fitted.pseudo
        return scores - (own_means - fitted.grand_mean) * sums - shift

    def reconstruction_error(self, X: Any) -> Floats:
        """Squared distance in feature space between each row and its projection."""
        rows, fitted = self._query(X), self.fitted_
        if fitted.kind is Kind.GRAM:
            raise ValueError("k(x, x) of new rows is not known for a precomputed kernel")
        length = np.asarray(fitted.kernel.diag(rows), dtype=float)
        if fitted.centre:
            own = self._expand(rows, np.full((fitted.n, 1), 1.0 / fitted.n))[:, 0]
            length = length - 2.0 * own + fitted.grand_mean
        return np.maximum(0.0, length - np.sum(self._outputs(rows) ** 2, axis=1))

    def inverse_transform(self, Z: Any, *, n_iter: int = 100, tol: float = 1e-8) -> Floats:
        """Points whose scores are close to ``Z``.

        Gaussian kernels: Mika's fixed-point iteration, started from a learned inverse. Other
        kernels: kernel ridge regression from scores back to rows.
        """
        check_is_fitted(self)
        fitted = self.fitted_
        dense = isinstance(fitted.rows, np.ndarray) and fitted.rows.ndim == 2
        if fitted.kind is Kind.GRAM or not dense:
            raise ValueError("pre-images need dense training rows, not a kernel matrix")
        Z = np.atleast_2d(np.asarray(Z, dtype=float))
        start = _learned_inverse(fitted, Z)
        if not isinstance(fitted.kernel, Gaussian):
            return start
        weights = Z @ fitted.pseudo.T  # expansion of the (uncentred) target point
        if fitted.centre:
            weights = weights - weights.mean(axis=1, keepdims=True) + 1.0 / fitted.n
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


def _learned_inverse(fitted: KernelPCAFitted, Z: Floats) -> Floats:
    scores = fitted.scores
    squared = np.sum(scores**2, axis=1)
    width = float(np.median(squared)) or 1.0
    near = np.exp(-squared_distances(scores, scores) / (2 * width))
    near[np.diag_indices_from(near)] += fitted.inverse_alpha
    mean = fitted.rows.mean(axis=0)
    coefficients = np.linalg.solve(near, fitted.rows - mean)
    return np.exp(-squared_distances(Z, scores) / (2 * width)) @ coefficients + mean
