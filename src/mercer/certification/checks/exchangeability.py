"""Does the order of the rows carry information? If so they are not exchangeable."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer._types import Samples
from mercer.certification.checks.check import (
    LEVEL,
    Check,
    Floats,
    check_level,
    check_permutations,
    column_names,
    few_columns,
    numeric,
    permutation_p,
)

NAME = "exchangeability"
_KINDS = ("level", "spread", "neighbours")
_MOST_ROWS, _MOST_NUMBERS, _RUN = 20_000, 400_000, 100
_WORDS = {
    "level": "the level of {signal} changes along the rows, most around row {row}",
    "spread": "the spread of {signal} changes along the rows, most around row {row}",
    "neighbours": "neighbouring rows are alike (or unlike) in {signal}",
}


def check_exchangeability(
    X: Samples | None = None,
    y: ArrayLike | None = None,
    *,
    losses: ArrayLike | None = None,
    level: float = LEVEL,
    n_permutations: int = 199,
    random_state: int | np.random.Generator | None = 0,
    feature_names: Any = None,
) -> Check:
    """Test whether the rows could have come in any other order.

    Give whatever there is: numeric ``X`` (dense or sparse), labels or targets ``y``, ``losses`` of
    a fixed model. The observed order is compared with random ones through changes of level,
    changes of spread and likeness of neighbours, for every signal; the p-value accounts for
    having looked at all of them and is exact for any sample size.

    Of more than 20,000 rows (fewer if there are many columns), evenly spaced runs of 100 are used.
    """
    level = check_level(level)
    count = check_permutations(n_permutations, level)
    groups = _signals(X, y, losses, feature_names)
    n = len(next(iter(groups.values()))[0])
    if n < 4:
        raise ValueError(f"the order of {n} rows says nothing; at least 4 are needed")
    width = max(values.shape[1] for values, _ in groups.values())
    rows = _thinned(n, min(_MOST_ROWS, max(2000, _MOST_NUMBERS // width)))
    groups = {key: (_standard(values[rows]), names) for key, (values, names) in groups.items()}
    rng = np.random.default_rng(random_state)
    table = np.array(
        [
            _statistics(groups, None if i == 0 else rng.permutation(len(rows)))
            for i in range(count + 1)
        ]
    )
    p, best = permutation_p(table)
    values, names = list(groups.values())[best // 6]
    kind = _KINDS[best % 6 // 2]
    if kind == "spread" and all(len(np.unique(column)) == 2 for column in values.T):
        kind = "level"  # the two are the same for indicators of a class
    signal, row = _culprit(values, names, kind)
    details = {"kind": kind, "signal": signal, "row": int(rows[row]), "permutations": count}
    if p > level:
        message = f"no pattern along {n} rows in {', '.join(groups)}"
    else:
        message = (
            f"{_WORDS[kind].format(signal=signal, row=details['row'])}; certificates that shuffle "
            "the rows describe this mixture, and future rows may follow the later ones"
        )
    return Check(NAME, float(table[0, best]), p, message, p > level, details)


def exchangeability_martingale(
    scores: ArrayLike,
    *,
    level: float = LEVEL,
    jump: float = 0.01,
    random_state: int | np.random.Generator | None = 0,
) -> Check:
    """The same question asked after every row of a stream, with one p-value for the whole run.

    A gambler bets that the rank of each new score among the past ones is not uniform (Vovk's
    simple jumper over conformal p-values). The capital starts at one and is a martingale if the
    rows are exchangeable, so 1/(largest capital) is a valid p-value whenever one stops.
    """
    level = check_level(level)
    values = np.asarray(scores, dtype=float).ravel()
    if values.size < 2 or not np.isfinite(values).all():
        raise ValueError("scores must be at least two finite numbers")
    ranks = conformal_p(values, np.random.default_rng(random_state))
    bets = np.array([-1.0, 0.0, 1.0])
    purse, path = np.full(3, 1 / 3), np.empty(len(ranks))
    log_scale = 0.0
    for t, rank in enumerate(ranks):
        total = purse.sum()
        purse = ((1 - jump) * purse + jump * total / 3) * (1 + bets * (rank - 0.5))
        path[t] = log_scale + np.log(purse.sum())
        if purse.sum() > 1e100:  # keep the purse within floating-point range
            log_scale += np.log(purse.sum())
            purse /= purse.sum()
    peak = int(path.argmax())
    p = float(min(1.0, np.exp(-path[peak])))
    message = (
        f"largest capital {np.exp(min(path[peak], 700.0)):.3g} after row {peak}"
        f" of {len(path)}, starting from 1"
    )
    details = {"log_capital": path, "row": peak}
    return Check(NAME + " of a stream", float(path[peak]), p, message, p > level, details)


def conformal_p(values: Floats, rng: np.random.Generator) -> Floats:
    """Rank of each value among itself and its past, ties broken at random; uniform if alike."""
    past: list[float] = []
    ranks = np.empty(len(values))
    for t, value in enumerate(values.tolist()):
        insort(past, value)
        low, high = bisect_left(past, value), bisect_right(past, value)
        ranks[t] = (len(past) - high + rng.random() * (high - low)) / len(past)
    return ranks


def _signals(
    X: Samples | None, y: ArrayLike | None, losses: Any, names: Any
) -> dict[str, tuple[Floats, list[str]]]:
    found: dict[str, tuple[Floats, list[str]]] = {}
    if X is not None:
        values, projected = few_columns(numeric(X, "X"))
        found["the features"] = values, column_names(values.shape[1], names, projected)
    if y is not None:
        found["y"] = _targets(np.asarray(y))
    if losses is not None:
        found["the losses"] = numeric(losses, "losses"), ["the losses"]
    if not found:
        raise ValueError("nothing to check: give X, y or losses")
    lengths = {len(values) for values, _ in found.values()}
    if len(lengths) > 1:
        raise ValueError(f"X, y and losses have different numbers of rows: {sorted(lengths)}")
    return found


def _targets(y: NDArray[Any]) -> tuple[Floats, list[str]]:
    """Numbers of a regression as they are; labels as one indicator per class."""
    y = y.ravel()
    labels, codes = np.unique(y, return_inverse=True)
    if y.dtype.kind == "f" and len(labels) > 20:
        return numeric(y, "y"), ["y"]
    if len(labels) > 50:  # a column per class would be mostly empty
        return codes[:, None].astype(float), ["the class number"]
    shown = labels[1:] if len(labels) == 2 else labels
    return (y[:, None] == shown).astype(float), [f"the share of class {label}" for label in shown]


def _thinned(n: int, most: int) -> NDArray[np.intp]:
    if n <= most:
        return np.arange(n)
    starts = np.linspace(0, n - _RUN, most // _RUN).astype(np.intp)
    return (starts[:, None] + np.arange(_RUN)).ravel()


def _standard(values: Floats) -> Floats:
    spread = values.std(axis=0)
    return (values - values.mean(axis=0)) / np.where(spread > 0, spread, 1.0)


def _paths(values: Floats, kind: str) -> Floats:
    """Running sums of the values, or of their squares about the mean."""
    if kind == "spread":
        values = values**2 - np.mean(values**2, axis=0)
    return np.abs(np.cumsum(values, axis=0))


def _statistics(groups: dict[str, tuple[Floats, list[str]]], order: Any) -> list[float]:
    """Six numbers per group: for each kind the worst column, and all columns together."""
    found: list[float] = []
    for values, _ in groups.values():
        rows = values if order is None else values[order]
        for kind in ("level", "spread"):
            worst = _paths(rows, kind).max(axis=0)
            found += [float(worst.max()), float(worst.sum())]
        alike = np.einsum("ij,ij->j", rows[:-1], rows[1:])
        found += [float(np.abs(alike).max()), float(alike.sum())]
    return found


def _culprit(values: Floats, names: list[str], kind: str) -> tuple[str, int]:
    if kind == "neighbours":
        column = int(np.abs(np.einsum("ij,ij->j", values[:-1], values[1:])).argmax())
        return names[column], 0
    path = _paths(values, kind)
    row, column = divmod(int(path.argmax()), path.shape[1])
    return names[column], row
