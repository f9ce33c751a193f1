"""Locally linear embedding: the weights that rebuild a row from its neighbours also place it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import eigh
from scipy.sparse.linalg import eigsh

from mercer._random import seed_of
from mercer._types import RandomState, Samples
from mercer.learners._door import TrainingSample
from mercer.learners._fitted import Fitted, rows_of
from mercer.learners._learner import Learner
from mercer.learners._parameters import Rule, non_negative, one_of, positive_whole
from mercer.learners._reasons import COUNTED, ONE_SOLVE
from mercer.learners._unlabelled import EmbedsTraining
from mercer.learners.spectral import _local_weights as local
from mercer.learners.spectral._compared import Compared, ComparesRows
from mercer.learners.spectral._eigen import fixed_signs
from mercer.learners.spectral._pieces import (
    Connectivity,
    connectivity,
    refuse_pieces,
    warn_of_pieces,
)
from mercer.learners.spectral._rules import SPECTRAL_RULES

Floats = NDArray[np.float64]
METHODS = ("standard", "modified", "hessian", "ltsa")
_DENSE = 1000
_LOCAL = 1e-12  # of the largest eigenvalue: below, a coordinate costs nothing


@dataclass(frozen=True, kw_only=True)
class LocallyLinearFitted(Fitted):
    """Rows that have places, and how new ones are rebuilt from them."""

    rows: Compared
    inside: NDArray[np.intp]
    embedding: Floats
    error: float
    n_neighbors: int
    reg: float
    pieces: Connectivity


class LocallyLinearEmbedding(EmbedsTraining, ComparesRows, Learner):
    """Locally linear embedding and its relatives, of anything whose rows can be compared.

    All that is used of a neighbourhood are inner products, which distances give: rows may be
    vectors, strings, sequences or graphs, distances or kernel values.

    Parameters
    ----------
    n_components : int, default=2
        Number of coordinates.
    n_neighbors : int, default=5
        Neighbours that each row is rebuilt from.
    reg : float, default=1e-3
        Ridge of the local weights, times the trace of the local inner products.
    method : {"standard", "modified", "hessian", "ltsa"}, default="standard"
        Weights of neighbours (Roweis and Saul), several of them per row (Zhang and Wang), second
        derivatives (Donoho and Grimes; needs
        ``n_neighbors > n_components·(n_components + 3)/2``), or alignment of local tangent spaces
        (Zhang and Zha). The last two take a row itself among its neighbours, as these authors do:
        without it every row that is no other's neighbour, of which tables of many columns have
        some, is free to go anywhere, and takes a coordinate for itself while all others coincide.
    hessian_tol : float, default=1e-4
        Sums of second-derivative weights below it are not divided by.
    modified_tol : float, default=1e-12
        Weights of "modified" are not reflected where they have the same sum but for so much.
    metric : str, callable, Metric or Kernel, default="euclidean"
        scikit-learn's names, a function of two objects or a `mercer.metrics.Metric`, a
        `mercer.kernels.Kernel` for the distance in its feature space, or "precomputed".
    disconnected : {"connect", "largest", "warn", "error"}, default="connect"
        What to do if neighbourhoods fall into pieces, which nothing places against each other:
        take more neighbours until they hang together, embed the largest and give the rest NaN,
        leave them apart, or refuse. All but the last warn.
    eigen_solver : {"auto", "dense", "arpack"}, default="auto"
        All eigenvectors, or inverse iteration.
    tol : float, default=1e-6
        Accuracy of the inverse iteration.
    max_iter : int, default=100
        Its most restarts.
    random_state : int, generator or None, default=None
        Its start.
    neighbors_algorithm, n_jobs
        As in :class:`mercer.Isomap`.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
    reconstruction_error_ : float
        Sum of the eigenvalues that belong to it.
    n_neighbors_ : int
        How many were used in the end.
    connectivity_ : Connectivity
        Of the neighbourhoods before anything was done about their pieces.
    """

    lacks: ClassVar[Mapping[str, str]] = ONE_SOLVE | COUNTED
    _matrices: ClassVar[float] = 1.6
    _rules: ClassVar[dict[str, Rule]] = (
        SPECTRAL_RULES
        | ComparesRows._rules
        | {
            "method": one_of(*METHODS),
            "reg": non_negative,
            "hessian_tol": non_negative,
            "modified_tol": non_negative,
            "eigen_solver": one_of("auto", "dense", "arpack"),
            "tol": non_negative,
            "max_iter": positive_whole,
            "neighbors_algorithm": one_of("auto", "brute", "kd_tree", "ball_tree"),
        }
    )
    fitted_: LocallyLinearFitted

    def __init__(
        self,
        *,
        n_neighbors: int = 5,
        n_components: int = 2,
        reg: float = 1e-3,
        method: str = "standard",
        hessian_tol: float = 1e-4,
        modified_tol: float = 1e-12,
        metric: Any = "euclidean",
        disconnected: str = "connect",
        eigen_solver: str = "auto",
        tol: float = 1e-6,
        max_iter: int = 100,
        random_state: RandomState = None,
        neighbors_algorithm: str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.reg = reg
        self.method = method
        self.hessian_tol = hessian_tol
        self.modified_tol = modified_tol
        self.metric = metric
        self.disconnected = disconnected
        self.eigen_solver = eigen_solver
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.neighbors_algorithm = neighbors_algorithm
        self.n_jobs = n_jobs

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [cls(n_neighbors=6), cls(n_neighbors=8, method="ltsa"), cls(method="modified")]

    def _train(self, sample: TrainingSample) -> LocallyLinearFitted:
        rows, d = self._compared(sample), int(self.n_components)
        if not d < sample.n:
            raise ValueError(f"n_components={d} needs 1 <= it < {sample.n} rows")
        rows, inside, k, found = self._neighbourhoods(rows)
        self._check_size(k, d, rows.n)
        squares, places = rows.nearest(k)
        if self.method != "standard":  # a row that is nobody's neighbour would be tied to nothing
            squares = np.column_stack([np.zeros(rows.n), squares])
            places = np.column_stack([np.arange(rows.n, dtype=places.dtype), places])
        grams = local.local_grams(rows, places, squares=squares)
        if self.method == "standard":
            M = local.standard(local.barycentric(grams, self.reg), places, rows.n)
        elif self.method == "ltsa":
            M = local.aligned(grams, places, rows.n, d)
        elif self.method == "modified":
            M = local.modified(grams[:, 1:, 1:], places, rows.n, d, self.modified_tol)
        else:
            M = local.hessian(grams, places, rows.n, d, self.hessian_tol)
        values, vectors = self._smallest(M, d)
        embedding = np.full((sample.n, d), np.nan)
        embedding[inside] = vectors
        return LocallyLinearFitted(
            **rows_of(sample),
            rows=rows,  # given distances too: those among neighbours place new rows
            inside=inside,
            embedding=embedding,
            error=float(values.sum()),
            n_neighbors=k,
            reg=float(self.reg),
            pieces=found,
        )

    def _check_size(self, k: int, d: int, n: int) -> None:
        least = {"hessian": d * (d + 3) // 2, "ltsa": d, "modified": d - 1}.get(self.method, 0)
        if k <= least:
            raise ValueError(
                f"method={self.method!r} in {d} coordinates needs more than {least} neighbours of "
                f"each row, there are {k} (of {n} rows)"
            )

    def _neighbourhoods(self, rows: Compared) -> tuple[Compared, Any, int, Connectivity]:
        """The rows to embed and how many neighbours they have, as ``disconnected`` says."""
        k, every = min(int(self.n_neighbors), rows.n - 1), np.arange(rows.n)
        found = connectivity(_with_zeros(rows.joined(k)))
        if found.connected:
            return rows, every, k, found
        if self.disconnected == "error":
            refuse_pieces(found)
        if self.disconnected == "warn":
            warn_of_pieces(found, "Nothing places them against each other.")
            return rows, every, k, found
        if self.disconnected == "largest":
            warn_of_pieces(found, "The largest is embedded, the others get NaN.")
            inside = found.largest
            return rows.taken(inside), inside, min(k, len(inside) - 1), found
        while k < rows.n - 1 and not connectivity(_with_zeros(rows.joined(k))).connected:
            k = min(rows.n - 1, k + max(1, k // 4))
        warn_of_pieces(found, f"They hang together by {k} neighbours, not {self.n_neighbors}.")
        return rows, every, k, found

    def _smallest(self, M: sparse.csr_matrix, d: int) -> tuple[Floats, Floats]:
        """The d eigenvectors after the constant one."""
        n = M.shape[0]
        dense = self.eigen_solver == "dense" or (self.eigen_solver == "auto" and n <= _DENSE)
        if dense or d + 1 >= n:
            A = M.toarray()
            values, vectors = eigh(0.5 * (A + A.T), subset_by_index=(0, d))
        else:
            start = np.random.default_rng(seed_of(self.random_state)).uniform(-1, 1, n)
            shift = -_LOCAL * float(M.diagonal().max())  # M is singular: constants cost nothing
            options = {"sigma": shift, "tol": self.tol, "maxiter": self.max_iter, "v0": start}
            values, vectors = eigsh(M.tocsc(), k=d + 1, **options)
            order = np.argsort(values)
            values, vectors = values[order], vectors[:, order]
        return values[1:], fixed_signs(vectors[:, 1:])

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        assert isinstance(fitted, LocallyLinearFitted)
        self.embedding_, self.reconstruction_error_ = fitted.embedding, fitted.error
        self.n_neighbors_, self.connectivity_ = fitted.n_neighbors, fitted.pieces
        self._n_features_out = fitted.embedding.shape[1]

    def _outputs(self, X: Samples) -> Floats:
        """Places of rows: the same combination of neighbours as rebuilds them."""
        fitted = self.fitted_
        k = min(fitted.n_neighbors, fitted.rows.n)
        squares, places = fitted.rows.nearest(k, X)
        grams = local.local_grams(fitted.rows, places, X, squares)
        weights = local.barycentric(grams, fitted.reg)
        known = fitted.embedding[fitted.inside]
        return np.einsum("ij,ijc->ic", weights, known[places])


def _with_zeros(graph: sparse.csr_matrix) -> sparse.csr_matrix:
    """Joined rows that coincide count as joined."""
    graph.data = np.ones(graph.nnz)
    return graph
