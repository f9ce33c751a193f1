"""The span of the support vectors: what the leave-one-out error would be, from one training."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from mercer.selection._case import Case
from mercer.selection.criteria._base import Criterion, NotForThis, Score

Floats = NDArray[np.float64]
FREE = 1e-6  # share of the limit from which a coefficient counts as not at zero, or not at the top


def spans(case: Case) -> tuple[NDArray[np.intp], Floats, float]:
    """Support vectors, their squared spans, and the limit of the coefficients."""
    if case.loss != "hinge" or case.C is None or case.upper is None:
        raise NotForThis("the span estimate is for the hinge loss at a finite C")
    rows = case.support
    share = np.abs(case.coef[rows]) / case.upper[rows]
    free = (share > FREE) & (share < 1.0 - FREE)
    return rows, squared_spans(case.gram.array, rows, free, offset=case.offset), case.C


def squared_spans(
    K: Floats, rows: NDArray[np.intp], free: NDArray[np.bool_], *, offset: bool
) -> Floats:
    """S_p² of every support vector: its squared distance to the span of the free ones.

    With an offset the combinations have coefficients that sum to one: the inverse of the bordered
    matrix, by its Schur complement. The same numbers as `mercer.bounds._loo_arrays.squared_spans`,
    from one Cholesky factor.
    """
    found = K[rows, rows].astype(np.float64)
    basis, rest = rows[free], rows[~free]
    if basis.size == 0:
        return found
    factor = _cholesky(K[np.ix_(basis, basis)])
    inverse_half = solve_triangular(factor, np.eye(len(basis)), lower=True)
    diagonal = np.einsum("ij,ij->j", inverse_half, inverse_half)
    across = inverse_half @ K[np.ix_(basis, rest)]
    found[~free] -= np.einsum("ij,ij->j", across, across)
    if offset:
        half = inverse_half.sum(axis=1)  # L^-1 1
        unit = inverse_half.T @ half  # K^-1 1
        total = float(half @ half)
        diagonal = diagonal - unit**2 / total
        found[~free] += (1.0 - half @ across) ** 2 / total
    found[free] = 1.0 / np.maximum(diagonal, 1e-300)
    if offset and basis.size == 1:
        found[free] = K[basis, basis]  # nobody to combine with
    return np.maximum(found, 0.0)


def _cholesky(K: Floats) -> Floats:
    ridge = 1e-10 * float(np.mean(K.diagonal()))
    while True:
        try:
            return np.asarray(np.linalg.cholesky(K + ridge * np.eye(len(K))), dtype=np.float64)
        except np.linalg.LinAlgError:
            ridge *= 100.0
            if not ridge < 1e3:
                raise NotForThis("the kernel matrix of the support vectors is not PSD") from None


class Span(Criterion):
    """Share of rows with alpha_p S_p² ≥ y_p f(x_p), at most one training."""

    code = "span"
    title = "span estimate of the leave-one-out error"
    reference = "Vapnik and Chapelle 2000; Chapelle et al. 2002"

    def _score(self, case: Case) -> Score:
        """Rows whose own contribution is all that keeps them on the right side."""
        rows, squared, _ = spans(case)
        own = np.abs(case.coef[rows]) * squared
        risky = own >= case.margins[rows]
        others = np.ones(case.n, dtype=bool)
        others[rows] = False
        missed = int(np.count_nonzero((case.margins <= 0) & others))
        count = int(np.count_nonzero(risky)) + missed
        # ties among counts are broken by how far the rows are from turning, in [0, 1/n)
        left_out = case.margins.copy()
        left_out[rows] -= own
        depth = float(np.mean(np.clip(0.5 - 0.5 * left_out, 0.0, 1.0)))
        return Score(
            (count + 0.999 * depth) / case.n,
            {"rows at risk": float(count), "mean depth": depth},
        )


class SpanBound(Criterion):
    """(S max(D, 1/√C) Σ* α + m)/n: errors of leaving one out can be no more, if the sets of
    support vectors stay what they are.
    """

    code = "span-bound"
    title = "span bound on the leave-one-out error"
    reference = "Vapnik and Chapelle 2000, theorem 2.3"
    kind = "bound"

    def _score(self, case: Case) -> Score:
        """The largest span times the free coefficients, plus the rows at the limit."""
        rows, squared, limit = spans(case)
        alphas = np.abs(case.coef[rows])
        free = (alphas > FREE * limit) & (alphas < limit * (1 - FREE))
        size = math.sqrt(float(squared[free].max())) if free.any() else 0.0
        diameter = 2.0 * math.sqrt(max(float(case.gram.centred.diagonal.max()), 0.0))
        widest = max(diameter, 1.0 / math.sqrt(limit))
        bounded = float(np.count_nonzero(~free))
        value = (size * widest * float(alphas[free].sum()) + bounded) / case.n
        return Score(value, {"span": size, "diameter": diameter, "rows at the limit": bounded})
