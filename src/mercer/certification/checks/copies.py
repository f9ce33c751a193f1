"""Rows that were copied, for instance to balance the classes: half of a pair may test the other.

In a table with a column that hardly ever repeats, equal rows are copies: rows that agree in it by
chance would differ elsewhere. In tables of few values, texts and sparse rows, equal rows occur by
nature, and the labels decide: copies of one record agree always, while independent rows that happen
to be equal disagree about as often as a label can be foretold wrongly from rows that are not equal.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta, binom

from mercer._marks import Marks
from mercer._types import Samples
from mercer.certification.checks.case import FEW, Case, Index
from mercer.certification.checks.check import PROJECTIONS
from mercer.certification.checks.columns import STEPS, many_digits, near_pairs, reach
from mercer.certification.checks.finding import FIRST_LINE, NOTE, Finding
from mercer.certification.checks.inspection import Inspection

_CELLS = 400  # repeated inputs that are looked at
_OTHERS = 4000  # rows among which a nearest unequal one is looked for
_EACH = 9  # comparisons within one cell
_SHARE = 0.3  # of the disagreement of unequal rows: equal rows that disagree less are copies
_SURE = 0.01
_PLAIN = 1e-4  # p-values below need no labels
_MOST_COLUMNS = 64
FEWEST = 9  # different rows; fewer say little
_BALANCED = 0.15  # change of a class's share that copies made alike do not bring about


class Copies(Inspection):
    """Equal inputs that chance does not explain."""

    name: ClassVar[str] = "copies"

    def look(self, case: Case) -> list[Finding]:
        """Copies that stay inside one declared group are no matter."""
        again = repeats(case, case.cells)
        if not again:
            return []
        words = _words(case, again)
        if again <= FEW * case.n:
            return [Finding(self.name, NOTE, words, together=case.cells)] if case.continuous else []
        p = together_p(case)
        p = few_records_p(case) if p is None else p
        if p is None or p > _PLAIN:
            if not more_than_columns_say(case):
                return []
            agree = agreement_p(case, case.cells)
            p = agree if p is None else min(1.0, 2.0 * min(p, agree))
        if _uneven(case):
            words += ", more of some classes than of others (drop them, or pass groups=)"
            return [Finding(self.name, FIRST_LINE, words, p)]
        return [Finding(self.name, FIRST_LINE, words, p, together=case.cells)]


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


def together_p(case: Case) -> float | None:
    """P(rows that agree in a column that hardly ever repeats agree in all others), by chance.

    Two rows agree in the others as often as any two do; columns depend on each other, so the root
    of that rate is allowed. Numbers to be foretold are such a column too, unless they follow from
    the inputs.
    """
    found = []
    if case.rare:
        j = max(case.fine or case.rare, key=lambda j: len(np.unique(np.asarray(case.columns[j]))))
        column = np.asarray(case.columns[j])
        p = _pure_p(case, column, _numbered(case.cell_sum - case.cell_marks[j]))
        found.append(p if case.fine else max(p, _grid_p(case, j)))
    if _own_targets(case):
        found.append(_pure_p(case, np.asarray(case.y), case.cells))
    return min(1.0, len(found) * min(found)) if found else None


def few_records_p(case: Case) -> float | None:
    """The same of a table that has too few different rows to say that a column never repeats.

    Of numbers with many digits, all different in the rows that differ; and labels must agree
    wherever rows do: a design of a few settings, tried again and again, has both kinds of them.
    """
    if case.y is None or not FEWEST <= len(case.firsts) < PROJECTIONS:
        return None
    target = np.unique(case.y, return_inverse=True)[1].ravel()
    if len(np.unique(np.column_stack([case.cells, target]), axis=0)) > len(case.firsts):
        return None
    for j, column in enumerate(case.columns):
        if column is None or not np.isfinite(column).all():
            continue
        if len(np.unique(column)) == len(case.firsts) and many_digits(column[case.firsts]):
            return _pure_p(case, column, _numbered(case.cell_sum - case.cell_marks[j]))
    return None


def _numbered(marks: Marks) -> Index:
    return np.unique(marks, return_inverse=True)[1].ravel()


def _pure_p(case: Case, column: NDArray[Any], others: Index) -> float:
    """Values that come again: in how many do all rows agree, and how likely is that?"""
    known = np.flatnonzero(~np.isnan(column))
    value = np.unique(column[known], return_inverse=True)[1].ravel()
    pairs = np.unique(np.column_stack([value, others[known]]), axis=0)[:, 0]
    again, kinds = np.bincount(value) > 1, np.bincount(pairs)
    share = np.bincount(others) / case.n
    rate = float(np.sqrt((share**2).sum()))
    return float(binom.sf(int((again & (kinds == 1)).sum()) - 1, int(again.sum()), rate))


def _grid_p(case: Case, j: int) -> float:
    """P(so many rows come again) on the grid that the values of all columns keep to.

    There, a row has its like half as often as a row some steps away; twice that is allowed.
    """
    pairs = near_pairs(np.asarray(case.columns[j]), case.firsts)
    near = np.ones(len(pairs), dtype=bool)
    for i, marks in enumerate(case.cell_marks):
        column = np.asarray(case.columns[i])
        equal = marks[pairs[:, 0]] == marks[pairs[:, 1]]
        if i in case.rare:
            far = reach(np.unique(column[np.isfinite(column)]))
            equal |= np.abs(column[pairs[:, 0]] - column[pairs[:, 1]]) <= far
        near &= equal
    again = int((np.bincount(case.cells) > 1).sum())
    return float(binom.sf(again - 1, again + int(near.sum()), 1.0 / (STEPS + 1)))


def _own_targets(case: Case) -> bool:
    """Numbers that hardly ever repeat and differ for some equal inputs: not their function."""
    if not case.target_continuous or case.y is None:
        return False
    pairs = np.unique(np.column_stack([case.cells, case.y]), axis=0)
    return len(pairs) > len(case.firsts) or more_than_columns_say(case)


def more_than_columns_say(case: Case) -> bool:
    """Whether rows repeat more often than if the columns were shuffled one by one.

    Where they do not, the few values explain the repeats, and there is nothing to test.
    """
    marks = case.cell_marks[:_MOST_COLUMNS]
    if len(marks) < 2:
        return True
    rng = np.random.default_rng(0)
    shuffled = sum((rng.permutation(cells) for cells in marks), np.zeros(case.n, np.uint64))
    natural = case.n - len(np.unique(shuffled))
    return case.n - len(case.firsts) > 1.25 * natural


def agreement_p(case: Case, cells: Index, share: float = _SHARE) -> float:
    """P(equal rows disagree so seldom) if they did ``share`` times as often as others; or 1.

    The comparison is the better of the nearest unequal row and a tree that never saw the cell, so
    that labels which follow from the inputs raise no alarm.
    """
    if case.y is None or case.codes.max() == 0:
        return 1.0
    rng = np.random.default_rng(0)
    pairs = _pairs(cells, rng)
    if not len(pairs):
        return 1.0
    y = case.codes
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


def pool_copies(pool: Any, X: Samples) -> list[Finding]:
    """Pool rows that repeat others although those of ``X`` do not: no further draws."""
    case = Case(pool)
    certain = case.continuous or Case(X).continuous
    copies = repeats(case, case.cells) if certain else 0
    if not copies:
        return []
    words = (
        f"{copies} of {case.n} pool rows equal an earlier one of them. If they are copies, they "
        "are counted more than once and the number is too small: drop them"
    )
    return [Finding("pool", FIRST_LINE if copies > FEW * case.n else NOTE, words)]


def _words(case: Case, again: int) -> str:
    kind = "fresh rows" if case.fresh else "rows"
    torn = " of another group" if case.unit is not None else ""
    return f"{again} of {case.n} {kind} are copies of an earlier one{torn}"
