"""A growing orthonormal basis, its images under a symmetric operator, and that operator in it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr, solve_triangular

Floats = NDArray[np.float64]
Product = Callable[[Floats], Floats]


class Space:
    """Room for ``most`` vectors, orthogonal to the orthonormal columns of ``known`` if given."""

    def __init__(self, product: Product, n: int, most: int, known: Floats | None = None) -> None:
        self._product, self.most, self.size = product, most, 0
        self._known = 0 if known is None else known.shape[1]
        self._basis = np.empty((n, self._known + most), order="F")
        if known is not None:
            self._basis[:, : self._known] = known
        self._image = np.empty((n, most), order="F")
        self._small = np.empty((most, most))

    def add(self, block: Floats) -> tuple[Floats, Floats]:
        """The block made orthonormal, and its image."""
        first, last = self.size, self.size + block.shape[1]
        block = _orthonormal(block, self._basis[:, : self._known + first])
        moved = self._product(block)
        self._basis[:, self._known + first : self._known + last] = block
        self._image[:, first:last] = moved
        cross = self._basis[:, self._known : self._known + last].T @ moved
        cross[first:] = 0.5 * (cross[first:] + cross[first:].T)
        self._small[:last, first:last] = cross
        self._small[first:last, :last] = cross.T
        self.size = last
        return block, moved

    @property
    def small(self) -> Floats:
        """The operator in this basis."""
        return self._small[: self.size, : self.size]

    def vectors(self, turn: Floats) -> Floats:
        """Combinations of the basis."""
        return self._basis[:, self._known : self._known + self.size] @ turn

    def images(self, turn: Floats) -> Floats:
        """The images of these combinations."""
        return self._image[:, : self.size] @ turn


def _orthonormal(block: Floats, basis: Floats) -> Floats:
    for _ in range(2):  # once is not enough in rounded arithmetic
        block = block - basis @ (basis.T @ block)
        try:
            root = np.linalg.cholesky(block.T @ block)
            block = solve_triangular(root, block.T, lower=True, check_finite=False).T
        except np.linalg.LinAlgError:  # nearly dependent
            block = qr(block, mode="economic")[0]
    return block
