"""Sparse rows scaled by √weight with their mean taken off, as a map: never made dense."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigh
from scipy.sparse.linalg import LinearOperator, lsmr

from mercer._config import reserve

Floats = NDArray[np.float64]

DENSE = 1_000_000  # entries: sparse rows of so few are simply made dense
DIRECT = 4000  # rows or columns: beyond, equations are solved by steps
CUT = 1e-12


@dataclass(frozen=True)
class Centred:
    """A = diag(root)(X − 1·mean')."""

    X: Any
    mean: Floats
    root: Floats

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.X.shape[0], self.X.shape[1]

    @property
    def side(self) -> int:
        """The smaller number."""
        return min(self.shape)

    def dot(self, V: Floats) -> Floats:
        """A V."""
        return (self.root * (np.asarray(self.X @ V) - self.mean @ V).T).T

    def transposed(self, U: Floats) -> Floats:
        """A'U."""
        own = (self.root * U.T).T
        return np.asarray(self.X.T @ own) - np.multiply.outer(self.mean, own.sum(axis=0))

    def square(self, rows: bool) -> Floats:
        """AA' or A'A."""
        n = self.shape[0 if rows else 1]
        reserve(n * n * 8, f"A system of {n} equations", "Keep fewer rows, or fewer columns.")
        X, mean, root = self.X, self.mean, self.root
        if rows:
            cross = np.asarray(X @ mean)
            inner = (X @ X.T).toarray() - cross[:, None] - cross + float(mean @ mean)
            return np.asarray(inner * (root[:, None] * root))
        weight = root**2
        sums, total = np.asarray(weight @ X), float(weight.sum())
        inner = (X.T @ X.multiply(weight[:, None]).tocsr()).toarray()
        inner -= np.outer(sums, mean) + np.outer(mean, sums)
        return np.asarray(inner + total * np.outer(mean, mean))


def solve_sparse(A: Centred, B: Floats, alpha: float, form: str) -> tuple[Floats, Floats | None]:
    """Weights that minimise ‖B − A w‖² + α‖w‖², and their coefficients if solved by rows."""
    if alpha == 0 or A.side > DIRECT:
        return _by_steps(A, B, alpha), None
    if form == "primal":
        return np.asarray(cho_solve(shifted(A.square(False), alpha), A.transposed(B))), None
    dual = np.asarray(cho_solve(shifted(A.square(True), alpha), B))
    return A.transposed(dual), dual


def _by_steps(A: Centred, B: Floats, alpha: float) -> Floats:
    """Golub and Kahan's bidiagonalisation (LSMR); of many solutions the shortest."""
    operator = LinearOperator(A.shape, matvec=A.dot, rmatvec=A.transposed, dtype=np.float64)
    columns = [
        lsmr(operator, b, np.sqrt(alpha), 1e-13, 1e-13, 1e13, max(2000, 20 * A.side))[0]
        for b in B.T
    ]
    return np.column_stack(columns)


def leverage(A: Centred, alpha: float) -> Floats | None:
    """Diagonal of A(A'A + αI)⁻¹A'; None where that would take too long."""
    if A.side > DIRECT:
        return None
    by_rows = A.shape[0] < A.shape[1]
    values, vectors = eigh(A.square(by_rows))
    kept = values > CUT * max(float(values[-1]), np.finfo(float).tiny)
    values, vectors = values[kept], vectors[:, kept]
    if by_rows:
        return np.asarray(vectors**2 @ (values / (values + alpha)))
    return np.asarray(A.dot(vectors) ** 2 @ (1.0 / (values + alpha)))


def shifted(square: Floats, alpha: float) -> Any:
    """The factor of a matrix of products with the penalty on its diagonal."""
    square[np.diag_indices_from(square)] += alpha
    try:
        return cho_factor(square, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        raise ValueError(
            f"rounding leaves no positive definite system at alpha={alpha:g}: columns differ too "
            "much in size. Scale them, for instance by StandardScaler, or take a larger alpha."
        ) from None
