"""A profile of a table before anything is learned: columns, shapes, associations, suspects."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.app.checks import duplicate_rows
from mercer.app.leaks import telling
from mercer.app.levels import level_codes
from mercer.app.roles import FitData
from mercer.tables.columns import shown
from mercer.tables.dataset import DATE, TEXT, Column, Dataset

BINS, LEVELS = 20, 8
MOST_ROWS, PAIR_ROWS = 20_000, 2_000
MOST_COLUMNS = 60  # compared with each other
STRONG = 0.7  # association from which on a pair is named
PAIRS = 15


def profile(data: Dataset, fit: FitData | None, keys: dict[str, str]) -> dict[str, Any]:
    """Plain data for the page: one entry per column, pairs that go together, copies."""
    told = {}
    if fit is not None:
        used = [c for c in fit_columns(fit) if c.kind != DATE]
        found = telling(used, fit.target.y, fit.target.task, keys)
        told = {one.name: (max(0.0, 1.0 - one.share), one.how) for one in found}
    features = [c for c in data.columns if c.name not in keys]
    if fit is not None:
        features = [c for c in features if c.name != fit.target.name]
    return {
        "columns": {c.name: _shape(c) | _tells(told.get(c.name)) for c in data.columns},
        "pairs": pairs(features),
        "duplicates": len(duplicate_rows([c for c in data.columns if c.name not in keys])),
        "rows": data.n,
    }


def fit_columns(fit: FitData) -> list[Column]:
    """The columns that a fit would learn from, as columns again."""
    made = []
    for j, (name, stored) in enumerate(zip(fit.names, fit.stored, strict=True)):
        kind, values = stored.partition(":")[0], fit.X[:, j]
        made.append(Column(name, kind, values if kind == TEXT else np.asarray(values, float)))
    return made


def _tells(found: tuple[float, str] | None) -> dict[str, Any]:
    return {} if found is None else {"tells": found[0], "how": found[1]}


def _shape(column: Column) -> dict[str, Any]:
    """Counts of bins, or of the commonest values."""
    present = column.values[~column.missing][: 10 * MOST_ROWS]
    if not len(present):
        return {}
    if column.kind == TEXT:
        names, counts = np.unique(np.array([str(v)[:60] for v in present]), return_counts=True)
        order = np.argsort(-counts, kind="stable")[:LEVELS]
        return {"levels": [[str(names[i]), int(counts[i])] for i in order],
                "others": int(len(names) - len(order))}  # fmt: skip
    finite = present[np.isfinite(present.astype(np.float64))].astype(np.float64)
    if not len(finite):
        return {}
    counts, edges = np.histogram(finite, min(BINS, max(2, len(np.unique(finite)))))
    ends = [shown(edges[0], column.kind), shown(edges[-1], column.kind)]
    return {"counts": counts.tolist(), "edges": edges.tolist(), "ends": ends}


def pairs(columns: list[Column]) -> list[dict[str, Any]]:
    """Pairs of columns that tell much of each other, strongest first."""
    some = [c for c in columns if not c.missing.all()][:MOST_COLUMNS]
    if not some:
        return []
    n = len(some[0].values)
    rows = np.linspace(0, n - 1, min(PAIR_ROWS, n)).astype(np.intp)
    cut = [Column(c.name, c.kind, c.values[rows]) for c in some]
    found: list[dict[str, Any]] = []
    for i, a in enumerate(cut):
        for b in cut[:i]:
            strength = association(a, b)
            if strength >= STRONG:
                found.append({"one": b.name, "other": a.name, "strength": strength})
    return sorted(found, key=lambda pair: -pair["strength"])[:PAIRS]


def association(a: Column, b: Column) -> float:
    """From 0 to 1: rank correlation of numbers, correlation ratio, or Cramér's V of levels."""
    both = ~(a.missing | b.missing)
    if both.sum() < 20:
        return 0.0
    if a.kind != TEXT and b.kind != TEXT:
        return _ranks(a.values[both].astype(float), b.values[both].astype(float))
    if a.kind == TEXT and b.kind == TEXT:
        return _levels(a, b, both)
    text, number = (a, b) if a.kind == TEXT else (b, a)
    return _ratio(text, number.values[both].astype(float), both)


def _ranks(x: NDArray[Any], y: NDArray[Any]) -> float:
    from scipy.stats import rankdata

    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return 0.0
    return float(abs(np.corrcoef(rankdata(x), rankdata(y))[0, 1]))


def _ratio(text: Column, y: NDArray[Any], both: NDArray[np.bool_]) -> float:
    codes = level_codes(Column("", TEXT, text.values[both]))
    count = np.bincount(codes)
    if len(count) > 0.2 * len(codes) or np.ptp(y) == 0:
        return 0.0
    means = np.bincount(codes, y) / count
    between = float(np.sum(count * (means - y.mean()) ** 2))
    return float(np.sqrt(between / np.sum((y - y.mean()) ** 2)))


def _levels(a: Column, b: Column, both: NDArray[np.bool_]) -> float:
    one, other = (level_codes(Column("", TEXT, c.values[both])) for c in (a, b))
    r, k, n = int(one.max()) + 1, int(other.max()) + 1, len(one)
    if min(r, k) < 2 or max(r, k) > 0.2 * n:
        return 0.0
    table = np.zeros((r, k))
    np.add.at(table, (one, other), 1.0)
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0) / n
    return float(np.sqrt(np.sum((table - expected) ** 2 / expected) / (n * (min(r, k) - 1))))
