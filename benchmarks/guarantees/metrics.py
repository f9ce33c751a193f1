"""Lower limits of F1, MCC, AUC and R² at δ = 0.1: exact ones, bootstrap, DeLong."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy.stats import norm

from mercer.certification.guarantees.metrics import Unseen, metric_meant

DELTA, RESAMPLES = 0.1, 400


class Scored:
    """A model that is known by its scores."""

    classes_ = np.array([0, 1])

    def __init__(self, score: np.ndarray) -> None:
        self.score = score

    def decision_function(self, X: Any) -> np.ndarray:
        """As they were given."""
        return self.score


def auc(truth: np.ndarray, score: np.ndarray) -> tuple[float, float]:
    """The area and DeLong's standard error."""
    up, down = score[truth == 1], score[truth == 0]
    wins = (up[:, None] > down[None, :]) + 0.5 * (up[:, None] == down[None, :])
    spread = wins.mean(axis=1).var(ddof=1) / len(up) + wins.mean(axis=0).var(ddof=1) / len(down)
    return float(wins.mean()), float(np.sqrt(spread))


def f1(tp: Any, fn: Any, fp: Any, tn: Any) -> Any:
    """From counts."""
    return 2 * tp / np.maximum(2 * tp + fn + fp, 1e-300)


def mcc(tp: Any, fn: Any, fp: Any, tn: Any) -> Any:
    """From counts."""
    spread = (tp + fn) * (tp + fp) * (tn + fn) * (tn + fp)
    return (tp * tn - fp * fn) / np.sqrt(np.maximum(spread, 1e-300))


def counts(truth: np.ndarray, called: np.ndarray) -> np.ndarray:
    """Hits, misses, false alarms, rightly left alone."""
    pairs = ((1, 1), (1, 0), (0, 1), (0, 0))
    return np.array([np.sum((truth == a) & (called == b)) for a, b in pairs])


def of_answers(rng: np.random.Generator, n: int, base: float, shift: float) -> dict[str, Any]:
    """Limits from one draw: scores N(0, 1) and N(shift, 1), positive from shift/2 on."""
    truth = (rng.random(n) < base).astype(int)
    score = rng.normal(size=n) + shift * truth
    called = (score > shift / 2).astype(int)
    rows = Unseen(Scored(score), np.zeros((n, 1)), truth, called, (0, 1))
    found: dict[str, Any] = {}
    seen = counts(truth, called)
    again = rng.multinomial(n, seen / n, size=RESAMPLES).astype(float).T
    for name, function in (("f1", f1), ("mcc", mcc)):
        found[name, "mercer"] = metric_meant(name).state(rows, DELTA).value
        found[name, "bootstrap"] = float(np.quantile(function(*again), DELTA))
    area, error = auc(truth, score)
    found["auc", "mercer"] = metric_meant("auc").state(rows, DELTA).value
    found["auc", "DeLong"] = area - norm.ppf(1 - DELTA) * error
    picks = rng.integers(n, size=(60, n))
    areas = [auc(truth[p], score[p])[0] for p in picks if 1 < truth[p].sum() < n - 1]
    found["auc", "bootstrap"] = float(np.quantile(areas, DELTA))
    return found


def true_values(base: float, shift: float) -> dict[str, float]:
    """Exact, from the normal law."""
    hit = float(norm.cdf(shift / 2))
    law = base * hit, base * (1 - hit), (1 - base) * (1 - hit), (1 - base) * hit
    return {"f1": f1(*law), "mcc": mcc(*law), "auc": float(norm.cdf(shift / np.sqrt(2)))}


def of_numbers(rng: np.random.Generator, n: int, noise: float) -> dict[str, Any]:
    """R² limits from one draw: the target is uniform, the answer has uniform errors beside it."""
    y = rng.random(n)
    f = y + noise * (2 * rng.random(n) - 1)
    wanted = metric_meant("r2:target_range=0/1")
    rows = Unseen(None, np.zeros((n, 1)), y, np.clip(f, 0, 1))
    picks = rng.integers(n, size=(RESAMPLES, n))
    lost = np.square(y - np.clip(f, 0, 1))
    values = 1 - lost[picks].mean(axis=1) / y[picks].var(axis=1)
    found = wanted.state(rows, DELTA).value
    return {("r2", "mercer"): found, ("r2", "bootstrap"): float(np.quantile(values, DELTA))}


def true_r2(noise: float) -> float:
    """Exact up to a million draws."""
    rng = np.random.default_rng(7)
    y = rng.random(1_000_000)
    f = np.clip(y + noise * (2 * rng.random(len(y)) - 1), 0, 1)
    return 1 - float(np.square(y - f).mean()) * 12


def table(draws: int) -> Iterator[str]:
    """Rows of Markdown."""
    yield "| metric | rows | law | truth | tool | mean limit | violations (0.1 allowed) |"
    yield "|---|---|---|---|---|---|---|"
    for n, base, shift in ((100, 0.5, 2.0), (200, 0.2, 2.0), (400, 0.3, 1.5)):
        law, truth = f"positives {base:g}, shift {shift:g}", true_values(base, shift)
        yield from _lines(lambda g, c=(n, base, shift): of_answers(g, *c), truth, n, law, draws)
    for n, noise in ((100, 0.3), (400, 0.3)):
        truth = {"r2": true_r2(noise)}
        law = f"noise {noise:g}"
        yield from _lines(lambda g, c=(n, noise): of_numbers(g, *c), truth, n, law, draws)


def _lines(
    draw: Callable[[np.random.Generator], dict[str, Any]],
    truth: dict[str, float],
    n: int,
    law: str,
    draws: int,
) -> Iterator[str]:
    rng = np.random.default_rng(n)
    kept: dict[tuple[str, str], list[float]] = {}
    for _ in range(draws):
        for key, value in draw(rng).items():
            kept.setdefault(key, []).append(value)
    for (name, tool), values in kept.items():
        limits = np.array(values)
        bad = np.mean(limits > truth[name])
        what = f"| {name} | {n} | {law} | {truth[name]:.3f} | {tool} "
        yield what + f"| {limits.mean():.3f} | {bad:.3f} |"
