"""Coverage of sets and intervals: the exact law of order statistics, and conformal as the twin."""

import numpy as np
import pytest
from scipy.stats import beta, binom

from helpers_validity import check_caught, check_valid
from mercer.bounds import Evidence, HoldOut, get
from mercer.bounds.numerics.order_statistics import (
    band_rank,
    lower_quantile_rank,
    marginal_rank,
    quantile_rank,
    rows_for_share,
)
from mercer.certification.guarantees.sets import Asked, Calibration
from mercer.certification.guarantees.spread import Constant

DELTA = 0.05
HEAVY = np.tan(0.45 * np.pi)  # 90 % of the absolute values of a Cauchy law


@pytest.mark.parametrize("m", [29, 40, 100, 400, 2000])
@pytest.mark.parametrize("share", [0.5, 0.8, 0.9])
def test_ranks_are_the_smallest_that_hold(m, share):
    """P(coverage < share) at rank k is that of a Beta(k, m − k + 1) number: exact."""
    k = quantile_rank(m, share, DELTA)
    assert beta.cdf(share, k, m - k + 1) <= DELTA
    assert beta.cdf(share, k - 1, m - k + 2) > DELTA
    low = lower_quantile_rank(m, 1 - share, DELTA)
    assert low == m + 1 - k
    plain = marginal_rank(m, share)
    assert plain / (m + 1) >= share
    assert beta.cdf(share, plain, m - plain + 1) > 0.3  # the twin: no confidence for these rows


def test_too_few_rows_have_no_rank():
    for share in (0.5, 0.9, 0.99):
        needed = rows_for_share(share, DELTA)
        assert quantile_rank(needed - 1, share, DELTA) is None
        assert quantile_rank(needed, share, DELTA) == needed


def test_all_coverages_at_once():
    """Over 1500 draws every coverage of a grid holds together, but for a share δ of the draws."""
    rng, m, draws, wrong, caught = np.random.default_rng(0), 120, 1500, 0, 0
    grid = np.linspace(0.05, 0.85, 33)
    banded = [band_rank(m, share, DELTA) for share in grid]
    single = [quantile_rank(m, share, DELTA) for share in grid]
    for _ in range(draws):
        scores = np.sort(rng.random(m))  # the coverage of the k-th score is the score itself
        wrong += any(k is not None and scores[k - 1] < s for k, s in zip(banded, grid, strict=True))
        caught += any(scores[k - 1] < s for k, s in zip(single, grid, strict=True))
    assert binom.sf(wrong - 1, draws, DELTA) > 1e-3
    assert binom.sf(caught - 1, draws, DELTA) < 1e-6


def heavy_tail(rng):
    """Cauchy errors of 60 rows; the truth is their 90 % quantile."""
    errors = np.abs(rng.standard_cauchy(60))
    return Evidence(60, task="regression", holdout=HoldOut(60, losses=errors)), HEAVY


def test_the_quantile_of_the_error_needs_no_range():
    def limit(evidence, delta):
        return get("holdout-quantile")().evaluate(evidence, delta).value

    def seen(evidence, delta):
        return get("holdout-quantile")().evaluate(evidence, delta).observed

    check_valid(heavy_tail, limit, delta=DELTA, draws=600)
    check_caught(heavy_tail, seen, delta=DELTA, draws=600)


class Zero:
    classes_ = np.array([0, 1, 2])

    def predict(self, X):
        return np.zeros(len(X))


def test_half_widths_against_the_oracle():
    """Gaussian errors: 1.25 of the oracle at 100 held-out rows, 1.10 at 400, and valid."""
    rng, oracle = np.random.default_rng(2), 1.6448536
    for m, most in ((100, 1.25), (400, 1.10)):
        widths = []
        for _ in range(400):
            scores = np.abs(rng.normal(size=m))
            made = Calibration("regression", scores, DELTA, spread=Constant())
            ends = made.intervals(Zero(), np.zeros((1, 1)), Asked(0.9))
            widths.append(ends[0, 1])
        assert np.mean(widths) <= most * oracle
        assert binom.sf(np.sum(np.array(widths) < oracle) - 1, 400, DELTA) > 1e-3


def test_every_class_and_every_kind_has_its_own_coverage():
    """Three kinds with other scales: coverage within each, one threshold for all as the twin."""
    rng, draws, wrong, caught = np.random.default_rng(3), 500, 0, 0
    for _ in range(draws):
        by = rng.choice(3, 300, p=[0.5, 0.25, 0.25])
        scores = rng.random(300) * (1 + by)
        made = Calibration("regression", scores, DELTA, by=by, spread=Constant())
        own = made.thresholds(Asked(0.8, by=by))
        wrong += any(own[str(g)] / (1 + g) < 0.8 for g in range(3))
        caught += made.thresholds(Asked(0.8))["all rows"] / 3 < 0.8
    assert binom.sf(wrong - 1, draws, DELTA) > 1e-3
    assert caught > 0.5 * draws
