"""Diffusion maps: coordinates in which a random walk on the data makes straight steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from mercer._random import seed_of
from mercer.learners._door import Door, TrainingSample
from mercer.learners._fitted import Fitted, rows_of
from mercer.learners._learner import Learner
from mercer.learners._parameters import Rule, none_or, positive_whole
from mercer.learners._unlabelled import EmbedsTraining
from mercer.learners.spectral._diffusion import (
    Bandwidth,
    choose_bandwidth,
    row_sums,
    scaled,
    spectrum,
)
from mercer.learners.spectral._diffusion_walk import DiffusionWalk, JoinedPoints
from mercer.learners.spectral._eigen import fixed_signs
from mercer.learners.spectral._neighbours import nearest, tree_order
from mercer.learners.spectral._rules import SPECTRAL_RULES, or_word

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class DiffusionFitted(Fitted):
    """The walk, and the rows after so many steps of it."""

    walk: DiffusionWalk
    t: float
    embedding: Floats


class DiffusionMap(EmbedsTraining, Learner):
    """Diffusion map with a sparse Gaussian kernel exp(−‖x−y‖²/σ).

    Parameters
    ----------
    n_components : int or "gap", default=2
        Coordinates; "gap" stops where λᵗ falls most, among at most ten.
    t : float, default=1
        Steps of the walk: the larger, the coarser the structure that is left.
    length_scale : float or "auto", default="auto"
        ℓ of the kernel exp(−‖x−y‖²/(2ℓ²)); the texts' σ is 2ℓ². "auto" takes the one at which the
        sum of all kernel values grows fastest; ``bandwidth_.reason`` says what was found.
    density_exponent : float in [0, 1], default=1.0
        The texts' α, how much of the sampling density is divided out: 0 the plain random walk, ½
        the Langevin diffusion of the density, 1 the Laplace–Beltrami operator of the surface alone.
    cutoff : float, default=9.0
        Kernel values are dropped where ‖x−y‖² > cutoff·2ℓ²; the graph then joins points closer than
        √(2·cutoff)·ℓ.
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
    length_scale_ : float
    bandwidth_ : Bandwidth
        How σ = 2ℓ² was chosen.
    kernel_matrix_ : csr_matrix
        After the division by the density, put together when it is asked for.
    """

    _state_version: ClassVar[int] = 2
    _rules: ClassVar[dict[str, Rule]] = SPECTRAL_RULES | {
        "n_components": or_word("gap", positive_whole),
        "n_neighbors": none_or(positive_whole),
    }
    _door: ClassVar[Door] = Door(sparse=False, dtype=np.float64, least=3)
    fitted_: DiffusionFitted

    def __init__(
        self,
        n_components: Any = 2,
        *,
        t: float = 1.0,
        length_scale: Any = "auto",
        density_exponent: float = 1.0,
        cutoff: float = 9.0,
        n_neighbors: int | None = None,
        variable: bool = False,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.t = t
        self.length_scale = length_scale
        self.density_exponent = density_exponent
        self.cutoff = cutoff
        self.n_neighbors = n_neighbors
        self.variable = variable
        self.random_state = random_state

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [cls(2), cls(2, n_neighbors=8)]

    def _train(self, sample: TrainingSample) -> DiffusionFitted:
        if self.n_components != "gap" and not self.n_components < sample.n:
            raise ValueError(f"n_components={self.n_components} needs 1 <= it < {sample.n} rows")
        walk = self._walk(sample.X, np.ones(sample.n))
        return DiffusionFitted(
            **rows_of(sample),
            walk=walk,
            t=float(self.t),
            embedding=walk.eigenvectors * powers(walk.eigenvalues, self.t),
        )

    def _walk(self, X: Floats, mass: Floats) -> DiffusionWalk:
        """The walk on these points, each standing for so many rows."""
        joined = self._joined(X)
        points, order = joined.points, tree_order(X)  # neighbours side by side: faster products
        local, massed = joined.local[order], mass[order]
        K = joined.values(joined.pairs(points[order]), local, local)
        scale = massed * np.asarray(K @ massed) ** -self.density_exponent
        ordered = scaled(K, scale, scale)
        degree = row_sums(ordered)
        many = 10 if self.n_components == "gap" else int(self.n_components)
        k, seed = min(many + 1, len(X)), seed_of(self.random_state)
        values, vectors = spectrum(ordered, degree, k, points=points[order], seed=seed)
        values, vectors = values[1:], fixed_signs(_put_back(vectors, order)[:, 1:])
        keep = _gap(values, self.t) if self.n_components == "gap" else many
        return DiffusionWalk(
            joined=joined,
            mass=mass,
            order=order,
            ordered=ordered,
            scale=_put_back(scale, order),
            degree=_put_back(degree, order),
            eigenvalues=values[:keep],
            eigenvectors=vectors[:, :keep],
        )

    def _joined(self, X: Floats) -> JoinedPoints:
        local = _local_scales(X) if self.variable else np.ones(len(X))
        if self.length_scale == "auto":
            bandwidth = choose_bandwidth(X, local, seed=seed_of(self.random_state))
        else:
            bandwidth = Bandwidth(
                2.0 * float(self.length_scale) ** 2, "given", np.zeros(0), np.zeros(0)
            )
        nearby = None if self.n_neighbors is None else int(self.n_neighbors)
        return JoinedPoints(X, local, bandwidth, float(self.cutoff), nearby, bool(self.variable))

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        assert isinstance(fitted, DiffusionFitted)
        walk = fitted.walk
        self.embedding_, self.stationary_ = fitted.embedding, walk.degree / walk.degree.sum()
        self.eigenvalues_, self.eigenvectors_ = walk.eigenvalues, walk.eigenvectors
        self.bandwidth_ = walk.joined.bandwidth
        self.length_scale_ = self.bandwidth_.length_scale
        self._n_features_out = len(walk.eigenvalues)

    @property
    def kernel_matrix_(self) -> sparse.csr_matrix:
        """Kernel values after the division by the density, sparse, in the order of the rows."""
        check_is_fitted(self)
        walk = self.fitted_.walk
        back = np.argsort(walk.order)
        return walk.ordered[back][:, back]

    def _outputs(self, X: Floats) -> Floats:
        """Coordinates of rows: one step of the walk onto the training rows (Nyström)."""
        fitted = self.fitted_
        return fitted.walk.extended(X) * powers(fitted.walk.eigenvalues, fitted.t)

    def diffusion_distances(self, rows: Any = None, *, exact: bool = False) -> Floats:
        """Distances after t steps between the given training rows (default: all).

        ``exact=True`` compares rows of the t-th power of the transition matrix (small data, whole
        t); otherwise it is the distance of the embedded rows, which leaves out what small
        eigenvalues contribute.
        """
        check_is_fitted(self)
        walk, t = self.fitted_.walk, self.fitted_.t
        count = len(walk.mass) if exact else len(self.embedding_)
        index = np.arange(count) if rows is None else np.asarray(rows)
        if not exact:
            points = self.embedding_[index]
            return np.linalg.norm(points[:, None] - points[None], axis=2)
        if t != int(t):
            raise ValueError("the exact distance needs a whole number of steps")
        step = (sparse.diags_array(1.0 / walk.degree) @ self.kernel_matrix_).toarray()
        rows_t = np.linalg.matrix_power(step, int(t))[index] / np.sqrt(self.stationary_)
        squares = np.sum(rows_t**2, axis=1)
        gaps = squares[:, None] + squares[None] - 2.0 * rows_t @ rows_t.T
        return np.sqrt(np.maximum(gaps, 0.0))

    def generator(self, f: Any) -> Floats:
        """(P − I)f/σ at the training rows: a quarter of Δf + (2−2α)∇f·∇q/q as σ → 0."""
        check_is_fitted(self)
        f = np.asarray(f, dtype=float)
        return (
            np.asarray(self.kernel_matrix_ @ f) / self.fitted_.walk.degree - f
        ) / self.bandwidth_.sigma


def powers(eigenvalues: Floats, t: float) -> Floats:
    """λᵗ."""
    if t != int(t) and eigenvalues.min() < 0:
        raise ValueError("a fractional t needs eigenvalues that are not negative; use whole t")
    return eigenvalues**t


def _put_back(values: Floats, order: Any) -> Floats:
    """Entries or rows that stand in ``order``, at their places."""
    found = np.empty_like(values)
    found[order] = values
    return found


def _local_scales(X: Floats) -> Floats:
    lengths = np.sqrt(nearest(X, min(8, len(X) - 1))[0][:, -1])
    floor = float(np.median(lengths[lengths > 0])) if (lengths > 0).any() else 1.0
    return np.where(lengths > 0, lengths, floor)


def _gap(values: Floats, t: float) -> int:
    sizes = np.abs(values) ** max(t, 1e-12)
    return int(np.argmax(sizes[:-1] - sizes[1:])) + 1 if len(sizes) > 1 else 1
