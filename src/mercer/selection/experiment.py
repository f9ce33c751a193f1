"""Which criterion chooses best? The experiment of von Luxburg's thesis, IV.3, on any table.

The rows are permuted once and cut into as many disjoint training sets as there are; on each, every
criterion chooses kernel width and price of errors from one grid, and is charged what its choice
errs on the rows outside the training set above the best of the grid (the oracle).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata

from mercer._types import RandomState
from mercer.gram import DenseGram
from mercer.kernels.vectors.gaussian import Gaussian
from mercer.selection import criteria
from mercer.selection._case import Case, Floats, GramView
from mercer.selection._paths import Job, Limits, solve_paths
from mercer.solvers import problems

__all__ = [
    "Comparison",
    "compare_criteria",
    "compare_on",
    "disjoint_subsets",
    "summary",
    "table",
]
TABLE = ("C2", "C3", "span", "rm", "rrm", "trace", "sm", "cs")
COSTS = tuple(10.0**j for j in range(6))
SIGMAS = tuple(10.0 ** (0.25 * j) for j in range(-8, 13))
Rows = NDArray[np.intp]


def disjoint_subsets(
    n_rows: int, size: int, random_state: RandomState = 0
) -> list[tuple[Rows, Rows]]:
    """Training sets that share no row, each with all rows outside of it to test on."""
    if not 0 < size < n_rows:
        raise ValueError(f"size must lie between 0 and the {n_rows} rows, got {size}")
    order = np.random.default_rng(random_state).permutation(n_rows)
    parts = [order[k * size : (k + 1) * size] for k in range(n_rows // size)]
    return [(part, np.setdiff1d(order, part)) for part in parts if len(part) < n_rows]


@dataclass(frozen=True)
class Comparison:
    """Criteria and test errors over the grid: arrays of shape (runs, widths, costs)."""

    sigmas: Floats
    costs: Floats
    test: Floats
    values: Mapping[str, Floats]

    @property
    def runs(self) -> int:
        """Number of training sets."""
        return len(self.test)

    @property
    def oracle(self) -> Floats:
        """The smallest test error of the grid, for each training set."""
        return self.test.min(axis=(1, 2))

    def chosen(self, code: str) -> NDArray[np.intp]:
        """Places (width, cost) that a criterion chooses, one row per training set.

        Of equal values the smallest cost, then the widest kernel.
        """
        return np.array([_smallest(values) for values in self.values[code]])

    def excess(self, code: str) -> Floats:
        """Test error of the choice above the oracle, for each training set."""
        places = self.chosen(code)
        return self.test[np.arange(self.runs), places[:, 0], places[:, 1]] - self.oracle

    def per_cost(self, code: str) -> Floats:
        """Mean test error when a criterion chooses the width for each cost (figures IV.3, IV.4)."""
        values = self.test if code == "test" else self.values[code]
        best = values.argmin(axis=1)
        return np.take_along_axis(self.test, best[:, None, :], axis=1)[:, 0, :].mean(axis=0)


def _smallest(values: Floats) -> tuple[int, int]:
    i, j = np.nonzero(values == values.min())
    k = np.lexsort((-i, j))[0]
    return int(i[k]), int(j[k])


def compare_criteria(
    X: ArrayLike,
    y: ArrayLike,
    codes: Sequence[str | criteria.Criterion] = TABLE,
    *,
    size: int = 100,
    sigmas: Sequence[float] = SIGMAS,
    costs: Sequence[float] = COSTS,
    runs: int | None = None,
    fit_intercept: bool = True,
    most_test_rows: int | None = None,
    random_state: RandomState = 0,
    progress: Callable[[int], None] | None = None,
) -> Comparison:
    """Run the experiment on one table of numbers with two classes.

    Parameters
    ----------
    X, y : array-like
        All rows; columns of comparable size.
    codes : sequence of str or Criterion, default=TABLE
        Criteria that need one training; by default those of table IV.1.
    size : int, default=100
        Rows of a training set.
    sigmas, costs : sequence of float
        The grid; the kernel is exp(−‖x − y‖²/σ²).
    runs : int, default=None
        Training sets; None for as many as there are.
    fit_intercept : bool, default=True
        Machines with an offset. Without one they are trained on centred data.
    most_test_rows : int, default=None
        Test on so many of the other rows, drawn anew for each training set.
    random_state : int, default=0
        For the cut of the rows.
    progress : callable, default=None
        Called with the number of each finished training set.

    Returns
    -------
    Comparison
        Everything that tables and figures need.
    """
    splits = disjoint_subsets(len(np.asarray(y)), size, random_state)
    target = _signs(y)
    splits = [s for s in splits if len(np.unique(target[s[0]])) == 2][:runs]
    if not splits:
        raise ValueError(f"no training set of {size} rows has both classes")
    drawn = [
        (train, np.random.default_rng([run, len(target)]).permutation(rest)[:most_test_rows])
        for run, (train, rest) in enumerate(splits)
    ]
    return compare_on(
        X, y, drawn, codes, sigmas=sigmas, costs=costs, fit_intercept=fit_intercept,
        progress=progress,
    )  # fmt: skip


def compare_on(
    X: ArrayLike,
    y: ArrayLike,
    splits: Sequence[tuple[Rows, Rows]],
    codes: Sequence[str | criteria.Criterion] = TABLE,
    *,
    sigmas: Sequence[float] = SIGMAS,
    costs: Sequence[float] = COSTS,
    fit_intercept: bool = True,
    progress: Callable[[int], None] | None = None,
) -> Comparison:
    """The same with training and test rows of one's own; see `compare_criteria`."""
    rows, target = np.asarray(X, dtype=np.float64), _signs(y)
    asked = [criteria.get(code) if isinstance(code, str) else code for code in codes]
    shape = (len(splits), len(sigmas), len(costs))
    test = np.full(shape, np.nan)
    values = {criterion.code: np.full(shape, np.inf) for criterion in asked}
    for run, (train, rest) in enumerate(splits):
        for i, sigma in enumerate(sigmas):
            kernel = Gaussian(sigma / math.sqrt(2.0))
            K, T = kernel(rows[train]), kernel(rows[rest], rows[train])
            if not fit_intercept:  # as the thesis: centred in feature space before training
                T = T - T.mean(axis=1, keepdims=True) - K.mean(axis=0)[None, :] + K.mean()
                K = GramView(K).centred.array
            cases = _train(K, target[train], costs, fit_intercept, kernel)
            outputs = T @ np.column_stack([c.coef for c in cases]) + [c.intercept for c in cases]
            wrong = np.where(outputs >= 0, 1.0, -1.0) != target[rest][:, None]
            test[run, i] = wrong.mean(axis=0)
            for criterion in asked:
                values[criterion.code][run, i] = [_value(criterion, case) for case in cases]
        if progress is not None:
            progress(run)
    return Comparison(np.array(sigmas, dtype=float), np.array(costs, dtype=float), test, values)


