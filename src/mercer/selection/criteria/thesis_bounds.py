"""The bounds that the thesis' experiments compare with, as they were computed there."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import gammaln

from mercer.selection._case import Case
from mercer.selection.criteria._base import Criterion, Score

THESIS = "von Luxburg 2004, section IV.3.1"


def _radius_and_norm(case: Case) -> tuple[float, float]:
    """R² of the centred points and ‖w‖²."""
    K = case.gram.centred
    return max(float(K.diagonal.max()), 0.0), max(float(case.coef @ K.array @ case.coef), 0.0)


class RadiusMarginVC(Criterion):
    """R_emp + √(R² log n / (rho² n)), base 2."""

    code = "rm"
    title = "radius–margin bound"
    reference = f"Vapnik 1998; Bartlett and Shawe-Taylor 1999; {THESIS}"
    kind = "heuristic"
    any_machine = True

    def _score(self, case: Case) -> Score:
        """Training error and capacity."""
        radius, norm = _radius_and_norm(case)
        error = case.errors / case.n
        capacity = math.sqrt(radius * norm * math.log2(case.n) / case.n)
        return Score(error + capacity, {"training error": error, "capacity": capacity})


class RescaledRadiusMargin(Criterion):
    """The same with Σ_k λ_k² max_i A_ik² (Σ_j A_jk y_j α_j)² in place of R²/rho²."""

    code = "rrm"
    title = "rescaled radius–margin bound"
    reference = f"Chapelle and Vapnik 2000; {THESIS}"
    kind = "heuristic"
    any_machine = True

    def _score(self, case: Case) -> Score:
        """Training error and rescaled capacity."""
        values, vectors = case.gram.centred.spectrum
        along = vectors.T @ case.coef
        rescaled = float(np.sum(values**2 * np.max(vectors**2, axis=0) * along**2))
        error = case.errors / case.n
        capacity = math.sqrt(rescaled * math.log2(case.n) / case.n)
        return Score(error + capacity, {"training error": error, "capacity": capacity})


class Trace(Criterion):
    """R_emp + √(Σ σ_i / n), σ the eigenvalues of the centred kernel matrix: as printed.

    The bound has the operator's eigenvalues there: `ScaledTrace`.
    """

    code = "trace"
    title = "trace bound"
    reference = f"Bartlett and Mendelson 2001; {THESIS}"
    kind = "heuristic"
    any_machine = True

    def _score(self, case: Case) -> Score:
        """Training error and the trace term."""
        error = case.errors / case.n
        capacity = math.sqrt(max(float(case.gram.centred.diagonal.sum()), 0.0) / case.n)
        return Score(error + capacity, {"training error": error, "capacity": capacity})


class ScaledTrace(Criterion):
    """R_emp + √(Σ σ_i)/n: the eigenvalues of the integral operator, which are σ_i/n."""

    code = "trace-scaled"
    title = "trace bound with the operator's eigenvalues"
    reference = "Bartlett and Mendelson 2001, whose eigenvalues are those of the operator"
    kind = "heuristic"
    any_machine = True

    def _score(self, case: Case) -> Score:
        """Training error and the trace term, √n times smaller than the printed one."""
        error = case.errors / case.n
        capacity = math.sqrt(max(float(case.gram.centred.diagonal.sum()), 0.0)) / case.n
        return Score(error + capacity, {"training error": error, "capacity": capacity})


class CompressionScheme(Criterion):
    """ln binom(n, s)/(n - s): the support vectors as a compression of the sample."""

    code = "cs"
    title = "compression scheme bound"
    reference = f"Floyd and Warmuth 1995; {THESIS}"
    kind = "heuristic"
    any_machine = True

    def _score(self, case: Case) -> Score:
        """Infinite if every row is a support vector."""
        n, s = case.n, len(case.support)
        if s == n:
            return Score(math.inf, {"support vectors": float(s)})
        choose = float(gammaln(n + 1) - gammaln(s + 1) - gammaln(n - s + 1))
        return Score(choose / (n - s), {"support vectors": float(s)})


class SparseMargin(Criterion):
    """κ ln(en/κ)/(n - s) with κ = min(ceil(R²/rho² + 1), n + 1)."""

    code = "sm"
    title = "sparse margin bound"
    reference = f"Herbrich, Graepel and Shawe-Taylor 2000; {THESIS}"
    kind = "heuristic"
    any_machine = True

    def _score(self, case: Case) -> Score:
        """Infinite if every row is a support vector."""
        n, s = case.n, len(case.support)
        radius, norm = _radius_and_norm(case)
        kappa = float(min(math.ceil(radius * norm + 1.0), n + 1))
        if s == n:
            return Score(math.inf, {"support vectors": float(s), "kappa": kappa})
        value = kappa * math.log(math.e * n / kappa) / (n - s)
        return Score(value, {"support vectors": float(s), "kappa": kappa})
