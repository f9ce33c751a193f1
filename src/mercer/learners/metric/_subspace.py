"""Is a span of functions large enough to see every distance?"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import linprog


def subspace_condition(columns: Any, D: Any) -> tuple[float, tuple[int, int]]:
    """The largest d(x, y) - sup{|f(x) - f(y)| : f in the span, L(f) ≤ 1}, and the pair.

    Zero for all pairs is the condition (16) of von Luxburg's thesis, III.9: the Lipschitz
    classifier over the span is then the largest margin of an isometric embedding. One linear
    programme per pair: for small domains.

    Parameters
    ----------
    columns : array of shape (m, k)
        The spanning functions at the m objects.
    D : array of shape (m, m)
        Their distances.
    """
    columns, D = np.asarray(columns, dtype=np.float64), np.asarray(D, dtype=np.float64)
    m = len(D)
    i, j = np.nonzero(~np.eye(m, dtype=bool))
    smooth = columns[i] - columns[j]
    worst, place = -np.inf, (0, 0)
    for x in range(m):
        for y in range(x + 1, m):
            found = linprog(
                -(columns[x] - columns[y]),
                A_ub=smooth,
                b_ub=D[i, j],
                bounds=(None, None),
                method="highs",
            )
            reached = -found.fun if found.success else np.inf
            if D[x, y] - reached > worst:
                worst, place = float(D[x, y] - reached), (x, y)
    return worst, place
