"""Similarities of rows for spectral methods: a kernel, a neighbourhood graph, or given."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS, pairwise_kernels
from sklearn.neighbors import NearestNeighbors

from mercer._types import Samples
from mercer.kernels import SKLEARN_KERNELS, Kernel
from mercer.kernels.resolve import kernel_meant
from mercer.kernels.structured.precomputed import Precomputed
from mercer.kernels.vectors.gaussian import Gaussian
from mercer.learners._door import Kind, TrainingSample
from mercer.learners._parameters import Rule
from mercer.learners.spectral._compared import METRIC, Compared, compared, meant
from mercer.learners.spectral._pieces import FELT, bridges, with_edges
from mercer.learners.spectral.graphs import KINDS as GRAPHS
from mercer.learners.spectral.graphs import neighbor_graph
from mercer.learners.spectral.laplacians import check_similarity

Floats = NDArray[np.float64]
NEIGHBOURS = "nearest_neighbors"  # scikit-learn's graph: a row is among its own neighbours
GIVEN = ("precomputed", "precomputed_nearest_neighbors")
NAMES = (*GRAPHS, NEIGHBOURS, *GIVEN, "kernel")
AFFINITY: Rule = (
    lambda v: (
        callable(v)
        or (isinstance(v, str) and v in (*NAMES, *SKLEARN_KERNELS, *PAIRWISE_KERNEL_FUNCTIONS))
    ),
    f"one of {NAMES}, a name of a kernel, a mercer Kernel or a function",
)
OWN_KERNEL: Rule = (
    lambda v: v is None or isinstance(v, Kernel) or (isinstance(v, str) and v == "precomputed"),
    "a mercer Kernel, 'precomputed' or None",
)


def neighbor_scale(X: Any, k: int = 7, *, metric: Any = "euclidean") -> float:
    """Median distance to the k-th neighbour: the bandwidth used when none is given."""
    rows = compared(X, metric)
    lengths = np.sqrt(rows.nearest(min(k, rows.n - 1))[0][:, -1]) if rows.n > 1 else np.zeros(1)
    positive = lengths[lengths > 0]
    return float(np.median(positive)) if len(positive) else 1.0


@dataclass(frozen=True)
class Similarities:
    """What makes two rows similar, and the training rows that new ones are compared with.

    ``rows`` are `Compared` for neighbour graphs and Gaussians of a distance, what the kernel takes
    for kernels, and the matrix where similarities are given.
    """

    _state_version: ClassVar[int] = 2
    affinity: Any  # a word, or scikit-learn's function of two rows
    kernel: Kernel | None  # with numbers
    n_neighbors: int
    radius: float | None
    rows: Any
    gamma: float = 1.0
    params: dict[str, Any] = field(default_factory=dict)

    @property
    def is_graph(self) -> bool:
        """Whether neighbours are joined."""
        return isinstance(self.affinity, str) and self.affinity in (*GRAPHS, NEIGHBOURS)

    @property
    def raw(self) -> Any:
        """The rows as they came, unless all that came was a matrix of pairs."""
        if isinstance(self.rows, Compared):
            return None if self.rows.given else self.rows.rows
        given = isinstance(self.affinity, str) and self.affinity in GIVEN
        return None if given or isinstance(self.kernel, Precomputed) else self.rows

    def matrix(self) -> Any:
        """Of the training rows."""
        if self.is_graph:
            return self._graph()
        if self.affinity == GIVEN[1]:
            return _halves(self._near(self.rows))
        if isinstance(self.rows, Compared):
            return np.exp(-self.gamma * self.rows.matrix**2)
        if self.affinity == GIVEN[0]:
            return check_similarity(self.rows)
        if self.kernel is not None:
            return check_similarity(self.kernel(self.rows))
        return check_similarity(self._pairs(self.rows, None))

    def to_training(self, X: Any) -> Any:
        """Between new rows and the training rows."""
        if self.is_graph:
            return self._neighbours_of(X)
        if self.affinity == GIVEN[1]:
            return self._near(X)
        if isinstance(self.rows, Compared):
            return np.exp(-self.gamma * self.rows.to(X) ** 2)
        if self.affinity == GIVEN[0] or isinstance(self.kernel, Precomputed):
            return X
        if self.kernel is not None:
            return np.asarray(self.kernel(X, self.rows), dtype=float)
        return self._pairs(X, self.rows)

    def nearest_row(self, X: Any, K: Any) -> NDArray[Any]:
        """The nearest training row; the most similar where distances are not known."""
        if isinstance(self.rows, Compared):
            return self.rows.nearest(1, X)[1].ravel()
        vectors = self.raw is not None and np.ndim(self.rows) == 2
        if not vectors:
            return np.asarray(K.argmax(axis=1)).ravel()
        return Compared(self.rows).nearest(1, X)[1].ravel()

    def connected(self, K: ArrayLike, labels: ArrayLike) -> tuple[Similarities, Any]:
        """Pieces joined by their closest pairs, or Gaussians of a distance made wide enough."""
        if not self.is_graph and self.affinity != "rbf":
            raise ValueError(
                "a kernel that is given cannot be made wider to connect the pieces: take another, "
                "a graph of neighbours, or disconnected='largest' or 'warn'"
            )
        rows = self.rows if isinstance(self.rows, Compared) else Compared(self.rows)
        one, other, squares = bridges(rows, labels)
        if self.is_graph:
            return self, with_edges(K, one, other, np.ones(len(squares)))
        gamma = min(self.gamma, FELT / float(squares.max()))
        kernel = None if self.kernel is None else Gaussian(float(np.sqrt(0.5 / gamma)))
        wider = replace(self, gamma=gamma, kernel=kernel)
        return wider, wider.matrix()

    def _graph(self) -> Any:
        rows = self.rows
        if self.affinity == NEIGHBOURS:
            k = min(self.n_neighbors, rows.n)
            places = rows.nearest_of(np.arange(rows.n), k)[1]
            return _halves(_ones(places, rows.n))
        k = min(self.n_neighbors, rows.n - 1)
        return neighbor_graph(
            rows, self.affinity, n_neighbors=k, radius=self.radius, weights="unit"
        )

    def _neighbours_of(self, X: Any) -> Any:
        if self.affinity == "radius":
            assert self.radius is not None
            graph = self.rows.within(self.radius, X)
            graph.data[:] = 1.0
            return graph
        n = X.shape[1] if self.rows.given else self.rows.n
        return _ones(self.rows.nearest(min(self.n_neighbors, n), X)[1], n)

    def _near(self, distances: ArrayLike) -> Any:
        n = self.rows.shape[0]
        search = NearestNeighbors(n_neighbors=min(self.n_neighbors, n), metric="precomputed")
        return search.fit(self.rows).kneighbors_graph(distances, mode="connectivity")

    def _pairs(self, X: Any, Y: Any) -> Floats:
        return np.asarray(
            pairwise_kernels(X, Y, metric=self.affinity, filter_params=True, **self.params)
        )

    def stored(self) -> Similarities:
        """What new rows need."""
        return replace(self, rows=self.rows.stored()) if isinstance(self.rows, Compared) else self


def _ones(places: Any, n: int) -> sparse.csr_matrix:
    start = np.arange(0, places.size + 1, places.shape[1])
    return sparse.csr_matrix((np.ones(places.size), places.ravel(), start), (len(places), n))


def _halves(graph: Any) -> sparse.csr_matrix:
    return sparse.csr_matrix(0.5 * (graph + graph.T))


class HasAffinity:
    """Mixin: ``affinity``, ``kernel`` and ``metric`` say what makes rows similar.

    A kernel that is given takes the place of ``affinity``. ``metric`` is the distance that graphs
    of neighbours and Gaussians ("rbf", or "kernel" without a kernel) are made of.
    """

    affinity: Any
    kernel: Any
    metric: Any
    n_neighbors: Any
    _rules: ClassVar[dict[str, Rule]] = {
        "affinity": AFFINITY,
        "kernel": OWN_KERNEL,
        "metric": METRIC,
    }
    _matrices: ClassVar[float]

    def _held(self, sample: TrainingSample) -> float:
        """Graphs of neighbours are sparse."""
        graph = isinstance(self.affinity, str) and self.affinity in (*GRAPHS, NEIGHBOURS)
        few = self.kernel is None and (graph or sparse.issparse(sample.X))
        return 0.0 if few else self._matrices

    def _query(self, X: Samples) -> Any:
        """Of given similarities, those to the rows that were trained on."""
        rows, fitted = super()._query(X), self.fitted_  # type: ignore[misc,attr-defined]
        given = fitted.kind is Kind.SIMILARITY and fitted.kept is not None
        return rows[:, fitted.kept] if given else rows

    def _weighable(self, similar: Similarities, weight: Floats) -> Floats | None:
        """The weights, if they differ; only kernels can take them."""
        if np.all(weight == 1.0):
            return None
        if similar.is_graph or similar.affinity == GIVEN[1]:
            raise ValueError(
                f"affinity={self.affinity!r} joins rows to a number of neighbours, and these are "
                "counted, not weighed: sample_weight needs a kernel, such as affinity='rbf'"
            )
        return weight

    def _own_kernel(self) -> Any:
        """The kernel object or "precomputed", if one is given."""
        return self.affinity if isinstance(self.affinity, Kernel) else self.kernel

    def _says_kind(self) -> Any:
        kernel = self._own_kernel()
        if kernel is not None:
            return "precomputed" if isinstance(kernel, str) else kernel
        if isinstance(self.affinity, str) and self.affinity in GIVEN:
            return "precomputed"
        return _told(self.metric) if self._of_distances() else self.affinity

    def _of_distances(self) -> bool:
        word = self.affinity if isinstance(self.affinity, str) else ""
        return word in (*GRAPHS, NEIGHBOURS, "rbf", "kernel")

    def _similar(self, X: Samples, kind: Kind) -> Similarities:
        """As the arguments mean it on these rows."""
        kernel, radius = self._own_kernel(), getattr(self, "radius", None)
        k = 10 if self.n_neighbors is None else int(self.n_neighbors)
        if kind is Kind.SIMILARITY:
            word = self.affinity if self.affinity == GIVEN[1] and kernel is None else GIVEN[0]
            return Similarities(word, None, k, radius, X)
        if kernel is not None:
            return Similarities("kernel", kernel_meant(kernel, X).kernel, k, radius, X)
        if self._of_distances():
            return self._of_distance(Compared.on(X, self.metric, kind), k, radius)
        params = {
            "gamma": self._gamma(X),
            "degree": getattr(self, "degree", 3),
            "coef0": getattr(self, "coef0", 1),
        }
        if self.affinity in SKLEARN_KERNELS and params["gamma"] is not None:
            found = kernel_meant(self.affinity, X, **params).kernel
            return Similarities("kernel", found, k, radius, X)
        if callable(self.affinity):
            params = dict(getattr(self, "kernel_params", None) or {})
        return Similarities(self.affinity, None, k, radius, X, params=params)

    def _of_distance(self, rows: Compared, k: int, radius: Any) -> Similarities:
        if self.affinity in (*GRAPHS, NEIGHBOURS):
            return Similarities(self.affinity, None, k, radius, rows)
        gamma = self._gamma(rows.rows)
        if self.affinity == "kernel" or gamma is None:  # as wide as the neighbourhoods
            gamma = 0.5 / neighbor_scale(rows) ** 2
        if rows.plain:
            kernel = Gaussian(float(np.sqrt(0.5 / gamma)))
            return Similarities("rbf", kernel, k, radius, rows.rows, gamma=float(gamma))
        return Similarities("rbf", None, k, radius, rows, gamma=float(gamma))

    def _gamma(self, X: Samples) -> Any:
        return getattr(self, "gamma", None)


def _told(metric: Any) -> Any:
    """The metric as the door wants it: given distances are no given similarities."""
    try:
        found = meant(metric)
    except ValueError:  # ``fit`` will tell
        return metric
    if isinstance(found, str) and found == "precomputed":
        from mercer.metrics import PrecomputedDistances

        return PrecomputedDistances()
    return found
