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


COVERS = ("printed", "rigorous")
REGIONS = ("wedge", "slab")
COSTS = ("simple", "exact")


@dataclass(frozen=True)
class Reading:
    """What the thesis leaves open, decided.

    region : "wedge" (what a rotation by the margin sweeps) or "slab" (all within the margin).
    offset : whether the hyperplane keeps its offset, sent as one of the n + 1 cuts of the rows'
        order; the thesis' hyperplanes go through the origin of the centred data.
    cover : "printed" (nodes rho apart) or "rigorous" (so close that the balls do cover, in any
        dimension).
    cost : "simple" ((r + 1) log n for a set of r rows) or "exact" (log n + log binom(n, r)).
    """

    region: str = "wedge"
    offset: bool = False
    cover: str = "printed"
    cost: str = "simple"

    def __post_init__(self) -> None:
        for name, allowed in (("region", REGIONS), ("cover", COVERS), ("cost", COSTS)):
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name} must be one of {allowed}, got {getattr(self, name)!r}")

    def subset(self, count: int, n: int) -> float:
        """Bits for a set of so many of n rows."""
        if self.cost == "simple":
            return (count + 1) * math.log2(n)
        return math.log2(n) + log_binomial(n, count)


PRINTED = Reading()


def log_binomial(n: int, k: int) -> float:
    """log2 of n over k."""
    return math.log2(math.comb(n, k))


def spacing(rho: float, dimension: int, cover: str = "printed") -> float:
    """Distance of the nodes of a grid whose balls of radius rho are to cover.

    A node of a grid in d dimensions is at most √d/2 spacings away, so 2 rho/√d is small enough;
    the printed spacing rho is in at most four dimensions.
    """
    return rho if cover == "printed" else 2.0 * rho / math.sqrt(max(dimension, 1))


def log_sphere(radius: float, rho: float, dimension: int, cover: str = "printed") -> float:
    """log2 of 2 ceil(R pi / rho)^(d - 1) balls that cover a sphere (thesis, proposition IV.3).

    A model of a code length: nodes rho apart are a cover for certain in at most five dimensions,
    where there are four angles. ``cover="rigorous"`` is one in any dimension:
    2 ceil(R π √(d−1)/(2 rho))^(d−1).
    """
    rho = spacing(rho, dimension - 1, cover)
    return 1.0 + (dimension - 1) * math.log2(max(1, math.ceil(radius * math.pi / rho)))


def log_ellipsoid(axes: Floats, rho: float, cover: str = "printed") -> float:
    """log2 of prod ceil(2 c_i / rho); an axis shorter than the ball costs nothing.

    As for the sphere, a code length rather than a proved cover in more than four dimensions;
    ``cover="rigorous"`` is one: prod ceil(c_i √d / rho), d the number of axes that are not zero.
    """
    rho = spacing(rho, int(np.count_nonzero(axes > 0)), cover)
    return float(np.sum(np.log2(np.maximum(1.0, np.ceil(2.0 * axes / rho - 1e-12)))))


@dataclass(frozen=True)
class Quantities:
    """The numbers of a trained machine that the codes are about, all for centred data.

    The hyperplane is taken through the origin of the centred data unless the reading has an offset:
    with it the codes prefer trivial classifiers. ``inside`` is the region that a rotation of the
    normal vector by the margin sweeps; those rows are sent one by one. ``rho`` is 1/‖w‖, the margin
    of a support vector machine; any other machine is coded at the precision of its own scale.
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


def quantities_of(case: Case, reading: Reading = PRINTED) -> Quantities:
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
    if reading.offset:
        output = case.output
    reach = rho * size / radius if reading.region == "wedge" else rho
    inside = np.abs(output) / norm < reach
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
