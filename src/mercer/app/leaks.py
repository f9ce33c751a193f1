"""Columns that give the target away: what each column alone can tell, gaps and cuts included.

They are reported, never removed: whether a column is known before the answer is, no programme can
know.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.app.checks import NOTE, WARNING, Finding
from mercer.app.levels import level_codes
from mercer.tables.dataset import DATE, TEXT, Column

MOST_ROWS = 20_000  # looked at; enough to tell a copy
FEWEST = 20  # rows
FEWEST_OF_A_CLASS = 8  # a rare class that is told by fewer rows may be told by chance
EXACT, NEARLY = 0.02, 0.12  # of the error without the column, that is left with it
LEAVES = 64  # pieces of a column that predicts numbers
EXACT_R2, RANKED = 0.995, 0.9999
LONG_LABEL = 3  # letters of a label that is looked for inside texts


@dataclass(frozen=True)
class Telling:
    """How well a column alone tells the target: the error that is left, and without it."""

    name: str
    left: float
    without: float
    how: str

    @property
    def share(self) -> float:
        """Of the error without the column, what is left with it."""
        return self.left / self.without if self.without else 1.0


def check_target(
    columns: list[Column], y: NDArray[Any], task: str, name: str, keys: dict[str, str]
) -> list[Finding]:
    """Columns that tell the target almost exactly, and those that tell nearly all of it."""
    found = []
    for told in telling(columns, y, task, keys):
        ask = f"will it be known before the answer is? If not, --ignore '{told.name}'"
        if told.share <= EXACT:
            words = f"column '{told.name}' tells '{name}' almost exactly ({told.how}): {ask}"
            found.append(Finding("leak", WARNING, words, (told.name,)))
        elif task == "classification" and told.share <= NEARLY:
            words = (
                f"column '{told.name}' alone tells '{name}' in all but {told.left:.2%} of the rows "
                f"({told.how}): {ask}"
            )
            found.append(Finding("telling", NOTE, words, (told.name,)))
    return found


def telling(
    columns: list[Column], y: NDArray[Any], task: str, keys: dict[str, str]
) -> list[Telling]:
    """What every column alone tells, the most telling first; keys and dates tell by memory only."""
    n = len(y)
    if n < FEWEST:
        return []
    pick = np.linspace(0, n - 1, min(n, MOST_ROWS)).astype(np.intp)
    part = y[pick]
    measure = _for_numbers if task == "regression" else _for_classes
    found = []
    for column in columns:
        if column.name not in keys and column.kind != DATE:
            some = Column(column.name, column.kind, column.values[pick])
            told = measure(some, part)
            if told is not None:
                found.append(told)
    return sorted(found, key=lambda told: told.share)


def _for_classes(column: Column, y: NDArray[Any]) -> Telling | None:
    classes, label = np.unique(y, return_inverse=True)
    counts = np.bincount(label)
    without = 1.0 - counts.max() / len(label)
    if len(classes) < 2 or len(label) - counts.max() < FEWEST_OF_A_CLASS:
        return None
    gap = column.missing
    found = []
    if min(gap.sum(), (~gap).sum()) >= FEWEST_OF_A_CLASS:
        found.append((_by_levels(gap.astype(np.intp), label), "whether it is filled"))
    if column.kind == TEXT:
        found += _texts(column, label, classes)
    else:
        found.append((_by_cuts(column, label), "by a threshold"))
        codes = np.unique(np.where(gap, np.nan, column.values), return_inverse=True)[1]
        if int(codes.max()) < max(20, 4 * len(classes)):
            found.append((_by_levels(codes, label), "value by value"))
    if not found:
        return None
    left, how = min(found, key=lambda pair: pair[0])  # of equals the plainest, which comes first
    return Telling(column.name, left, without, how)


def _by_levels(codes: NDArray[Any], label: NDArray[Any]) -> float:
    """Error of the commonest class of every level, each row judged by the others of its level."""
    table = np.zeros((int(codes.max()) + 1, int(label.max()) + 1), dtype=np.int64)
    np.add.at(table, (codes, label), 1)
    own = table[codes, label]
    others = table[codes]
    others[np.arange(len(codes)), label] = -1
    rival = others.max(axis=1)
    # the row itself is taken out; a level of one row, or a tie, tells nothing
    return float(np.mean(own - 1 <= np.maximum(rival, 0)))


def _texts(column: Column, label: NDArray[Any], classes: NDArray[Any]) -> list[tuple[float, str]]:
    codes = level_codes(column)
    found = []
    if int(codes.max()) + 1 <= 0.5 * len(codes):
        found.append((_by_levels(codes, label), "value by value"))
    words = [str(c).casefold() for c in classes.tolist()]
    if min(map(len, words)) >= LONG_LABEL:
        texts = ["" if text is None else text.casefold() for text in column.values.tolist()]
        inside = np.array([[word in text for word in words] for text in texts])
        sure = inside.sum(axis=1) == 1
        right = sure & (inside.argmax(axis=1) == label)
        found.append((float(1.0 - right.mean()), "it contains the answer as a word"))
    return found


def _by_cuts(column: Column, label: NDArray[Any]) -> float:
    """Error with a few cuts of the column, gaps apart; a tree finds them."""
    from sklearn.tree import DecisionTreeClassifier

    values = _filled(column)
    pieces = max(3, 2 * (int(label.max()) + 1))
    tree = DecisionTreeClassifier(max_leaf_nodes=pieces, min_samples_leaf=2, random_state=0)
    return float(np.mean(tree.fit(values, label).predict(values) != label))


def _for_numbers(column: Column, y: NDArray[Any]) -> Telling | None:
    present = ~column.missing
    target = y[present].astype(np.float64)
    if present.sum() < FEWEST or np.ptp(target) == 0:
        return None
    if column.kind == TEXT:
        left, how = _by_means(column.values[present], target), "value by value"
        return None if left is None else Telling(column.name, left, 1.0, how)
    values = column.values[present].astype(np.float64)
    if np.ptp(values) == 0 or not np.all(np.isfinite(values)):
        return None
    if _ranked(values, target) > RANKED:
        return Telling(column.name, 0.0, 1.0, "a copy, a multiple or a logarithm of it")
    left = _by_pieces(values, target)
    exact = left <= 1.0 - EXACT_R2
    return Telling(column.name, 0.0 if exact else left, 1.0, "as a function of it alone")


def _ranked(values: NDArray[Any], target: NDArray[Any]) -> float:
    from scipy.stats import rankdata

    a, b = rankdata(values), rankdata(target)
    return float(abs(np.corrcoef(a, b)[0, 1]))


def _by_pieces(values: NDArray[Any], target: NDArray[Any]) -> float:
    """Share of the variance left by a staircase, judged on rows it was not made from."""
    from sklearn.tree import DecisionTreeRegressor

    half = np.random.default_rng(0).random(len(target)) < 0.5
    if min(half.sum(), (~half).sum()) < FEWEST:
        return 1.0
    tree = DecisionTreeRegressor(max_leaf_nodes=LEAVES, min_samples_leaf=3, random_state=0)
    tree.fit(values[half, None], target[half])
    rest = target[~half]
    spread = float(np.sum((rest - rest.mean()) ** 2)) or 1.0
    return float(np.sum((rest - tree.predict(values[~half, None])) ** 2)) / spread


def _by_means(texts: NDArray[Any], target: NDArray[Any]) -> float | None:
    codes = level_codes(Column("", TEXT, texts))
    count = np.bincount(codes)
    if len(count) > 0.2 * len(codes):
        return None
    sums = np.bincount(codes, target)
    others = count[codes] - 1
    guess = np.where(others > 0, (sums[codes] - target) / np.maximum(others, 1), target.mean())
    left = float(np.sum((target - guess) ** 2) / np.sum((target - target.mean()) ** 2))
    return 0.0 if left <= 1.0 - EXACT_R2 else left


def _filled(column: Column) -> NDArray[np.float64]:
    """The values and whether there is one: gaps lie below everything."""
    gap = column.missing
    low = float(np.min(column.values[~gap])) if not gap.all() else 0.0
    plain = np.clip(np.where(gap, low - 1.0, column.values), -1e30, 1e30)
    return np.column_stack([plain, gap]).astype(np.float64)
