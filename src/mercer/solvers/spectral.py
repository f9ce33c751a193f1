"""One decomposition, every ridge: solutions and leave-one-out diagonals at any shift."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, eigh

from mercer import _config
from mercer._storable import record
from mercer.solvers.band import Band, reduce
from mercer.solvers.pivoted import thin_factor
from mercer.solvers.scaled import ScaledGram

Floats = NDArray[np.float64]

BAND = 1500  # rows: below, all eigenvectors take a blink
THIN = 2000  # rows: below, all eigenvectors cost less than looking for a low rank
SHARE = 3  # a rank above n / SHARE is not low
EPS = float(np.finfo(np.float64).eps)
ROUNDING = 1e-14  # of the largest entry: what a thin factor may miss in every diagonal entry


@record("eigen-spectrum")
@dataclass(frozen=True)
class Spectrum:
    """A = U diag(values) U' + remainder; ``vectors`` has one column per value.

    With fewer columns than rows the remainder is below the rounding of the entries of A, and on
    the complement of the columns A is taken as zero.
    """

    values: Floats
    vectors: Floats
    outside: Floats | None = None  # 1 − Σ_j U_ij², the share of row i outside the columns

    @property
    def name(self) -> str:
        """What the solution calls the method."""
        return "eigen" if self.outside is None else "low rank"

    @property
    def rank(self) -> int:
        """Number of columns."""
        return len(self.values)

    def coordinates(self, b: Floats) -> Floats:
        """U'b, which a path over shifts computes once."""
        return self.vectors.T @ b

    def smallest(self) -> float:
        """The smallest eigenvalue, zero if some directions were left out."""
        return float(self.values.min()) if self.outside is None else 0.0

    def solve(self, shift: float, b: Floats) -> Floats:
        """(A + shift I)⁻¹ b; at shift 0 on the range of A only."""
        return self.apply(shift, self.coordinates(b), b)

    def apply(self, shift: float, coordinates: Floats, b: Floats) -> Floats:
        """The same from the coordinates."""
        inverse = self._inverse(shift)[:, None] * coordinates
        if self.outside is None:
            return self.vectors @ inverse
        rest = 0.0 if shift == 0 else 1.0 / shift
        return rest * b + self.vectors @ (inverse - rest * coordinates)

    def inverse_diagonal(self, shift: float) -> Floats:
        """Diagonal of (A + shift I)⁻¹."""
        inside = np.square(self.vectors) @ self._inverse(shift)
        if self.outside is None or shift == 0:
            return inside
        return inside + self.outside / shift

    def inverse_diagonals(self, shifts: Floats) -> Floats:
        """Diagonals at many shifts, one column each, from one pass over the vectors."""
        inverses = np.column_stack([self._inverse(float(shift)) for shift in shifts])
        found = np.empty((len(self.vectors), len(shifts)))
        size = _config.block_rows(8 * self.rank)
        for start in range(0, len(found), size):  # blocks: the squares are no second n × n array
            part = slice(start, start + size)
            found[part] = np.square(self.vectors[part]) @ inverses
        if self.outside is not None:
            rest = np.divide(1.0, shifts, out=np.zeros(len(shifts)), where=shifts > 0)
            found += self.outside[:, None] * rest
        return found

    def _inverse(self, shift: float) -> Floats:
        raised = self.values + shift
        # At shift 0 eigenvalues that are rounding have no inverse: the least-norm solution.
        floor = 0.0 if shift > 0 else len(self.vectors) * EPS * float(np.max(self.values))
        return np.divide(1.0, raised, out=np.zeros_like(raised), where=np.abs(raised) > floor)


def decompose_for_path(gram: ScaledGram, shifts: Floats) -> Spectrum | Band:
    """What gives every shift: few eigenvectors if they say all, else a band, else all of them."""
    smallest = float(shifts.min())
    if gram.n <= BAND or smallest <= 0:
        return decompose(gram, smallest)
    thin = _thin(gram) if gram.n > THIN else None
    if thin is not None:
        return thin
    _config.reserve(
        2 * 8 * gram.n**2,
        f"The band form of a {gram.n} x {gram.n} kernel matrix",
        "Use one number for alpha instead of a path, fewer rows, or raise the limit with "
        "mercer.set_config(memory_limit=...).",
    )
    band = reduce(gram.dense().T)  # symmetric: the transposed array is the column-major one
    try:
        band.factor(smallest)
    except LinAlgError:  # not positive definite: eigenvectors say on which directions
        return decompose(gram, smallest)
    return band


def decompose(gram: ScaledGram, smallest_shift: float) -> Spectrum:
    """The spectrum of a Gram matrix, from few columns if they hold all that doubles can show."""
    if gram.n > THIN and smallest_shift > 0:
        thin = _thin(gram)
        if thin is not None:
            return thin
    _config.reserve(
        3 * 8 * gram.n**2,
        f"All eigenvectors of a {gram.n} x {gram.n} kernel matrix",
        "Use one number for alpha instead of a path, fewer rows, or raise the limit with "
        "mercer.set_config(memory_limit=...).",
    )
    values, vectors = eigh(gram.dense(), overwrite_a=True, check_finite=False, driver="evd")
    return Spectrum(values, vectors)


def _thin(gram: ScaledGram) -> Spectrum | None:
    """Eigenvectors from a thin factor that misses no more than rounding; None if there is none."""
    enough = gram.n * ROUNDING * float(gram.diag().max(initial=0.0))
    factor = thin_factor(gram, gram.n // SHARE, tol=ROUNDING, enough=enough)
    if factor.left_over > enough:
        return None
    L = factor.transposed
    values, rotation = eigh(L @ L.T, overwrite_a=True, check_finite=False, driver="evd")
    kept = values > EPS * len(L) * max(float(values[-1]), 0.0)
    values, rotation = values[kept], rotation[:, kept]
    vectors = L.T @ (rotation / np.sqrt(values))
    outside = np.maximum(1.0 - np.einsum("ij,ij->i", vectors, vectors), 0.0)
    return Spectrum(values, vectors, outside)
