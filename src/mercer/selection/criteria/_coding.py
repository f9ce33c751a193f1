"""What the compression coefficients are made of: lengths in bits, in log space throughout."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mercer.selection._case import Case
from mercer.selection.criteria._base import NotForThis

Floats = NDArray[np.float64]


def log_star(log_u: float) -> float:
    """Log u + log log u + ... over the positive terms, base 2, from log2 u."""
    total, term = 0.0, log_u
    while term > 0.0:
        total += term
        term = math.log2(term)
    return total


def log_sphere(radius: float, rho: float, dimension: int) -> float:
    """log2 of 2 ceil(R pi / rho)^(d - 1) balls that cover a sphere (thesis, proposition IV.3).

    A model of a code length: nodes rho apart are a cover for certain in at most four dimensions.
    """
    return 1.0 + (dimension - 1) * math.log2(max(1, math.ceil(radius * math.pi / rho)))


def log_ellipsoid(axes: Floats, rho: float) -> float:
    """log2 of prod ceil(2 c_i / rho); an axis shorter than the ball costs nothing.

    As for the sphere, a code length rather than a proved cover in more than four dimensions.
    """
    return float(np.sum(np.log2(np.maximum(1.0, np.ceil(2.0 * axes / rho - 1e-12)))))


@dataclass(frozen=True)
class Quantities:
    """The numbers of a trained machine that the codes are about, all for centred data.

    The hyperplane is taken through the origin of the centred data: with the offset included the
    codes prefer trivial classifiers. ``inside`` is the wedge that a rotation of the normal vector
    by the margin sweeps; those rows are sent one by one.
    """

    n: int
    radius: float
    rho: float
    support: NDArray[np.intp]
    inside: NDArray[np.bool_]
    wrong: NDArray[np.bool_]
    output: Floats
    coef: Floats

    @property
    def s(self) -> int:
        """Number of support vectors."""
        return len(self.support)

    @property
    def r(self) -> int:
        """Rows inside the rotation region."""
        return int(self.inside.sum())

    @property
    def l(self) -> int:  # noqa: E743 (the thesis' letter)
        """Misclassified rows outside of it."""
        return int(np.count_nonzero(self.wrong & ~self.inside))


def quantities(case: Case) -> Quantities:
    """Everything the five coefficients share."""
    if case.task != "classification":
        raise NotForThis("the compression coefficients encode labels: classification only")
    K = case.gram.centred
    output = K.array @ case.coef
    norm = math.sqrt(max(float(case.coef @ output), 0.0))
    if not norm > 0:
        raise NotForThis("the machine is constant (w = 0): there is no margin to code with")
    rho = 1.0 / norm
    radius = math.sqrt(max(float(K.diagonal.max()), 0.0))
    if not radius > 0:
        raise NotForThis("all points coincide in feature space")
    size = np.sqrt(np.maximum(K.diagonal, 0.0))
    inside = np.abs(output) / norm < rho * size / radius
    wrong = np.where(output >= 0, 1.0, -1.0) != case.target
    return Quantities(case.n, radius, rho, case.support, inside, wrong, output, case.coef)


def projection(case: Case, found: Quantities) -> tuple[int, float, Floats]:
    """Smallest kernel PCA dimension whose projection keeps w within rho; c_P; the eigenvalues."""
    rows = found.support
    K = case.gram.centred.array[np.ix_(rows, rows)]
    values, vectors = np.linalg.eigh(K)
    values, vectors = np.maximum(values[::-1], 0.0), vectors[:, ::-1]
    share = values * (vectors.T @ case.coef[rows]) ** 2 * (found.radius * found.rho) ** 2
    tail = np.append(np.cumsum(share[::-1])[::-1], 0.0)
    lost = np.sqrt(np.maximum(tail, 0.0)) / found.rho
    valid = np.flatnonzero(lost < 1.0 - 1e-12)
    kept = int(valid[0])
    return kept, float(lost[kept]), values
