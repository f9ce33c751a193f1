"""Thresholds chosen on counted rows: the risk at the chosen one, for laws that are not monotone."""

from math import comb

import numpy as np
import pytest
from scipy.stats import binom

from mercer.certification.guarantees.recall import highest_threshold
from mercer.certification.guarantees.thresholds import first_rows, plan, walk

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
    rng, bad, found, broken, draws = np.random.default_rng(0), 0, 0, 0, 400
    for _ in range(draws):
        earlier = draw(rng, 60)
        scores, wrong = draw(rng, 200)
        planned = plan(*earlier, 200, TARGET, DELTA)
        chosen = walk(planned.thresholds, scores, wrong, TARGET, DELTA)
        if chosen is not None:
            found += 1
            bad += risk(chosen.threshold) > TARGET
        seemed = best_looking(scores, wrong)
        broken += seemed is not None and risk(seemed) > TARGET
    assert found > 0.5 * draws
    assert binom.sf(bad - 1, draws, DELTA) > 1e-3
    assert binom.sf(broken - 1, draws, DELTA) < 1e-6


def best_looking(scores, wrong):
    """The broken twin: the lowest threshold whose counted error rate keeps the target."""
    order = np.argsort(-scores)
    rates = np.cumsum(wrong[order]) / np.arange(1, len(order) + 1)
    kept = np.flatnonzero(rates[20:] <= TARGET)
    return scores[order[20 + kept[-1]]] if len(kept) else None


def test_a_risk_just_above_the_target_everywhere_passes_with_probability_delta():
    """The worst law. The twin begins wherever the counted rows themselves look best."""
    rng, bad, twin, draws = np.random.default_rng(3), 0, 0, 300
    for _ in range(draws):
        earlier = rng.random(100), rng.random(100) < TARGET + 1e-9
        scores, wrong = rng.random(150), rng.random(150) < TARGET + 1e-9
        places = plan(*earlier, 150, TARGET, DELTA).thresholds
        bad += walk(places, scores, wrong, TARGET, DELTA) is not None
        anywhere = np.quantile(scores, np.linspace(0.0, 0.7, 12))
        twin += any(walk([t], scores, wrong, TARGET, DELTA) is not None for t in anywhere)
    assert binom.sf(bad - 1, draws, DELTA) > 1e-3
    assert binom.sf(twin - 1, draws, DELTA) < 1e-6


def test_the_walk_begins_where_the_chance_to_pass_is_largest():
    """Slow twin: every threshold, binomial sums term by term. Errors get more in four steps."""
    scores = np.linspace(1, 0, 400, endpoint=False)
    wrong = np.zeros(400, dtype=bool)
    for start, every in ((100, 50), (200, 10), (300, 3)):
        wrong[start + every - 1 : 400 if start == 300 else start + 100 : every] = True
    sums = np.concatenate([[0], np.cumsum(wrong)])
    begin, end = np.arange(400)[:, None], np.arange(1, 401)[None, :]
    means = np.where(end > begin, (sums[end] - sums[begin]) / np.maximum(end - begin, 1), np.inf)
    smallest = np.minimum.accumulate(means[:, ::-1], axis=1)[:, ::-1]  # over ends from i + 1 on
    rates = np.array([smallest[: i + 1, i].max() for i in range(400)])  # the best rising fit

    def passes(accepted, rows, p):
        terms = [comb(rows, k) * p**k * (1 - p) ** (rows - k) for k in range(accepted + 1)]
        return sum(terms)

    chances = {}
    planned = plan(scores, wrong, 200, 0.05, 0.05)
    for kept in np.rint(400 * planned.coverage).astype(int).tolist():
        rows, p = round(kept / 2), (rates[:kept].sum() + 0.5) / (kept + 1)
        allowed = max((k for k in range(20) if passes(k, rows, 0.05) <= 0.05), default=-1)
        chances[kept] = passes(allowed, rows, p)
    best = max(chances, key=chances.get)
    assert np.sum(scores >= planned.thresholds[0]) == best
    assert planned.chance == pytest.approx(chances[best], rel=1e-9)
    assert planned.thresholds[-1] == -np.inf
    assert (np.diff(planned.thresholds) < 0).all()
    assert planned.enough(200, 0.05, 0.05) == 200
    hopeless = plan(scores, np.ones(400, dtype=bool), 200, 0.05, 0.05)
    assert hopeless.chance < 1e-6
    assert hopeless.enough(200, 0.05, 0.05) is None


@pytest.mark.parametrize("steps", [None, 12])
def test_positives_are_missed_at_most_so_often(steps):
    """Scores with and without ties; the twin takes the quantile that was seen."""
    rng, draws, m, miss = np.random.default_rng(4), 2000, 120, 0.1
    bad = twin = 0
    given = []
    for _ in range(draws):
        scores = rng.random(m)
        if steps:
            scores = np.floor(steps * scores) / steps
        threshold = highest_threshold(scores, miss, DELTA)
        given.append(threshold)
        bad += threshold > miss + 1e-12  # the share of a uniform law below it; on steps the same
        twin += np.quantile(scores, miss, method="higher") > miss + 1e-12
    assert binom.sf(bad - 1, draws, DELTA) > 1e-3
    if steps is None:
        assert binom.sf(twin - 1, draws, DELTA) < 1e-6
        assert bad > 0.03 * draws  # it is the exact law, up to whole ranks
        assert np.mean(given) > 0.06
    assert highest_threshold(rng.random(21), miss, DELTA) is None
    assert highest_threshold(rng.random(22), miss, DELTA) is not None


def test_too_few_rows_show_nothing():
    assert first_rows(0.01, 0.05) == 299
    rng = np.random.default_rng(1)
    scores = rng.random(298)
    none = np.zeros(298, dtype=bool)
    assert walk(np.array([-np.inf]), scores, none, 0.01, 0.05) is None
    more = np.concatenate([scores, [0.5]])
    assert walk(np.array([-np.inf]), more, np.zeros(299, dtype=bool), 0.01, 0.05).rows == 299
