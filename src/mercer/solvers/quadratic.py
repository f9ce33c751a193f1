"""What a quadratic machine asks of a solver, and what it gets back."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class BoxProblem:
    r"""A support-vector dual with ``l`` variables over ``n`` data rows.

    .. math::

        \min_\alpha\ \tfrac12 \beta^\top K \beta + \tfrac12\sum_v d_v\alpha_v^2
        + \sum_v p_v\alpha_v, \qquad \beta_i = \sum_{v:\,index_v = i} sign_v\,\alpha_v,
        \qquad 0 \le \alpha_v \le upper_v

    subject to ``sum(balance_v * alpha_v)`` staying what it is at ``start`` within each group of
    variables; ``group=None`` means no such constraint (the texts' hyperplanes through the origin).
    Every machine of the family is one choice of these arrays; see ``solvers/problems.py``.
    """

    n: int
    sign: Floats
    linear: Floats
    upper: Floats
    start: Floats
    index: NDArray[np.intp]
    group: NDArray[np.int8] | None = None
    balance: Floats | None = None
    shift: Floats | None = None

    @property
    def n_variables(self) -> int:
        """Number of dual variables."""
        return len(self.sign)

    @property
    def n_groups(self) -> int:
        """Number of equality constraints (0, 1 or 2)."""
        return 0 if self.group is None else int(self.group.max(initial=0)) + 1


@dataclass(frozen=True)
class Solution:
    """What a solver found, and how good it is.

    ``gap`` is the largest violation of the optimality conditions in LIBSVM's units (the difference
    of the two multipliers that the equality constraint should make equal). ``offsets[g]`` is the
    multiplier of group ``g``: LIBSVM's rho for a machine with one constraint.
    """

    alpha: Floats
    coef: Floats  # beta: one signed coefficient per data row
    decision: Floats  # K @ coef at the rows of the problem: the machine's output without offset
    offsets: tuple[float, ...]
    objective: float  # of the dual, as minimised
    gap: float
    n_iter: int
    stopped: str  # "tolerance" | "max_iter" | "time_limit" | "interrupt" | "stalled"
    seconds: float = 0.0
    stats: dict[str, float] = field(default_factory=dict)

    @property
    def converged(self) -> bool:
        """Whether the tolerance was reached."""
        return self.stopped == "tolerance"
