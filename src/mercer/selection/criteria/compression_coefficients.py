"""Compression coefficients: bits to send the labels with the help of the classifier, per label."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from mercer.selection._case import Case
from mercer.selection.criteria import _coding as coding
from mercer.selection.criteria._base import Criterion, Score


class _Coefficient(Criterion):
    """(1/n)(position of the codebook vector + corrections [+ which rows support it])."""

    kind = "heuristic"  # code lengths: small means compressible; bounds on the error are loose
    reference = "von Luxburg 2004, chapter IV; von Luxburg, Bousquet and Schölkopf 2004"
    names_support: ClassVar[bool] = False
    projects: ClassVar[bool] = False

    def log_u(self, case: Case, found: coding.Quantities) -> float:
        """log2 of the size of the codebook."""
        raise TypeError(f"{type(self).__name__} does not define log_u")

    def score(self, case: Case) -> Score:
        """Bits per label, and where they go."""
        found = coding.quantities(case)
        log_n, log_u = math.log2(found.n), self.log_u(case, found)
        bits = {
            "position": coding.log_star(log_u) + log_u,
            "inside": (found.r + 1) * log_n + found.r,
            "outside": (found.l + 1) * log_n,
        }
        if self.names_support:
            bits["support vectors"] = (found.s + 1) * log_n
        if self.projects:
            bits["projection"] = log_n
        parts = {name: value / found.n for name, value in bits.items()}
        return Score(sum(parts.values()), parts)


class CompressionC1(_Coefficient):
    """Margin and radius: balls on a sphere of dimension n."""

    code = "C1"
    title = "compression coefficient C1 (sphere)"

    def log_u(self, case: Case, found: coding.Quantities) -> float:
        """2 ceil(R pi / rho)^(n-1) balls."""
        return coding.log_sphere(found.radius, found.rho, found.n)


class CompressionC2(_Coefficient):
    """Margin and spectrum of the kernel matrix."""

    code = "C2"
    title = "compression coefficient C2 (ellipsoid of the data)"

    def log_u(self, case: Case, found: coding.Quantities) -> float:
        """Prod ceil(2 sqrt(lambda_i) / rho) balls."""
        return coding.log_ellipsoid(np.sqrt(case.gram.centred.eigenvalues), found.rho)


class CompressionC3(_Coefficient):
    """Margin, spectrum of the support vectors, and their number."""

    code = "C3"
    title = "compression coefficient C3 (ellipsoid of the support vectors)"
    names_support = True

    def log_u(self, case: Case, found: coding.Quantities) -> float:
        """Prod ceil(2 sqrt(gamma_i) / rho) balls."""
        rows = found.support
        values = np.linalg.eigvalsh(case.gram.centred.array[np.ix_(rows, rows)])
        return coding.log_ellipsoid(np.sqrt(np.maximum(values, 0.0)), found.rho)


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
        return coding.log_ellipsoid(np.sqrt(values[:kept]), rho)


class CompressionC5(Criterion):
    """Number of support vectors: their places and labels, from which the machine is retrained."""

    code = "C5"
    title = "compression coefficient C5 (support vectors)"
    reference = _Coefficient.reference
    kind = "heuristic"

    def score(self, case: Case) -> Score:
        """((s + l + 2) log n + s)/n; l counts errors on rows that do not support the machine."""
        n, log_n = case.n, math.log2(case.n)
        others = np.ones(n, dtype=bool)
        others[case.support] = False
        wrong = np.where(case.output >= 0, 1.0, -1.0) != case.target
        missed = int(np.count_nonzero(wrong & others))
        s = len(case.support)
        parts = {
            "support vectors": (s + 1) * log_n / n,
            "labels": s / n,
            "outside": (missed + 1) * log_n / n,
        }
        return Score(sum(parts.values()), parts)
