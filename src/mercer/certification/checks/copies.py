"""Rows that were copied, for instance to balance the classes: half of a pair may test the other.

In a table with a column that hardly ever repeats, equal rows are copies. In tables of few values,
texts and sparse rows, equal rows occur by nature, and the labels decide: copies of one record agree
always, while independent rows that happen to be equal disagree about as often as a label can be
foretold wrongly from rows that are not equal.
"""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np
from scipy.stats import beta, binom

from mercer.certification.checks.case import FEW, Case, Index
from mercer.certification.checks.finding import FIRST_LINE, NOTE, CertificateWarning, Finding
from mercer.certification.checks.inspection import Inspection

_CELLS = 400  # repeated inputs that are looked at
_OTHERS = 4000  # rows among which a nearest unequal one is looked for
_EACH = 9  # comparisons within one cell
_SHARE = 0.3  # of the disagreement of unequal rows: equal rows that disagree less are copies
_SURE = 0.01
_BALANCED = 0.15  # change of a class's share that copies made alike do not bring about


class Copies(Inspection):
    """Equal inputs that chance does not explain."""

    name: ClassVar[str] = "copies"

    def look(self, case: Case) -> list[Finding]:
        """Copies that stay inside one declared group are no matter."""
        again = repeats(case, case.cells)
        if not again:
            return []
        p: float | None = None
        if not (case.continuous or _same_targets(case)):
            if again <= FEW * case.n or not more_than_columns_say(case):
                return []
            p = agreement_p(case, case.cells)
        level, words = NOTE if again <= FEW * case.n else FIRST_LINE, _words(case, again)
        if level == FIRST_LINE and _uneven(case):
            words += ", more of some classes than of others (drop them, or pass groups=)"
            return [Finding(self.name, level, words, p)]
        return [Finding(self.name, level, words, p, together=case.cells)]


def repeats(case: Case, cells: Index) -> int:
    """Rows whose cell has an earlier row (of another unit, where units were declared)."""
    first = np.unique(cells, return_index=True)[1][cells]
    again = first != np.arange(case.n)
    if case.unit is not None:
        again &= case.unit[first] != case.unit
    return int(np.count_nonzero(again))


def _uneven(case: Case) -> bool:
    """Whether the classes have other shares once copies count as one, as after balancing."""
    if case.y is None or case.y.dtype.kind == "f":
        return False
    code = np.unique(case.y, return_inverse=True)[1].ravel()
    rows, records = np.bincount(code), np.bincount(code[case.firsts], minlength=code.max() + 1)
    return bool(np.abs(rows / rows.sum() - records / records.sum()).max() > _BALANCED)


def _same_targets(case: Case) -> bool:
    """Numbers that hardly ever repeat, and do so in rows with equal inputs."""
    if not case.target_continuous or case.y is None:
        return False
    pairs = np.unique(np.column_stack([case.cells, case.y]), axis=0)
    return case.n - len(pairs) >= 0.5 * (case.n - len(case.firsts))


def more_than_columns_say(case: Case) -> bool:
    """Whether rows repeat more often than if the columns were shuffled one by one.

    Where they do not, the few values explain the repeats, and there is nothing to test.
    """
    points = case.vectors
    if points is None or case.pairwise or len(case.shape) != 2:
        return True
    table = np.asarray(points) if points.shape[1] <= 64 else points[:, :64]
    rng = np.random.default_rng(0)
    coded = np.column_stack([np.unique(c, return_inverse=True)[1] for c in table.T])
    shuffled = np.column_stack([rng.permutation(column) for column in coded.T])
    natural = case.n - len(np.unique(shuffled, axis=0))
    return case.n - len(case.firsts) > 1.25 * natural


def agreement_p(case: Case, cells: Index, share: float = _SHARE) -> float:
    """P(equal rows disagree so seldom) if they did ``share`` times as often as others; or 1.

    The comparison is the better of the nearest unequal row and a tree that never saw the cell, so
    that labels which follow from the inputs raise no alarm.
    """
    if case.y is None or len(np.unique(case.y)) < 2:
        return 1.0
    rng = np.random.default_rng(0)
    pairs = _pairs(cells, rng)
    if not len(pairs):
        return 1.0
    y = np.unique(case.y, return_inverse=True)[1]
    disagree = int(np.count_nonzero(y[pairs[:, 0]] != y[pairs[:, 1]]))
    some = np.unique(pairs[:, 0])
    wrong = min(_wrong_neighbours(case, cells, y, some, rng), _wrong_tree(case, cells, y, some))
    lowest = float(beta.ppf(_SURE, wrong, len(some) - wrong + 1)) if wrong else 0.0
    return float(binom.cdf(disagree, len(pairs), share * lowest)) if lowest > 0 else 1.0


def _pairs(cells: Index, rng: np.random.Generator) -> Index:
    """Rows of equal input, a few pairs of every cell, each with the cell's first one drawn."""
    order = rng.permutation(len(cells))
    order = order[np.argsort(cells[order], kind="stable")]
    sizes = np.bincount(cells)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    several = np.flatnonzero(sizes > 1)
    several = rng.permutation(several)[:_CELLS]
    found = [
        (order[starts[c]], order[starts[c] + k])
        for c in several
        for k in range(1, min(sizes[c], _EACH + 1))
    ]
    return np.array(found, dtype=np.intp).reshape(-1, 2)


def _wrong_neighbours(
    case: Case, cells: Index, y: Index, some: Index, rng: np.random.Generator
) -> int:
    """How often the nearest unequal row (any other row, if nobody can tell) has another label."""
    others = rng.permutation(case.n)[:_OTHERS]
    apart = case.distances(some, others)
    if apart is None:
        apart = rng.random((len(some), len(others)))
    apart = np.where(cells[some][:, None] == cells[others], np.inf, apart)
    apart = apart * (1 + 1e-9 * rng.random(apart.shape))  # ties are broken at random
    nearest = others[apart.argmin(axis=1)]
    known = np.isfinite(apart.min(axis=1))
    return int(np.count_nonzero(y[nearest][known] != y[some][known])) if known.any() else 0


def _wrong_tree(case: Case, cells: Index, y: Index, some: Index) -> int:
    """Wrong answers about rows whose whole cell was left out of the training of a tree."""
    from sklearn.tree import DecisionTreeClassifier

    points = case.vectors
    if points is None or case.n > _OTHERS * 5:
        return len(some)
    fold = np.random.default_rng(1).integers(5, size=int(cells.max()) + 1)[cells]
    wrong = 0
    for k in range(5):
        mine = some[fold[some] == k]
        if len(mine) and (fold != k).any():
            tree = DecisionTreeClassifier(random_state=0).fit(points[fold != k], y[fold != k])
            wrong += int(np.count_nonzero(tree.predict(points[mine]) != y[mine]))
    return wrong


def tell_pool_copies(pool: Any, X: Any, notes: list[str]) -> None:
    """Tell of pool rows that repeat others although those of ``X`` do not: no further draws."""
    case = Case(pool)
    certain = case.continuous or Case(X).continuous
    copies = repeats(case, case.cells) if certain else 0
    if not copies:
        return
    notes.append(
        f"{copies} of {case.n} pool rows equal an earlier one of them. If they are copies, they "
        "are counted more than once and the number is too small: drop them."
    )
    if copies > FEW * case.n:
        warnings.warn(notes[-1], CertificateWarning, stacklevel=5)


def _words(case: Case, again: int) -> str:
    kind = "fresh rows" if case.fresh else "rows"
    torn = " of another group" if case.unit is not None else ""
    return f"{again} of {case.n} {kind} are copies of an earlier one{torn}"
