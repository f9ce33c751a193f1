"""Whether some plane, or some scores, tell the classes apart: then no penalty means no optimum."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from mercer.solvers.softmax import SoftmaxRisk

LARGEST = 4_000_000  # entries of the linear programme that is still tried


def separated(risk: SoftmaxRisk, scores: np.ndarray) -> bool:
    """Whether the logistic risk has no minimiser: scores exist that are nowhere wrong.

    Where those found are right about every row, they prove it. Otherwise, if it is small enough, a
    linear programme looks for a direction in which no row gets worse and some get better; then the
    risk falls for ever in that direction, also if classes touch.
    """
    apart = _gaps(risk, scores)
    if np.all(apart > 0):
        return True
    rows = apart.size
    columns = risk.rows * risk.outputs
    if rows * columns > LARGEST:
        return False
    A = _programme(risk)
    gain = np.asarray(A.sum(axis=0)).ravel()
    scale = float(abs(A).max()) or 1.0
    found = linprog(-gain / scale, A_ub=-A / scale, b_ub=np.zeros(rows), bounds=(-1.0, 1.0))
    return bool(found.status == 0 and -found.fun > 1e-6)


def _gaps(risk: SoftmaxRisk, scores: np.ndarray) -> np.ndarray:
    """Score of the own class above that of every other one."""
    if risk.sign is not None:
        return risk.sign * scores[:, 0]
    apart = scores[risk.place][:, None] - scores
    others = np.ones_like(scores, dtype=bool)
    others[risk.place] = False
    return apart[others]


def _programme(risk: SoftmaxRisk) -> sparse.csr_array:
    """The gaps as a matrix: one row each, columns in the order of the parameters."""
    X = sparse.csr_array(risk.X)
    if risk.fit_intercept:
        X = sparse.csr_array(sparse.hstack([X, np.ones((X.shape[0], 1))]))
    if risk.sign is not None:
        return sparse.csr_array(sparse.diags_array(risk.sign) @ X)
    blocks = []
    for k in range(risk.outputs):
        for j in range(risk.outputs):
            if j != k:
                turn = np.zeros((1, risk.outputs))
                turn[0, k], turn[0, j] = 1.0, -1.0
                blocks.append(sparse.kron(X[risk.codes == k], turn, format="csr"))
    return sparse.csr_array(sparse.vstack(blocks))
