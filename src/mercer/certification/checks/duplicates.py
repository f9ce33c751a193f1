"""Rows that occur on both sides of a split: the model has seen its own examination."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.sparse import csgraph
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist
from scipy.stats import poisson

from mercer.certification.checks.check import (
    LEVEL,
    PROJECTIONS,
    Check,
    Floats,
    check_level,
    check_permutations,
    few_columns,
    numeric,
)

NAME = "duplicates"
_TREE_COLUMNS = 6  # projections never enlarge a distance, so few are enough to find candidates
_SHOWN = 5


def check_duplicates(
    X_train: Any,
    X_test: Any,
    y_train: ArrayLike | None = None,
    y_test: ArrayLike | None = None,
    *,
    tolerance: float = 0.01,
    level: float = LEVEL,
    n_permutations: int = 999,
    random_state: int | np.random.Generator | None = 0,
) -> Check:
    """Look for test rows that equal, or nearly equal, a training row.

    Near means within ``tolerance`` times the median distance of a row to its nearest neighbour,
    columns brought to the same spread. The statistic counts test rows with such a twin. It is
    compared with random divisions of the same rows into parts of these sizes (an exact test). Twins
    that a random division would also produce come from a law with repeated values, or from a file
    in which rows are repeated. If the columns look continuous only the second is possible, so the
    count is also compared with a Poisson law whose mean is extrapolated from the usual distances
    (an approximate test), and the p-value is twice the smaller of the two.

    ``details`` names the rows: ``exact`` and ``near`` hold (test row, training row) pairs, and
    ``conflicting`` those of them whose labels differ.
    """
    level = check_level(level)
    count = check_permutations(n_permutations, level)
    if tolerance < 0:
        raise ValueError(f"tolerance must not be negative, got {tolerance}")
    pool, n_train = _pooled(X_train, X_test)
    _, same = np.unique(pool, axis=0, return_inverse=True)
    same = same.ravel()
    distinct = np.unique(same, return_index=True)[1]
    scaled = _scaled(pool)
    nearest = _nearest_distances(scaled[distinct])
    groups, near = _groups(scaled, same, distinct, tolerance * _median(nearest))
    is_test = np.arange(len(pool)) >= n_train
    observed = _twins(groups, is_test)
    rng = np.random.default_rng(random_state)
    shuffled = [_twins(groups, rng.permutation(is_test)) for _ in range(count)] if observed else []
    p = (1 + sum(s >= observed for s in shuffled)) / (1 + count) if observed else 1.0
    continuous = looks_continuous(pool[distinct])
    if continuous and observed:
        p = min(1.0, 2 * min(p, _by_chance(observed, len(pool) - n_train, nearest, tolerance)))
    exact_pairs = _cross_pairs(same, n_train)
    near_pairs = [(b - n_train, a) for a, b in near if a < n_train <= b]
    details = {
        "exact": exact_pairs,
        "near": near_pairs,
        "conflicting": _conflicts(exact_pairs + near_pairs, y_train, y_test),
        "within_train": int(n_train - len(np.unique(same[:n_train]))),
        "permutations": count,
    }
    message = _words(observed, len(pool) - n_train, details, continuous and p <= level)
    return Check(NAME, float(observed), p, message, p > level, details)


def _pooled(X_train: Any, X_test: Any) -> tuple[Floats, int]:
    parts = [numeric(X_train, "X_train"), numeric(X_test, "X_test")]
    if parts[0].shape[1] != parts[1].shape[1]:
        raise ValueError(
            f"X_train has {parts[0].shape[1]} columns and X_test {parts[1].shape[1]}: "
            "they cannot be compared"
        )
    if any(sparse.issparse(part) for part in parts):
        parts = [few_columns(sparse.csr_array(part))[0] for part in parts]
    return np.concatenate(parts) + 0.0, parts[0].shape[0]  # + 0.0 turns -0 into 0


def _scaled(pool: Floats) -> Floats:
    spread = pool.std(axis=0)
    return pool / np.where(spread > 0, spread, 1.0)


def _nearest_distances(points: Floats) -> Floats:
    """Distance to the nearest other row, of at most 500 rows; sorted."""
    if len(points) < 3:
        return np.zeros(1)
    pick = np.linspace(0, len(points) - 1, min(500, len(points))).astype(np.intp)
    distance = cdist(points[pick], points)
    distance[np.arange(len(pick)), pick] = np.inf
    return np.sort(distance.min(axis=1))


def _median(values: Floats) -> float:
    return float(np.median(values))


def _by_chance(observed: int, n_test: int, nearest: Floats, tolerance: float) -> float:
    """P(so many rows this near) when distances t below the median have probability ~ t^D.

    D is read off the lower tenth and the median of the distances, and lowered by a fifth so that
    its own error does not raise false alarms.
    """
    tenth, middle = float(np.quantile(nearest, 0.1)), _median(nearest)
    if not 0.0 < tenth < middle or tolerance >= 1.0:
        return 1.0
    dimension = 0.8 * np.log(np.log(0.5) / np.log(0.9)) / np.log(middle / tenth)
    return float(poisson.sf(observed - 1, n_test * np.log(2.0) * tolerance**dimension))


def _groups(
    scaled: Floats, same: NDArray[np.intp], distinct: NDArray[np.intp], radius: float
) -> tuple[NDArray[np.intp], list[tuple[int, int]]]:
    """Group number of each row, twins together; and the pairs that are near but not equal."""
    size = len(distinct)
    links = np.empty((0, 2), dtype=np.intp)
    if radius > 0:
        links = _close_pairs(scaled[distinct], radius)
    graph = sparse.coo_array((np.ones(len(links)), (links[:, 0], links[:, 1])), shape=(size, size))
    label = csgraph.connected_components(graph, directed=False)[1]
    pairs = np.sort(distinct[links], axis=1)
    return label[same], sorted((int(a), int(b)) for a, b in pairs)


def _close_pairs(points: Floats, radius: float) -> NDArray[np.intp]:
    shadow = points
    if points.shape[1] > _TREE_COLUMNS:
        random = np.random.default_rng(0).standard_normal((points.shape[1], _TREE_COLUMNS))
        shadow = points @ np.linalg.qr(random)[0]
    pairs = cKDTree(shadow).query_pairs(radius, output_type="ndarray")
    close = np.linalg.norm(points[pairs[:, 0]] - points[pairs[:, 1]], axis=1) <= radius
    return pairs[close]


def _twins(groups: NDArray[np.intp], is_test: NDArray[np.bool_]) -> int:
    """Number of test rows whose group has a training row."""
    trained = np.zeros(int(groups.max()) + 1, dtype=bool)
    trained[groups[~is_test]] = True
    return int(trained[groups[is_test]].sum())


def _cross_pairs(same: NDArray[np.intp], n_train: int) -> list[tuple[int, int]]:
    """Every test row that equals a training row, with the first such training row."""
    values, where = np.unique(same[:n_train], return_index=True)
    place = np.searchsorted(values, same[n_train:]).clip(0, len(values) - 1)
    hit = np.flatnonzero(values[place] == same[n_train:])
    return [(int(row), int(where[place[row]])) for row in hit]


def _conflicts(pairs: list[tuple[int, int]], y_train: Any, y_test: Any) -> list[tuple[int, int]]:
    if y_train is None or y_test is None:
        return []
    old, new = np.asarray(y_train), np.asarray(y_test)
    return [(test, train) for test, train in pairs if new[test] != old[train]]


def looks_continuous(distinct: Floats) -> bool:
    """Whether some column hardly ever repeats among distinct rows: then whole rows cannot."""
    if len(distinct) < PROJECTIONS:
        return False
    return max(len(np.unique(column)) for column in distinct.T) > 0.9 * len(distinct)


def _words(observed: int, n_test: int, details: dict[str, Any], copied: bool) -> str:
    if not observed:
        return f"none of the {n_test} test rows has a twin among the training rows"
    exact, near = details["exact"], details["near"]
    rows = ", ".join(f"{a} (= training row {b})" for a, b in exact[:_SHOWN])
    rows = rows or ", ".join(f"{a} (near training row {b})" for a, b in near[:_SHOWN])
    more = ", ..." if observed > _SHOWN else ""
    text = f"{observed} of {n_test} test rows have a twin among the training rows: {rows}{more}"
    if details["conflicting"]:
        text += f"; {len(details['conflicting'])} of them carry another label"
    if copied:
        return text + "; such values do not repeat by chance, so rows were copied"
    return text + "; repeated values are harmless only if new data repeat them as often"
