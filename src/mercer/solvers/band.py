r"""A = Q B Q' with a band matrix B: every ridge at a third of the price of eigenvectors.

Householder blocks reduce a symmetric matrix to a band in 4/3 n³ operations and another 4/3 n³ form
Q, all in products of matrices and in one n × n array. After that each shift costs a banded Cholesky
factor and one pass over Q: with B + shift I = L L', the diagonal of the inverse is the squared
length of the columns of L⁻¹Q'. Eigenvectors, which would take the band apart, are not needed.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky
from scipy.linalg.lapack import dgeqrf, dtrtri
from threadpoolctl import threadpool_limits

from mercer import _config
from mercer.solvers._blas_in_place import gemm, product, symm, syr2k

Floats = NDArray[np.float64]

WIDTH = 48  # of the band: wider ones are faster to reach, narrower ones faster to solve
GROUP = 4  # blocks of reflections applied together when Q is formed
COLUMNS = 256  # rows of Q worked on at a time


@dataclass(frozen=True)
class Band:
    """``diagonal`` and ``below`` are the blocks of B; ``Q`` has orthonormal columns."""

    diagonal: list[Floats]
    below: list[Floats]
    Q: Floats
    name: ClassVar[str] = "band"
    values: ClassVar[None] = None  # eigenvalues: not needed, hence not known

    def factor(self, shift: float) -> tuple[list[Floats], list[Floats]]:
        """Blocks of L⁻¹ on the diagonal, and of −L_ii⁻¹ L_i,i−1 below; B + shift I = L L'.

        Raises LinAlgError if that matrix is not positive definite.
        """
        own: list[Floats] = []
        link: list[Floats] = []
        for place, block in enumerate(self.diagonal):
            square = block + shift * np.eye(len(block))
            if place:
                side = self.below[place - 1] @ own[-1].T  # L_i,i−1
                square -= side @ side.T
            inverse, _ = dtrtri(cholesky(square, lower=True), lower=1)
            own.append(np.tril(inverse))
            if place:
                link.append(-own[-1] @ side)
        return own, link

    def inverse_diagonals(self, shifts: Floats) -> Floats:
        """Diagonals of (A + shift I)⁻¹, one column per shift."""
        with threadpool_limits(1, user_api="blas"):  # threads are over rows of Q instead
            factors = [self.factor(float(shift)) for shift in shifts]
            own = [np.stack([f[0][i] for f in factors]) for i in range(len(self.diagonal))]
            link = [np.stack([f[1][i] for f in factors]) for i in range(len(self.below))]
            starts = range(0, len(self.Q), COLUMNS)
            with ThreadPoolExecutor(_config.n_threads()) as pool:
                parts = pool.map(lambda first: self._lengths(first, own, link), starts)
                return np.concatenate(list(parts))

    def _lengths(self, first: int, own: list[Floats], link: list[Floats]) -> Floats:
        rows = np.ascontiguousarray(self.Q[first : first + COLUMNS].T)
        total = np.zeros((len(own[0]), rows.shape[1]))
        at, last = 0, None
        for place, inverse in enumerate(own):
            size = inverse.shape[1]
            new = inverse @ rows[at : at + size]
            if last is not None:
                new += link[place - 1] @ last
            total += np.einsum("sij,sij->sj", new, new)
            at, last = at + size, new
        return total.T

    def coordinates(self, b: Floats) -> Floats:
        """Q'b, which a path over shifts computes once."""
        return self.Q.T @ b

    def apply(self, shift: float, coordinates: Floats, b: Floats) -> Floats:
        """(A + shift I)⁻¹ b from the coordinates of b."""
        return self.Q @ self._solve(shift, coordinates)

    def _solve(self, shift: float, coordinates: Floats) -> Floats:
        """(B + shift I)⁻¹ times columns."""
        own, link = self.factor(shift)
        edges = np.cumsum([len(block) for block in own])
        parts = np.split(coordinates, edges[:-1])
        ahead: list[Floats] = []
        for place, inverse in enumerate(own):
            new = inverse @ parts[place]
            ahead.append(new + link[place - 1] @ ahead[-1] if place else new)
        back = [own[-1].T @ ahead[-1]]
        for place in range(len(own) - 2, -1, -1):
            # L_ii' x_i = z_i − L_i+1,i' x_i+1, and link = −L_i+1,i+1⁻¹ L_i+1,i
            side = self.below[place] @ own[place].T
            back.append(own[place].T @ (ahead[place] - side.T @ back[-1]))
        return np.concatenate(back[::-1])


