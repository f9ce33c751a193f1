"""What every learner on a graph does when its graph falls into pieces, in one place."""

from __future__ import annotations

import inspect
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

from mercer.learners.spectral._compared import Compared

Floats = NDArray[np.float64]
POLICIES = ("connect", "largest", "warn", "error")
_OURS = (str(Path(__file__).parents[2]), str(Path(sklearn.__file__).parent))
_TINY = np.finfo(float).tiny
_FAINT = np.exp(-9.0)
FELT = 3.0  # d²/σ of a link that counts: below e⁻³ pieces stay pieces to the eye
_SHOWN = 5  # sizes of pieces that a message lists
_MOST = 64  # neighbours among which bridges are looked for before all rows are asked


class DisconnectedWarning(UserWarning):
    """The graph was not connected, and something had to be done about it."""


@dataclass(frozen=True)
class Connectivity:
    """Whether a graph hangs together, and what to do about it if not."""

    components: int
    labels: NDArray[np.intp]
    sizes: NDArray[np.intp]  # descending
    isolated: NDArray[np.intp]  # points without any neighbour

    @property
    def connected(self) -> bool:
        """One component."""
        return self.components == 1

    @property
    def largest(self) -> NDArray[np.intp]:
        """The points of the largest component."""
        return np.flatnonzero(self.labels == np.bincount(self.labels).argmax())

    def words(self) -> str:
        """How many pieces there are, and of which sizes."""
        if self.connected:
            return "The graph is connected."
        sizes = ", ".join(map(str, self.sizes[:_SHOWN].tolist()))
        more = ", …" if self.components > _SHOWN else ""
        return (
            f"The graph of {self.labels.size} points falls into {self.components} components of "
            f"{sizes}{more} points."
        )

    def advice(self) -> str:
        """In plain words."""
        if self.connected:
            return self.words()
        return (
            f"{self.words()} Nothing is known about how components lie to each other. Take more "
            "neighbours or a larger radius, embed each component by itself, or let them be "
            "connected by their closest pairs (disconnected='connect', bridge_components)."
        )


def connectivity(graph: Any) -> Connectivity:
    """Components of a graph (nonzero entries are edges)."""
    graph = sparse.csr_matrix(graph)
    if not graph.data.all():
        graph = graph.copy()
        graph.eliminate_zeros()
    count, labels = connected_components(graph, directed=False)
    sizes = np.sort(np.bincount(labels))[::-1]
    degree = np.diff(graph.indptr) + np.bincount(graph.indices, minlength=graph.shape[0])
    own = graph.diagonal() != 0
    isolated = np.flatnonzero(degree - 2 * own <= 0)
    return Connectivity(int(count), labels, sizes, isolated)


def felt_connectivity(K: Any) -> Connectivity:
    """Of a graph of similarities, without links that no eigenvector would feel.

    A link counts if it is at least e⁻⁹ of the strongest that one of its ends has, itself included:
    a graph that hangs together by less has eigenvalues that are 1 but for rounding.
    """
    K = sparse.csr_matrix(K)
    strongest = K.max(axis=1).toarray().ravel()
    ends = np.minimum(np.repeat(strongest, np.diff(K.indptr)), strongest[K.indices])
    data = np.where(K.data >= _FAINT * ends, K.data, 0.0)
    return connectivity(sparse.csr_matrix((data, K.indices, K.indptr), K.shape))


def warn_of_pieces(found: Connectivity, what: str) -> None:
    """Say that the graph fell apart, and what became of it, at the line that called Mercer."""
    frame, level = inspect.currentframe(), 1
    while frame is not None and frame.f_code.co_filename.startswith(_OURS):
        frame, level = frame.f_back, level + 1
    message = f"{found.words()} {what}"
    warnings.warn(message, DisconnectedWarning, stacklevel=level)


def refuse_pieces(found: Connectivity) -> None:
    """Policy "error"."""
    raise ValueError(found.advice())


def bridges(rows: Compared, labels: Any) -> tuple[NDArray[Any], NDArray[Any], Floats]:
    """The shortest pairs that make one of all pieces: both ends, and squared distances.

    A minimum spanning tree of the pieces. It is looked for among nearest neighbours first, which
    finds the place of scattered points quickly, then by searching from the smallest piece on.
    """
    labels = np.array(labels)
    found: list[tuple[int, int, float]] = []
    k = min(4, rows.n - 1)
    while rows.plain and labels.max() > 0 and k <= min(_MOST, rows.n - 1):
        squares, places = rows.nearest(k)
        ends = np.repeat(np.arange(rows.n), k), places.ravel()
        labels, more = _merged(labels, *ends, squares.ravel())
        found += more
        k *= 4
    while labels.max() > 0:
        inside = np.flatnonzero(labels == np.bincount(labels).argmin())
        outside = np.flatnonzero(labels != labels[inside[0]])
        i, j, square = _closest(rows, inside, outside)
        found.append((i, j, square))
        labels[labels == labels[i]] = labels[j]
        labels = np.unique(labels, return_inverse=True)[1]
    pairs = np.array([pair[:2] for pair in found], dtype=int).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1], np.array([pair[2] for pair in found], dtype=float)


def _merged(
    labels: Any, one: Any, other: Any, squares: Floats
) -> tuple[Any, list[tuple[int, int, float]]]:
    """Pieces after joining those between which there is a pair, and the pairs that did."""
    across = np.flatnonzero(labels[one] != labels[other])
    if not len(across):
        return labels, []
    across = across[np.argsort(squares[across], kind="stable")]
    a, b = np.minimum(labels[one], labels[other]), np.maximum(labels[one], labels[other])
    count = int(labels.max()) + 1
    first = across[np.unique(a[across] * count + b[across], return_index=True)[1]]
    graph = sparse.csr_matrix(
        (np.maximum(squares[first], _TINY), (a[first], b[first])), (count, count)
    )
    tree = minimum_spanning_tree(graph).tocoo()
    pair = {(int(a[p]), int(b[p])): p for p in first}
    used = [pair[int(i), int(j)] for i, j in zip(tree.row, tree.col, strict=True)]
    joint = connected_components(tree, directed=False)[1]
    return joint[labels], [(int(one[p]), int(other[p]), float(squares[p])) for p in used]


def _closest(rows: Compared, inside: Any, outside: Any) -> tuple[int, int, float]:
    if rows.plain:
        squares, places = rows.taken(outside).nearest(1, rows.rows[inside])
        best = int(squares[:, 0].argmin())
        return int(inside[best]), int(outside[places[best, 0]]), float(squares[best, 0])
    part = rows.matrix[np.ix_(inside, outside)]
    i, j = np.unravel_index(int(part.argmin()), part.shape)
    return int(inside[i]), int(outside[j]), float(part[i, j] ** 2)


def with_edges(graph: Any, one: Any, other: Any, lengths: Floats) -> sparse.csr_matrix:
    """The graph and these edges, in both directions; a length of zero is stored as tiny."""
    graph = sparse.coo_matrix(graph)
    lengths = np.maximum(lengths, _TINY)
    joint = sparse.csr_matrix(
        (
            np.r_[graph.data, lengths, lengths],
            (np.r_[graph.row, one, other], np.r_[graph.col, other, one]),
        ),
        graph.shape,
    )
    joint.sort_indices()
    return joint