def _signs(y: ArrayLike) -> Floats:
    labels, sign = np.unique(np.asarray(y), return_inverse=True)
    if len(labels) != 2:
        raise ValueError(f"the experiment is about two classes, y has {len(labels)}")
    return np.where(sign == 1, 1.0, -1.0)


def _value(criterion: criteria.Criterion, case: Case) -> float:
    try:
        value = criterion.score(case).value
    except criteria.NotForThis:
        return math.inf
    return value if not math.isnan(value) else math.inf


def _train(
    K: Floats, target: Floats, costs: Sequence[float], offset: bool, kernel: Any
) -> list[Case]:
    n, view = len(target), GramView(K)
    job = Job(lambda c: problems.c_svc(target, c, n=n, fit_intercept=offset), np.arange(n))
    gram = DenseGram(np.ascontiguousarray(K), validate=False)
    found = solve_paths(gram, [job], list(costs), list(costs), Limits(1e-3, 200_000))[0]
    cases = []
    for cost, solution in zip(costs, found, strict=True):
        intercept = -float(solution.offsets[0]) if offset else 0.0
        cases.append(
            Case(
                view,
                target,
                solution.coef,
                solution.decision + intercept,
                intercept,
                upper=np.full(n, float(cost)),
                C=float(cost),
                offset=offset,
                kernel=kernel,
                dimension=math.inf,
            )
        )
    return cases


def summary(found: Mapping[str, Comparison]) -> dict[str, dict[str, float]]:
    """Mean, median and worst excess, mean rank and wins of every criterion over several tables."""
    codes = list(next(iter(found.values())).values)
    excess = np.array(
        [[comparison.excess(c).mean() for c in codes] for comparison in found.values()]
    )
    ranks = np.array([rankdata(row.round(12)) for row in excess])
    best = excess <= excess.min(axis=1, keepdims=True) + 1e-12
    return {
        code: {
            "mean": float(excess[:, k].mean()),
            "median": float(np.median(excess[:, k])),
            "worst": float(excess[:, k].max()),
            "rank": float(ranks[:, k].mean()),
            "best on": float(best[:, k].sum()),
        }
        for k, code in enumerate(codes)
    }


def table(found: Mapping[str, Comparison]) -> str:
    """Table IV.1's layout, in Markdown: the oracle's error, then mean excess of each criterion."""
    codes = list(next(iter(found.values())).values)
    lines = [
        "| data set | runs | test | " + " | ".join(codes) + " |",
        "|---" * (len(codes) + 3) + "|",
    ]
    for name, comparison in found.items():
        cells = [f"{comparison.excess(code).mean():.3f}" for code in codes]
        start = f"| {name} | {comparison.runs} | {comparison.oracle.mean():.3f} | "
        lines.append(start + " | ".join(cells) + " |")
    totals = summary(found)
    for row in ("mean", "median", "worst", "rank", "best on"):
        digits = 1 if row in ("rank", "best on") else 3
        cells = [f"{totals[code][row]:.{digits}f}" for code in codes]
        lines.append(f"| {row} | | | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"