def reduce(A: Floats, width: int = WIDTH) -> Band:
    """The band form of a symmetric matrix, a column-major array that becomes Q."""
    diagonal, below, factors = _to_band(A, width)
    _form(A, factors, width)
    return Band(diagonal, below, A)


def _to_band(A: Floats, b: int) -> tuple[list[Floats], list[Floats], list[Floats]]:
    """Blocks of B; the reflections I − V T V' stay in A below the band, their T are returned."""
    n, k = len(A), 0
    diagonal: list[Floats] = []
    below: list[Floats] = []
    factors: list[Floats] = []
    while n - k > b:
        s = k + b
        diagonal.append(_whole(A[k:s, k:s]))
        panel, tau, _, _ = dgeqrf(np.asfortranarray(A[s:, k:s]), overwrite_a=1)
        below.append(np.triu(panel)[:b].copy())
        count = len(tau)
        V = np.asfortranarray(np.tril(panel[:, :count], -1))
        V[np.arange(count), np.arange(count)] = 1.0
        V[:, tau == 0.0] = 0.0  # no reflection at all
        A[s:, k : k + count] = V
        T = _triangle(V, tau)
        factors.append(T)
        corner = A[s:, s:]
        W = product(symm(corner, V), T)
        gemm(-0.5, V, product(T, product(V, W, turned=True), turned=True), 1.0, W)
        syr2k(-1.0, V, W, corner)
        k = s
    diagonal.append(_whole(A[k:, k:]))
    return diagonal, below, factors


def _whole(lower: Floats) -> Floats:
    return np.tril(lower) + np.tril(lower, -1).T


def _triangle(V: Floats, tau: Floats) -> Floats:
    """T of the product I − V T V' of reflections: T⁻¹ is V'V above its diagonal 1/τ."""
    inverse = np.triu(product(V, V, turned=True), 1)
    inverse[np.diag_indices_from(inverse)] = np.where(tau == 0.0, 1.0, 1.0 / np.where(tau, tau, 1))
    return np.asfortranarray(np.triu(dtrtri(inverse)[0]))


def _form(A: Floats, factors: list[Floats], b: int) -> None:
    """Q from the reflections, last ones first, in the array that holds them."""
    n, last = len(A), len(factors) * b
    A[last:, last:] = np.eye(n - last)
    for begin in reversed(range(0, len(factors), GROUP)):
        group = range(begin, min(begin + GROUP, len(factors)))
        s, end = begin * b + b, min((group[-1] + 2) * b, last)
        V, T = _merged(A, factors, group, b)
        A[s:, s:end] = 0.0
        A[s:end, s:] = 0.0
        A[np.arange(s, end), np.arange(s, end)] = 1.0
        corner = A[s:, s:]
        gemm(-1.0, V, product(T, product(V, corner, turned=True)), 1.0, corner)
    first = min(b, n)
    A[:first] = 0.0
    A[:, :first] = 0.0
    A[np.arange(first), np.arange(first)] = 1.0


def _merged(A: Floats, factors: list[Floats], group: range, b: int) -> tuple[Floats, Floats]:
    """Several blocks of reflections as one."""
    s = group[0] * b + b
    width = sum(len(factors[i]) for i in group)
    V, T = np.zeros((len(A) - s, width), order="F"), np.zeros((width, width), order="F")
    done = 0
    for i in group:
        k, now = i * b, slice(done, done + len(factors[i]))
        V[k + b - s :, now] = A[k + b :, k : k + len(factors[i])]
        cross = product(product(V[:, :done], V[:, now], turned=True), factors[i])
        T[:done, now] = -T[:done, :done] @ cross
        T[now, now] = factors[i]
        done = now.stop
    return V, T
