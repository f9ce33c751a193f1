"""Kernels between the nodes of a graph."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import eigh
from scipy.sparse.csgraph import laplacian

from mercer._types import Samples
from mercer.kernels._base import Kernel
from mercer.kernels.validate import real

FORMS = ("diffusion", "regularised")


class Diffusion(Kernel):
    """exp(-β L) or (I + β L)⁻¹ of the graph Laplacian L, between nodes given by their numbers.

    The first is heat after time β (Kondor and Lafferty 2002), the second a sum of it over random
    times. The data are node numbers, so a learner sees the graph and nothing else.

    Parameters
    ----------
    adjacency : array or sparse matrix of shape (n, n)
        Symmetric, weights ≥ 0.
    beta : float
    form : "diffusion" or "regularised"
    normalized_laplacian : bool
        Use D^(-½) L D^(-½).
    """

    _state_version = 1

    accepts = frozenset({"objects"})
    choices = frozenset({"form"})

    def __init__(
        self,
        adjacency: Any,
        beta: float = 1.0,
        form: str = "diffusion",
        normalized_laplacian: bool = False,
    ) -> None:
        self.adjacency = adjacency
        self.beta = beta
        self.form = form
        self.normalized_laplacian = normalized_laplacian

    bounded = True

    def _check(self, X: Samples, name: str = "X") -> None:
        real(self.beta, "Diffusion: beta", low=0)
        if self.form not in FORMS:
            raise ValueError(f"Diffusion: form={self.form!r} is not one of {FORMS}")
        A = self._graph()
        nodes = _nodes(X)
        bad = np.flatnonzero((nodes < 0) | (nodes >= len(A)))
        if len(bad):
            raise ValueError(
                f"Diffusion: {name}[{bad[0]}] is node {nodes[bad[0]]}, but the graph has nodes 0 "
                f"to {len(A) - 1}"
            )

    def _graph(self) -> NDArray[np.float64]:
        A = self.adjacency.toarray() if sparse.issparse(self.adjacency) else self.adjacency
        A = np.asarray(A, dtype=np.float64)
        if A.ndim != 2 or A.shape[0] != A.shape[1]:
            raise ValueError(f"Diffusion: the adjacency matrix must be square, got {A.shape}")
        if A.min(initial=0.0) < 0 or np.max(np.abs(A - A.T), initial=0.0) > 1e-12 * np.abs(A).max():
            raise ValueError("Diffusion: the adjacency matrix must be symmetric and nonnegative")
        return A

    def node_matrix(self) -> NDArray[np.float64]:
        """The kernel of all nodes."""
        values, vectors = eigh(laplacian(self._graph(), normed=self.normalized_laplacian))
        values = np.maximum(values, 0.0)
        heat = np.exp(-self.beta * values)
        kept = heat if self.form == "diffusion" else 1.0 / (1.0 + self.beta * values)
        return (vectors * kept) @ vectors.T

    def _tile(self, X: Samples, Y: Samples) -> NDArray[np.float64]:
        return self.node_matrix()[np.ix_(_nodes(X), _nodes(Y))]

    def _diag(self, X: Samples) -> NDArray[np.float64]:
        return np.diagonal(self.node_matrix())[_nodes(X)].copy()

    @classmethod
    def examples(cls) -> list[Diffusion]:
        """A ring with a chord, both forms."""
        ring = np.roll(np.eye(8), 1, axis=1)
        ring[0, 4] = 0.5
        ring = ring + ring.T
        return [cls(ring, 0.7), cls(ring, 1.5, "regularised", True)]

    @classmethod
    def example_data(cls, n: int, rng: np.random.Generator) -> Any:
        """Node numbers."""
        return rng.integers(8, size=n)


def _nodes(X: Any) -> NDArray[np.intp]:
    try:
        nodes = np.asarray([int(x) for x in np.ravel(X)], dtype=np.intp)
    except (TypeError, ValueError):
        raise ValueError("Diffusion: the data are node numbers, whole numbers from 0") from None
    return nodes
