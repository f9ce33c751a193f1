"""The slow modes of a reversible random walk: largest eigenvalues of D^{−½}KD^{−½}, K sparse.

Eigenvalues crowd below 1, where Lanczos steps take long. Steps with a Chebyshev polynomial of the
matrix, small on what is not wanted, need a short basis, and products with four vectors at once cost
hardly more than with one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import eigh
from threadpoolctl import threadpool_limits

from mercer import _config, _graph
from mercer.learners.spectral._space import Space

Floats = NDArray[np.float64]
WIDTHS = (4, 8, 16)
_MOST_BLOCKS = 40
_MOST_DEGREE = 64
_GROWTH = 6.0  # ln of how much a step enlarges the last wanted vector over the unwanted ones
_BEYOND = 10.0  # unwanted: farther from 1 than so many times the last wanted eigenvalue
_AHEAD = 3.0  # estimates rise: filters are made for an eigenvalue closer to 1 by this factor
_MARGIN = 0.2  # the lowest eigenvalue may lie below its estimate, in units of the spectrum's length
_NOISE = 0.3  # in a smooth start, for modes that its symmetry leaves out
_PLAIN = 3  # steps with the matrix itself before the first polynomial
_LOWEST = -0.5  # negative eigenvalues down to here are told apart from the wanted ones


class Matrix:
    """A symmetric sparse matrix with the compiled products."""

    def __init__(self, A: sparse.csr_matrix) -> None:
        start, end = (np.ascontiguousarray(p, dtype=np.int32) for p in (A.indptr, A.indices))
        value = np.ascontiguousarray(A.data, dtype=np.float64)
        self._walk = _graph.Walk(start, end, value, _config.n_threads())

    def chebyshev(self, V: Floats, degree: int, low: float, high: float) -> Floats:
        """T(A)·V, T small on [low, high] and 1 at 1; degree 1 is A·V."""
        V = np.ascontiguousarray(V)
        out = np.empty_like(V)
        self._walk.chebyshev(V, out, degree, low, high, 1.0)
        return out


def slow_modes(
    A: sparse.csr_matrix,
    known: Floats,
    k: int,
    *,
    smooth: Floats | None = None,
    tol: float = 1e-9,
    seed: int = 0,
) -> tuple[Floats, Floats] | None:
    """The k largest eigenvalues, falling, besides that of the unit vector ``known``.

    A has its spectrum in [−1, 1]. None where few steps do not do it, or where negative eigenvalues
    are nearly as large as the wanted ones. A block of w vectors finds at most w copies of an
    eigenvalue, so if that many are found, wider blocks look again.
    """
    matrix = Matrix(A)
    with threadpool_limits(1, user_api="blas"):  # its waiting threads slow down the products
        for width in WIDTHS:
            start = _start(len(known), width, smooth, seed)
            found = _grow(matrix, known, k, start, tol, seed)
            if found is not None and not _full(found[0], width):
                return found
    return None


def _full(values: Floats, width: int) -> bool:
    """Whether some eigenvalue was found as often as a block of this width can find it."""
    if len(values) < width:
        return False
    spread = values[: len(values) - width + 1] - values[width - 1 :]
    return bool(np.any(spread < 1e-9))


def _grow(
    matrix: Matrix, known: Floats, k: int, fresh: Floats, tol: float, seed: int
) -> tuple[Floats, Floats] | None:
    """Rayleigh–Ritz on a basis that grows by T(A) times its last block."""
    width = fresh.shape[1]
    rng = np.random.default_rng(seed)
    most = min(_MOST_BLOCKS * width, len(known) // 2)
    space = Space(lambda V: matrix.chebyshev(V, 1, 0.0, 0.0), len(known), most, known[:, None])
    before = np.full(k, np.inf)
    low, high, degree = 0.0, 0.0, 1
    lowest = 1.0
    for step in range(_MOST_BLOCKS):
        if space.size + width > space.most:
            return None
        fresh, moved = space.add(fresh)
        theta, turn = eigh(space.small)
        lowest = min(lowest, float(theta[0]))
        theta, turn = theta[::-1][:k], turn[:, ::-1]
        if len(theta) == k:
            if np.abs(theta - before).max() < 1e3 * tol:  # worth a look
                vectors = space.vectors(turn[:, :k])
                off = np.linalg.norm(space.images(turn[:, :k]) - vectors * theta, axis=0).max()
                if off <= tol:  # unless a negative one is larger than the last of them
                    return (theta, vectors) if theta[-1] > -lowest else None
            before = theta
        if step >= _PLAIN and _full(theta, width):
            return None  # only a wider block can tell how often this eigenvalue is there
        if step >= _PLAIN:  # both ends of the spectrum have shown themselves
            if lowest < _LOWEST:
                return None
            ahead = _ahead(theta, k, width)
            below = min(low, lowest - _MARGIN * (1.0 - lowest))
            if _filter(below, ahead)[1] > 2.0 * degree:  # another polynomial needs another space
                low, (high, degree) = below, _filter(below, ahead)
                best = space.vectors(turn[:, : k + width])
                fresh = best @ rng.standard_normal((best.shape[1], width))
                space.size = 0
        fresh = matrix.chebyshev(fresh, degree, low, high) if degree > 1 else moved
    return None


def _ahead(theta: Floats, k: int, width: int) -> float:
    """What the last wanted eigenvalue may turn out to be: the first block knows only its own."""
    seen = min(k, width, len(theta))
    return 1.0 - (1.0 - float(theta[seen - 1])) * (k / seen) / _AHEAD


def _start(n: int, width: int, smooth: Floats | None, seed: int) -> Floats:
    """Random vectors; smooth functions of the points, if given, are closer to slow modes."""
    rng = np.random.default_rng(seed)
    noise = rng.standard_normal((n, width))
    if smooth is None:
        return noise
    centred = smooth - smooth.mean(axis=0)
    scale = centred.std(axis=0)
    centred = centred / np.where(scale > 0, scale, 1.0)
    both = np.hstack([centred, centred**2, centred**3])
    return both @ rng.standard_normal((both.shape[1], width)) + _NOISE * noise


def _filter(low: float, last: float) -> tuple[float, int]:
    """Where the unwanted part ends and the degree, for the last wanted eigenvalue."""
    last = min(last, 1.0 - 1e-7)
    high = max(1.0 - _BEYOND * (1.0 - last), low + 0.5)
    last = max(last, high + 1e-3 * (1.0 - high))
    degree = int(np.ceil(0.5 * _GROWTH * np.sqrt((high - low) / (last - high))))
    return high, min(degree, _MOST_DEGREE)
