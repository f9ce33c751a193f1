"""Compression coefficients: bits to send the labels with the help of the classifier, per label."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from mercer.selection._case import Case
from mercer.selection.criteria import _coding as coding
from mercer.selection.criteria._base import Criterion, Score


class _Coefficient(Criterion):
    """(1/n)(position of the codebook vector + corrections [+ which rows support it]).

    Parameters
    ----------
    region : {"wedge", "slab"}, default="wedge"
        Which rows count as inside the rotation region.
    offset : bool, default=False
        Whether the hyperplane keeps its offset, for log n bits.
    cover : {"printed", "rigorous"}, default="printed"
        The codebook: as printed, or one that covers in any dimension.
    cost : {"simple", "exact"}, default="simple"
        Bits for a set of rows: (r + 1) log n, or log n + log of the binomial coefficient.
    """

    kind = "heuristic"  # code lengths: small means compressible; bounds on the error are loose
    any_machine = True
    reference = "von Luxburg 2004, chapter IV; von Luxburg, Bousquet and Schölkopf 2004"
    names_support: ClassVar[bool] = False
    projects: ClassVar[bool] = False

    def __init__(
        self,
        *,
        region: str = "wedge",
        offset: bool = False,
        cover: str = "printed",
        cost: str = "simple",
    ) -> None:
        self.reading = coding.Reading(region, offset, cover, cost)

    def log_u(self, case: Case, found: coding.Quantities) -> float:
        """log2 of the size of the codebook."""
        raise TypeError(f"{type(self).__name__} does not define log_u")

    def _score(self, case: Case) -> Score:
        """Bits per label, and where they go."""
        reading = self.reading
        found = coding.quantities_of(case, reading)
        n, log_n, log_u = found.n, math.log2(found.n), self.log_u(case, found)
        outside = n if reading.cost == "simple" else n - found.r
        bits = {
            "position": coding.log_star(log_u) + log_u,
            "inside": reading.subset(found.r, n) + found.r,
            "outside": reading.subset(found.l, outside) if outside else 0.0,
        }
        if self.names_support:
            bits["support vectors"] = reading.subset(found.s, n)
        if self.projects:
            bits["projection"] = log_n
        if reading.offset:
            bits["offset"] = log_n
        parts = {name: value / n for name, value in bits.items()}
        return Score(sum(parts.values()), parts)


class CompressionC1(_Coefficient):
    """Margin and radius: balls on a sphere of dimension n."""

    code = "C1"
    title = "compression coefficient C1 (sphere)"

    def log_u(self, case: Case, found: coding.Quantities) -> float:
        """2 ceil(R pi / rho)^(n-1) balls."""
        return coding.log_sphere(found.radius, found.rho, found.n, self.reading.cover)


class CompressionC2(_Coefficient):
    """Margin and spectrum of the kernel matrix."""

    code = "C2"
    title = "compression coefficient C2 (ellipsoid of the data)"

    def log_u(self, case: Case, found: coding.Quantities) -> float:
        """Prod ceil(2 sqrt(lambda_i) / rho) balls."""
        axes = np.sqrt(case.gram.centred.eigenvalues)
        return coding.log_ellipsoid(axes, found.rho, self.reading.cover)


class CompressionC3(_Coefficient):
    """Margin, spectrum of the support vectors, and their number."""

    code = "C3"
    title = "compression coefficient C3 (ellipsoid of the support vectors)"
    names_support = True

    def log_u(self, case: Case, found: coding.Quantities) -> float:
        """Prod ceil(2 sqrt(gamma_i) / rho) balls."""
        rows = found.support
        values = np.linalg.eigvalsh(case.gram.centred.array[np.ix_(rows, rows)])
        return coding.log_ellipsoid(np.sqrt(np.maximum(values, 0.0)), found.rho, self.reading.cover)


class CompressionC4(_Coefficient):
    """C3 after a projection on few kernel principal components."""

    code = "C4"
    title = "compression coefficient C4 (projected ellipsoid)"
    names_support = True
    projects = True

    def log_u(self, case: Case, found: coding.Quantities) -> float:
        """Smaller balls in fewer dimensions."""
        kept, lost, values = coding.projection(case, found)
        rho = found.rho * math.sqrt(1.0 - lost**2)
        return coding.log_ellipsoid(np.sqrt(values[:kept]), rho, self.reading.cover)


class CompressionC5(Criterion):
    """Number of support vectors: their places and labels, from which the machine is retrained.

    Parameters
    ----------
    cost : {"simple", "exact"}, default="simple"
        Bits for a set of rows, see `CompressionC3`.
    """

    code = "C5"
    title = "compression coefficient C5 (support vectors)"
    reference = _Coefficient.reference
    kind = "heuristic"
    any_machine = True

    def __init__(self, *, cost: str = "simple") -> None:
        self.reading = coding.Reading(cost=cost)

    def _score(self, case: Case) -> Score:
        """((s + l + 2) log n + s)/n; l counts errors on rows that do not support the machine."""
        n, reading = case.n, self.reading
        others = np.ones(n, dtype=bool)
        others[case.support] = False
        wrong = np.where(case.output >= 0, 1.0, -1.0) != case.target
        missed, s = int(np.count_nonzero(wrong & others)), len(case.support)
        left = n if reading.cost == "simple" else n - s
        parts = {
            "support vectors": reading.subset(s, n) / n,
            "labels": s / n,
            "outside": (reading.subset(missed, left) if left else 0.0) / n,
        }
        return Score(sum(parts.values()), parts)
