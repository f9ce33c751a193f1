"""Few eigenvectors of large symmetric operators, with signs that do not depend on the run."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse.linalg import LinearOperator, eigsh
from threadpoolctl import threadpool_limits

from mercer.learners.spectral._space import Product, Space

Floats = NDArray[np.float64]
_DENSE = 500
_MOST_BLOCKS = 16
_LANES = 16
_MORE = 6  # vectors in a block besides those wanted
_CLOSE = 1e-4  # relative residual below which rough products may stall
_SLOW = 0.5  # and what a step leaves of it that has stalled


def fixed_signs(vectors: Floats) -> Floats:
    """Each column with its largest entry positive."""
    largest = np.abs(vectors).argmax(axis=0)
    signs = np.sign(vectors[largest, np.arange(vectors.shape[1])])
    return vectors * np.where(signs == 0, 1.0, signs)


def largest_eigenpairs(
    product: Product,
    n: int,
    k: int,
    *,
    tol: float = 1e-7,
    seed: int = 0,
    rough: Product | None = None,
    rounding: float = 0.0,
) -> tuple[Floats, Floats]:
    """The k algebraically largest eigenvalues, descending, of a symmetric operator.

    Large operators are asked for products with whole blocks of vectors, because a product with
    sixteen vectors costs hardly more than one with a single vector when the matrix is recomputed.
    ``rough`` is a faster, less precise product: it finds where ``product`` starts, which alone
    decides when to stop. Residuals below ``rounding`` are taken for zero.
    """
    if not 1 <= k <= n:
        raise ValueError(f"{k} eigenvectors of an operator on {n} points do not exist")
    if n <= _DENSE or k > n // 4:
        matrix = product(np.eye(n))
        values, vectors = eigh(0.5 * (matrix + matrix.T), subset_by_index=(n - k, n - 1))
        return values[::-1].copy(), fixed_signs(vectors[:, ::-1])
    start = np.random.default_rng(seed).standard_normal((n, _width(k)))
    with threadpool_limits(1, user_api="blas"):  # its waiting threads slow down the kernel's own
        if rough is not None:
            start = _block_krylov(rough, start, k, tol, rounding, stalls=True).vectors[:, :-1]
        found = _block_krylov(product, start, k, tol, rounding)
    values, vectors = found.values[:k], found.vectors[:, :k]
    if not found.settled:  # eigenvalues too close together for a few blocks

        def one(v: Floats) -> Floats:
            return product(v.reshape(n, 1)).ravel()  # centring speaks of columns

        operator: Any = LinearOperator((n, n), matvec=one, matmat=product, dtype=np.float64)
        values, vectors = eigsh(operator, k=k, which="LA", v0=found.vectors.sum(axis=1))
        order = np.argsort(values)[::-1]
        values, vectors = values[order], vectors[:, order]
    return values, fixed_signs(vectors)


def _width(k: int) -> int:
    """Vectors in a block: some more than wanted, in whole registers of the compiled products."""
    return -(-(k + _MORE) // _LANES) * _LANES


class _Found(NamedTuple):
    values: Floats
    vectors: Floats
    settled: bool


def _block_krylov(
    product: Product, fresh: Floats, k: int, tol: float, rounding: float, stalls: bool = False
) -> _Found:
    """Rayleigh–Ritz on growing blocks Q, AQ, A²Q, …, until ‖Av − θv‖ ≤ tol·θ₁ for k of them.

    An eigenvalue is then right to about tol² over its gap. With ``stalls`` it also ends where the
    residuals hardly fall any more: a rough product has no more to tell.
    """
    n, width = fresh.shape
    space = Space(product, n, min(_MOST_BLOCKS * width, n))
    values, vectors, before = np.zeros(width), fresh, np.inf
    while space.size + width <= space.most:
        _, fresh = space.add(fresh)
        if stalls and not np.isfinite(space.small).all():  # numbers too large for float32
            break
        theta, turn = eigh(space.small)
        values, turn = theta[::-1][:width], turn[:, ::-1][:, :width]
        vectors, largest = space.vectors(turn), abs(values[0])
        residuals = space.images(turn[:, :k]) - vectors[:, :k] * values[:k]
        off = float(np.linalg.norm(residuals, axis=0).max())
        stalled = stalls and _SLOW * before < off < _CLOSE * largest
        if off <= max(tol * largest, rounding) or stalled:
            return _Found(values, vectors, True)
        before = off
    return _Found(values, vectors, False)


class Centred:
    """V ↦ P·S·A·S·P·V for V ↦ A·V, with S = √w and P taking the direction of √w away.

    For equal weights that is the matrix of rows less their mean; weights are counts of rows. The
    matrix is never formed. ``sums``, A·w, is learned on the way: the first block has a column more.
    """

    def __init__(self, product: Product, weight: Floats, *, center: bool = True) -> None:
        self._product, self._weight, self._center = product, weight, center
        self._root = np.sqrt(weight)[:, None]
        self._mean = self._root / np.sqrt(weight.sum())
        self.sums: Floats | None = None

    def rough(self, product: Product) -> Product:
        """The same of another product, which is less precise."""
        return Centred(product, self._weight, center=self._center).plain

    def plain(self, V: Floats) -> Floats:
        """Without learning the sums."""
        return self._around(V, self._product)

    def __call__(self, V: Floats) -> Floats:
        return self._around(V, self._product if self.sums is not None else self._learn)

    def _around(self, V: Floats, product: Product) -> Floats:
        return self._off(self._root * product(self._root * self._off(V)))

    def _off(self, V: Floats) -> Floats:
        return V - self._mean * (self._mean.T @ V) if self._center else V

    def _learn(self, V: Floats) -> Floats:
        both = self._product(np.hstack([V, self._weight[:, None]]))
        self.sums = both[:, -1].copy()
        return both[:, :-1]


def per_row(vectors: Floats, weight: Floats) -> Floats:
    """Eigenvectors of the weighed matrix as functions of rows, signs fixed as without weights."""
    root = np.sqrt(np.where(weight > 0, weight, 1.0))[:, None]
    values = vectors / root
    largest = np.abs(values).argmax(axis=0)
    signs = np.sign(values[largest, np.arange(values.shape[1])])
    return vectors * np.where(signs == 0, 1.0, signs)


def over_roots(values: Floats, vectors: Floats) -> Floats:
    """Eigenvectors divided by √eigenvalue, zero where that is not positive: they place new rows."""
    roots = np.sqrt(np.maximum(values, 0.0))
    return vectors * np.divide(1.0, roots, out=np.zeros_like(roots), where=roots > 0)
