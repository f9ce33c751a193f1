"""Diffusion maps: coordinates in which a random walk on the data makes straight steps."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.validation import check_is_fitted, validate_data

from mercer._random import seed_of
from mercer.learners._parameters import check_parameters, positive_whole
from mercer.learners.spectral._diffusion import Bandwidth, choose_bandwidth, spectrum
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
        After the division by the density.
    """

    def __init__(
        self,
        n_components: Any = 2,
        *,
        t: float = 1.0,
        sigma: Any = "auto",
        alpha: float = 1.0,
        cutoff: float = 9.0,
        variable: bool = False,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.t = t
        self.sigma = sigma
        self.alpha = alpha
        self.cutoff = cutoff
        self.variable = variable
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> DiffusionMap:
        """Build the walk and find its eigenvectors."""
        rules = {"n_components": or_word("gap", positive_whole)}
        check_parameters(self, SPECTRAL_RULES | rules)
        X = validate_data(self, X, dtype=np.float64, ensure_min_samples=3)
        if self.n_components != "gap" and not self.n_components < len(X):
            raise ValueError(f"n_components={self.n_components} needs 1 <= it < {len(X)} rows")
        self._X = X
        self._local = self._local_scales(X) if self.variable else np.ones(len(X))
        self.bandwidth_ = self._bandwidth(X)
        self.sigma_ = self.bandwidth_.sigma
        K = self._kernel_rows(X, self._local, symmetric=True)
        self._density = np.asarray(K.sum(axis=1)).ravel()
        scale = self._density**-self.alpha
        self.kernel_matrix_ = sparse.diags_array(scale) @ K @ sparse.diags_array(scale)
        self._degree = np.asarray(self.kernel_matrix_.sum(axis=1)).ravel()
        self.stationary_ = self._degree / self._degree.sum()
        many = 10 if self.n_components == "gap" else int(self.n_components)
        values, vectors = spectrum(
            self.kernel_matrix_,
            self._degree,
            min(many + 1, len(X)),
            seed=seed_of(self.random_state),
        )
        self.eigenvalues_, self.eigenvectors_ = values[1:], vectors[:, 1:]
        keep = self._gap() if self.n_components == "gap" else many
        self.eigenvalues_ = self.eigenvalues_[:keep]
        self.eigenvectors_ = self.eigenvectors_[:, :keep]
        self._n_features_out = keep
        self.embedding_ = self.eigenvectors_ * self._powers(self.t)
        return self

    def _local_scales(self, X: Floats) -> Floats:
        k = min(8, len(X) - 1)
        lengths = NearestNeighbors(n_neighbors=k + 1).fit(X).kneighbors(X)[0][:, -1]
        floor = float(np.median(lengths[lengths > 0])) if (lengths > 0).any() else 1.0
        return np.where(lengths > 0, lengths, floor)

    def _bandwidth(self, X: Floats) -> Bandwidth:
        if self.sigma != "auto":
            return Bandwidth(float(self.sigma), "given", np.zeros(0), np.zeros(0))
        return choose_bandwidth(X, self._local, seed=seed_of(self.random_state))

    def _kernel_rows(self, X: Floats, local: Floats, *, symmetric: bool) -> sparse.csr_matrix:
        """Kernel values between rows and the training rows, cut off."""
        reach = np.sqrt(self.cutoff * self.sigma_ * local.max() * self._local.max())
        search = NearestNeighbors(radius=float(reach)).fit(self._X)
        K = sparse.coo_matrix(search.radius_neighbors_graph(X, mode="distance"))
        z = K.data**2 / (self.sigma_ * local[K.row] * self._local[K.col])
        keep = z <= self.cutoff
        values = np.exp(-z[keep])
        result = sparse.csr_matrix((values, (K.row[keep], K.col[keep])), shape=K.shape)
        return sparse.csr_matrix(0.5 * (result + result.T)) if symmetric else result

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
        local = np.ones(len(X))
        if self.variable:
            k = min(8, len(self._X))
            local = NearestNeighbors(n_neighbors=k).fit(self._X).kneighbors(X)[0][:, -1]
            local = np.where(local > 0, local, float(np.median(self._local)))
        K = self._kernel_rows(X, local, symmetric=False) @ sparse.diags_array(
            self._density**-self.alpha
        )
        mass = np.asarray(K.sum(axis=1)).ravel()
        step = np.asarray(K @ self.eigenvectors_) / np.where(mass > 0, mass, 1.0)[:, None]
        step[mass <= 0] = np.nan  # farther than the cut-off from every training row
        return step / self.eigenvalues_ * self._powers(self.t)

    def diffusion_distances(self, rows: Any = None, *, exact: bool = False) -> Floats:
        """Distances after t steps between the given training rows (default: all).

        ``exact=True`` compares rows of the t-th power of the transition matrix (small data, whole
        t); otherwise it is the distance of the embedded rows, which leaves out what small
        eigenvalues contribute.
        """
        check_is_fitted(self)
        index = np.arange(len(self._X)) if rows is None else np.asarray(rows)
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
