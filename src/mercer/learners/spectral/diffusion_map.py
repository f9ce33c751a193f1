"""Diffusion maps: coordinates in which a random walk on the data makes straight steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from mercer._random import seed_of
from mercer.kernels.structured.precomputed import Precomputed
from mercer.learners._door import Door, Kind, TrainingSample
from mercer.learners._fitted import Fitted, rows_of
from mercer.learners._learner import Learner
from mercer.learners._parameters import Rule, none_or, positive_whole
from mercer.learners._reasons import ONE_SOLVE
from mercer.learners._unlabelled import EmbedsTraining, UnlabelledWeighted
from mercer.learners.spectral._affinity import OWN_KERNEL
from mercer.learners.spectral._compared import Compared, ComparesRows
from mercer.learners.spectral._diffusion import row_sums, scaled, spectrum
from mercer.learners.spectral._diffusion_walk import DiffusionWalk, JoinedPoints, KernelPoints
from mercer.learners.spectral._eigen import fixed_signs
from mercer.learners.spectral._pieces import (
    Connectivity,
    bridges,
    felt_connectivity,
    refuse_pieces,
    warn_of_pieces,
)
from mercer.learners.spectral._rules import SPECTRAL_RULES, or_word

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class DiffusionFitted(Fitted):
    """The walk, and the rows after so many steps of it."""

    walk: DiffusionWalk
    t: float
    embedding: Floats | None  # None if rows were read in parts


class DiffusionMap(UnlabelledWeighted, EmbedsTraining, ComparesRows, Learner):
    """Diffusion map with a sparse Gaussian kernel exp(−d(x, y)²/σ), or with a kernel of one's own.

    Weights count rows in the density and in the walk, for a given width or kernel exactly as copies
    would; a width that is chosen, and neighbours, look at the rows without them.

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
    metric : str, callable, Metric or Kernel, default="euclidean"
        The distance d: scikit-learn's names, a function of two objects or a
        `mercer.metrics.Metric` (strings, sequences, graphs too), a `mercer.kernels.Kernel` for the
        distance in its feature space, or "precomputed" for a symmetric matrix of distances.
    kernel : Kernel, "precomputed" or None, default=None
        Similarities to walk on instead of a Gaussian of the distance; not negative.
    disconnected : {"connect", "largest", "warn", "error"}, default="connect"
        What to do with a graph in several pieces, on each of which a coordinate would be constant:
        let rows far from others have wider kernels (as ``variable``, if the width is "auto"), and
        raise the width until the pieces hang together; embed the largest and give the rest NaN;
        leave them apart; or refuse. All but the last warn.
    random_state : …

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        λᵗψ at the training rows.
    connectivity_ : Connectivity
        Of the graph that the width gave at first, before anything was done about its pieces.
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

    lacks: ClassVar[Mapping[str, str]] = ONE_SOLVE
    _matrices: ClassVar[float] = 1.9
    _state_version: ClassVar[int] = 3
    _rules: ClassVar[dict[str, Rule]] = (
        SPECTRAL_RULES
        | ComparesRows._rules
        | {
            "n_components": or_word("gap", positive_whole),
            "n_neighbors": none_or(positive_whole),
            "kernel": OWN_KERNEL,
        }
    )
    _door: ClassVar[Door] = Door(asks="metric", dtype=np.float64, weights="drop", least=3)
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
        metric: Any = "euclidean",
        kernel: Any = None,
        disconnected: str = "connect",
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.t = t
        self.length_scale = length_scale
        self.density_exponent = density_exponent
        self.cutoff = cutoff
        self.n_neighbors = n_neighbors
        self.variable = variable
        self.metric = metric
        self.kernel = kernel
        self.disconnected = disconnected
        self.random_state = random_state

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [cls(2, random_state=0), cls(2, n_neighbors=8, random_state=0)]

    def _says_kind(self) -> Any:
        if self.kernel is None:
            return super()._says_kind()
        return Precomputed() if isinstance(self.kernel, str) else self.kernel

    def _held(self, sample: TrainingSample) -> float:
        return self._matrices if self.n_neighbors is None else 0.0

    def _train(self, sample: TrainingSample) -> DiffusionFitted:
        if self.n_components != "gap" and not self.n_components < sample.n:
            raise ValueError(f"n_components={self.n_components} needs 1 <= it < {sample.n} rows")
        walk, inside = self._walk(self._points(sample), sample.weight)
        places = walk.eigenvectors * powers(walk.eigenvalues, self.t)
        if len(inside) < sample.n:
            every = np.full((sample.n, places.shape[1]), np.nan)
            every[inside] = places
            places = every
        return DiffusionFitted(**rows_of(sample), walk=walk, t=float(self.t), embedding=places)

    def _points(self, sample: TrainingSample) -> Any:
        """What the walk goes between: rows and their distances, or a kernel on them."""
        if self.kernel is not None:
            points = KernelPoints.on(self.kernel, sample.X, sample.kind is Kind.GRAM)
            return replace(points, kept=sample.kept) if sample.kind is Kind.GRAM else points
        return self._compared(sample)

    def _joined(self, rows: Compared, variable: bool | None = None) -> JoinedPoints:
        return JoinedPoints.on(
            rows,
            self.length_scale,
            self.cutoff,
            None if self.n_neighbors is None else int(self.n_neighbors),
            bool(self.variable) if variable is None else variable,
            seed_of(self.random_state),
        )

    def _walk(self, points: Any, mass: Floats) -> tuple[DiffusionWalk, NDArray[Any]]:
        """The walk on these points, each standing for so many rows, and the points it reaches."""
        order = points.order()  # neighbours side by side: faster products
        joined = points if isinstance(points, KernelPoints) else self._joined(points)
        K = joined.matrix(order)
        found = felt_connectivity(K)
        pieces = replace(
            found, labels=_put_back(found.labels, order), isolated=np.sort(order[found.isolated])
        )
        inside = np.arange(len(mass))
        if not found.connected:
            joined, K, inside = self._in_one_piece(joined, K, order, found)
            order = np.argsort(np.argsort(order[np.isin(order, inside)]))
            mass = mass[inside]
        return self._slow(joined, K, order, mass, pieces), inside

    def _in_one_piece(
        self, joined: Any, K: sparse.csr_matrix, order: Any, found: Connectivity
    ) -> tuple[Any, sparse.csr_matrix, NDArray[Any]]:
        """What ``disconnected`` says about a graph in pieces: points, kernel values, who is in."""
        every = np.arange(len(order))
        if self.disconnected == "error":
            refuse_pieces(found)
        if self.disconnected == "warn":
            told = "Coordinates of eigenvalue 1 do nothing but tell them apart."
            warn_of_pieces(found, told)
            return joined, K, every
        if self.disconnected == "largest":
            warn_of_pieces(found, "The largest is embedded, the others get NaN.")
            places = found.largest
            inside = np.sort(order[places])
            return joined.taken(inside), K[places][:, places], inside
        if isinstance(joined, KernelPoints):
            raise ValueError(
                f"{found.words()} A kernel that is given cannot be made wider: take another, or "
                "disconnected='largest' or 'warn'."
            )
        joined, K, how = self._connected(joined, K, order, found)
        warn_of_pieces(found, f"They are connected by {how}.")
        return joined, K, every

    def _connected(
        self, joined: JoinedPoints, K: sparse.csr_matrix, order: Any, found: Connectivity
    ) -> tuple[JoinedPoints, sparse.csr_matrix, str]:
        """Wider kernels where they are needed, then everywhere."""
        how = ""
        if self.length_scale == "auto" and not joined.variable:
            joined = self._joined(joined.points, variable=True)
            K, how = joined.matrix(order), "kernels as wide as each point's distance to its eighth"
            found = felt_connectivity(K)
        if not found.connected:
            ends = bridges(joined.points.taken(order), found.labels)
            ends = order[ends[0]], order[ends[1]], ends[2]
            joined = joined.widened(ends)
            K = joined.matrix(order, ends)
            how += f"{' and ' if how else ''}a length scale of {joined.bandwidth.length_scale:.3g}"
        return joined, K, how

    def _slow(
        self, joined: Any, K: sparse.csr_matrix, order: Any, mass: Floats, found: Connectivity
    ) -> DiffusionWalk:
        """The slow modes of the walk with these kernel values, which stand in ``order``."""
        massed = mass[order]
        scale = massed * np.asarray(K @ massed) ** -self.density_exponent
        ordered = scaled(K, scale, scale)
        degree = row_sums(ordered)
        many = 10 if self.n_components == "gap" else int(self.n_components)
        k = min(many + 1, len(mass))
        values, vectors = spectrum(
            ordered, degree, k, points=joined.smooth(order), seed=seed_of(self.random_state)
        )
        values, vectors = values[1:], fixed_signs(_put_back(vectors, order)[:, 1:])
        keep = _gap(values, self.t) if self.n_components == "gap" else many
        return DiffusionWalk(
            joined=joined.stored(),
            mass=mass,
            order=order,
            ordered=ordered,
            scale=_put_back(scale, order),
            degree=_put_back(degree, order),
            eigenvalues=values[:keep],
            eigenvectors=vectors[:, :keep],
            connectivity=found,
        )

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        assert isinstance(fitted, DiffusionFitted)
        walk = fitted.walk
        if fitted.embedding is not None:
            self.embedding_ = fitted.embedding
        self.stationary_ = walk.degree / walk.degree.sum()
        self.eigenvalues_, self.eigenvectors_ = walk.eigenvalues, walk.eigenvectors
        self.bandwidth_ = walk.joined.bandwidth
        self.length_scale_ = self.bandwidth_.length_scale
        self.connectivity_ = walk.connectivity
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


def _put_back(values: NDArray[Any], order: Any) -> NDArray[Any]:
    """Entries or rows that stand in ``order``, at their places."""
    found = np.empty_like(values)
    found[order] = values
    return found


def _gap(values: Floats, t: float) -> int:
    sizes = np.abs(values) ** max(t, 1e-12)
    return int(np.argmax(sizes[:-1] - sizes[1:])) + 1 if len(sizes) > 1 else 1
