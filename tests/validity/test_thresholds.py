"""Thresholds chosen on counted rows: the risk at the chosen one, for laws that are not monotone."""

import numpy as np
from scipy.stats import binom

from mercer.certification.guarantees.thresholds import best_walk, first_rows, grid_of, walk

DELTA, TARGET = 0.1, 0.1
# error rate by score, in ten bands from the surest down: it falls and rises again
BANDS = np.array([0.02, 0.02, 0.05, 0.2, 0.02, 0.02, 0.1, 0.3, 0.4, 0.5])


def risk(threshold):
    """Exact risk of rows that score at least so much; scores are uniform."""
    if threshold <= 0:
        return BANDS.mean()
    edges = 1 - np.arange(11) / 10  # 1, 0.9, ..., 0
    part = np.clip(edges[:-1] - np.maximum(edges[1:], threshold), 0, None)
    return float(part @ BANDS / part.sum())


def draw(rng, n):
    scores = rng.random(n)
    band = np.minimum((10 * (1 - scores)).astype(int), 9)
    return scores, rng.random(n) < BANDS[band]


def test_the_walk_keeps_the_target_and_the_best_looking_threshold_does_not():
    rng, bad, found, broken, draws = np.random.default_rng(0), 0, 0, 0, 800
    for _ in range(draws):
        earlier, _ = draw(rng, 60)
        scores, wrong = draw(rng, 200)
        grid = grid_of(earlier, 0.1)
        chosen = best_walk(earlier, scores, wrong, TARGET, DELTA)
        if chosen is not None:
            found += 1
            bad += risk(chosen.threshold) > TARGET
        rates = [np.mean(wrong[scores >= t]) if (scores >= t).any() else 1.0 for t in grid]
        seemed = [t for t, rate in zip(grid, rates, strict=True) if rate <= TARGET]
        broken += bool(seemed) and risk(min(seemed)) > TARGET
    assert found > 0.3 * draws
    assert binom.sf(bad - 1, draws, DELTA) > 1e-3
    assert binom.sf(broken - 1, draws, DELTA) < 1e-6


def test_too_few_rows_show_nothing():
    assert first_rows(0.01, 0.05) == 299
    rng = np.random.default_rng(1)
    scores = rng.random(298)
    none = np.zeros(298, dtype=bool)
    assert walk(np.array([-np.inf]), scores, none, 0.01, 0.05) is None
    more = np.concatenate([scores, [0.5]])
    assert walk(np.array([-np.inf]), more, np.zeros(299, dtype=bool), 0.01, 0.05).rows == 299
