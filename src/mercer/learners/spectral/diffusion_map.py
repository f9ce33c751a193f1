"""Diffusion maps: coordinates in which a random walk on the data makes straight steps."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from mercer._random import seed_of
from mercer.learners._parameters import check_parameters, none_or, positive_whole
from mercer.learners.spectral._diffusion import (
    Bandwidth,
    choose_bandwidth,
    row_sums,
    scaled,
    spectrum,
)
from mercer.learners.spectral._eigen import fixed_signs
from mercer.learners.spectral._neighbours import joined, nearest, tree_order, within
from mercer.learners.spectral._rules import SPECTRAL_RULES, or_word

Floats = NDArray[np.float64]


class DiffusionMap(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Diffusion map with a sparse Gaussian kernel exp(−‖x−y‖²/σ).

    Parameters
    ----------
    n_components : int or "gap", default=2
        Coordinates; "gap" stops where λᵗ falls most, among at most ten.
    t : float, default=1
        Steps of the walk: the larger, the coarser the structure that is left.
    sigma : float or "auto", default="auto"
        Width of the kernel (squared distance). "auto" takes the width at which the sum of all
        kernel values grows fastest; ``bandwidth_.reason`` says what was found.
    alpha : float in [0, 1], default=1.0
        How much of the sampling density is divided out: 0 the plain random walk, ½ the Langevin
        diffusion of the density, 1 the Laplace–Beltrami operator of the surface alone.
    cutoff : float, default=9.0
        Kernel values are dropped where ‖x−y‖² > cutoff·σ; the graph then joins points closer than
        √(cutoff·σ).
    n_neighbors : int or None, default=None
        Keep only the values between points of which one is among so many nearest of the other,
        instead of the cut-off. A new row is joined to its own nearest only, so that ``transform``
        of a training row is close to, not equal to, its place in ``embedding_``.
    variable : bool, default=False
        Divide squared distances by the product of both points' distances to their neighbours, so
        that thin regions get wider kernels.
    random_state : int, generator or None, default=0
        Start of the iterative eigen-solver.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        λᵗψ at the training rows.
    eigenvalues_ : ndarray
        Without the trivial 1, sorted by size.
    eigenvectors_ : ndarray
        ψ, orthonormal in the stationary law; the constant one left out.
    stationary_ : ndarray
        Stationary law of the walk.
    sigma_ : float
    bandwidth_ : Bandwidth
        How σ was chosen.
    kernel_matrix_ : csr_matrix
        After the division by the density, put together when it is asked for.
    """

    def __init__(
        self,
        n_components: Any = 2,
        *,
        t: float = 1.0,
        sigma: Any = "auto",
        alpha: float = 1.0,
        cutoff: float = 9.0,
        n_neighbors: int | None = None,
        variable: bool = False,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.t = t
        self.sigma = sigma
        self.alpha = alpha
        self.cutoff = cutoff
        self.n_neighbors = n_neighbors
        self.variable = variable
        self.random_state = random_state

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [cls(2), cls(2, n_neighbors=8)]

    def fit(self, X: Any, y: Any = None) -> DiffusionMap:
        """Build the walk and find its eigenvectors."""
        rules = {
            "n_components": or_word("gap", positive_whole),
            "n_neighbors": none_or(positive_whole),
        }
        check_parameters(self, SPECTRAL_RULES | rules)
        X = validate_data(self, X, dtype=np.float64, ensure_min_samples=3)
        if self.n_components != "gap" and not self.n_components < len(X):
            raise ValueError(f"n_components={self.n_components} needs 1 <= it < {len(X)} rows")
        self._fit_points(X, np.ones(len(X)))
        self.embedding_ = self.eigenvectors_ * self._powers(self.t)
        return self

    def _fit_points(self, X: Floats, mass: Floats) -> None:
        """The walk on these points, each standing for so many rows."""
        self._X, self._mass = X, mass
        self._local = self._local_scales(X) if self.variable else np.ones(len(X))
        self.bandwidth_ = self._bandwidth(X)
        self.sigma_ = self.bandwidth_.sigma
        many = 10 if self.n_components == "gap" else int(self.n_components)
        self.eigenvalues_, self.eigenvectors_ = self._walk(min(many + 1, len(X)))
        keep = self._gap() if self.n_components == "gap" else many
        self.eigenvalues_ = self.eigenvalues_[:keep]
        self.eigenvectors_ = self.eigenvectors_[:, :keep]
        self._n_features_out = keep

    def _walk(self, k: int) -> tuple[Floats, Floats]:
        """Eigenvalues and eigenvectors of the walk but the first; remembers its degrees."""
        self._order = order = tree_order(self._X)  # neighbours side by side: products are faster
        points = self._X[order]
        K = self._kernel(self._pairs(points), self._local[order], self._local[order])
        mass = self._mass[order]
        scale = mass * np.asarray(K @ mass) ** -self.alpha
        self._ordered = scaled(K, scale, scale)
        degree = row_sums(self._ordered)
        seed = seed_of(self.random_state)
        values, ordered = spectrum(self._ordered, degree, k, points=points, seed=seed)
        vectors = np.empty_like(ordered)
        self._scale, self._degree = np.empty_like(scale), np.empty_like(degree)
        self._scale[order], self._degree[order], vectors[order] = scale, degree, ordered
        self.stationary_ = self._degree / self._degree.sum()
        return values[1:], fixed_signs(vectors[:, 1:])

    @property
    def kernel_matrix_(self) -> sparse.csr_matrix:
        """Kernel values after the division by the density, sparse, in the order of the rows."""
        check_is_fitted(self)
        back = np.argsort(self._order)
        return self._ordered[back][:, back]

    def _local_scales(self, X: Floats) -> Floats:
        lengths = np.sqrt(nearest(X, min(8, len(X) - 1))[0][:, -1])
        floor = float(np.median(lengths[lengths > 0])) if (lengths > 0).any() else 1.0
        return np.where(lengths > 0, lengths, floor)

    def _bandwidth(self, X: Floats) -> Bandwidth:
        if self.sigma != "auto":
            return Bandwidth(float(self.sigma), "given", np.zeros(0), np.zeros(0))
        return choose_bandwidth(X, self._local, seed=seed_of(self.random_state))

    def _pairs(self, points: Floats) -> sparse.csr_matrix:
        """Squared distances of the training rows that are joined, themselves included."""
        if self.n_neighbors is None:
            return within(points, self._reach(self._local), itself=True)
        return joined(points, min(self.n_neighbors, len(points) - 1), itself=True)

    def _pairs_with(self, Q: Floats, local: Floats) -> sparse.csr_matrix:
        """Squared distances of new rows to the training rows they are joined to."""
        X = self._X
        if self.n_neighbors is None:
            return within(X, self._reach(local), Q)
        squares, places = nearest(X, min(self.n_neighbors + 1, len(X)), Q)
        start = np.arange(0, squares.size + 1, squares.shape[1])
        return sparse.csr_matrix((squares.ravel(), places.ravel(), start), (len(Q), len(X)))

    def _reach(self, local: Floats) -> float:
        return float(np.sqrt(self.cutoff * self.sigma_ * local.max() * self._local.max()))

    def _kernel(self, K: sparse.csr_matrix, left: Floats, right: Floats) -> sparse.csr_matrix:
        """Kernel values in place of squared distances."""
        z = K.data / self.sigma_
        if self.variable:
            z /= np.repeat(left, np.diff(K.indptr)) * right[K.indices]
        K.data = np.exp(-z)
        if self.variable and self.n_neighbors is None:  # the reach was that of the widest kernel
            K.data[z > self.cutoff] = 0.0
            K.eliminate_zeros()
        return K

    def _powers(self, t: float) -> Floats:
        if t != int(t) and self.eigenvalues_.min() < 0:
            raise ValueError("a fractional t needs eigenvalues that are not negative; use whole t")
        return self.eigenvalues_**t

    def _gap(self) -> int:
        powers = np.abs(self.eigenvalues_) ** max(self.t, 1e-12)
        return int(np.argmax(powers[:-1] - powers[1:])) + 1 if len(powers) > 1 else 1

    def fit_transform(self, X: Any, y: Any = None) -> Floats:
        """Coordinates of the training rows."""
        return self.fit(X, y).embedding_

    def transform(self, X: Any) -> Floats:
        """Coordinates of new rows: one step of the walk onto the training rows (Nyström)."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self._extended(X) * self._powers(self.t)

    def _extended(self, Q: Floats) -> Floats:
        """The eigenvectors at new rows."""
        local = np.ones(len(Q))
        if self.variable:
            local = np.sqrt(nearest(self._X, min(8, len(self._X)), Q)[0][:, -1])
            local = np.where(local > 0, local, float(np.median(self._local)))
        K = self._kernel(self._pairs_with(Q, local), local, self._local)
        K.data *= self._scale[K.indices]
        mass = np.asarray(K.sum(axis=1)).ravel()
        step = np.asarray(K @ self.eigenvectors_) / np.where(mass > 0, mass, 1.0)[:, None]
        step[mass <= 0] = np.nan  # farther than the cut-off from every training row
        return step / self.eigenvalues_

    def diffusion_distances(self, rows: Any = None, *, exact: bool = False) -> Floats:
        """Distances after t steps between the given training rows (default: all).

        ``exact=True`` compares rows of the t-th power of the transition matrix (small data, whole
        t); otherwise it is the distance of the embedded rows, which leaves out what small
        eigenvalues contribute.
        """
        check_is_fitted(self)
        count = len(self._X) if exact else len(self.embedding_)
        index = np.arange(count) if rows is None else np.asarray(rows)
        if not exact:
            points = self.embedding_[index]
            return np.linalg.norm(points[:, None] - points[None], axis=2)
        if self.t != int(self.t):
            raise ValueError("the exact distance needs a whole number of steps")
        walk = (sparse.diags_array(1.0 / self._degree) @ self.kernel_matrix_).toarray()
        rows_t = np.linalg.matrix_power(walk, int(self.t))[index] / np.sqrt(self.stationary_)
        squares = np.sum(rows_t**2, axis=1)
        gaps = squares[:, None] + squares[None] - 2.0 * rows_t @ rows_t.T
        return np.sqrt(np.maximum(gaps, 0.0))

    def generator(self, f: Any) -> Floats:
        """(P − I)f/σ at the training rows: a quarter of Δf + (2−2α)∇f·∇q/q as σ → 0."""
        check_is_fitted(self)
        f = np.asarray(f, dtype=float)
        return (np.asarray(self.kernel_matrix_ @ f) / self._degree - f) / self.sigma_
