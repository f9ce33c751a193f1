"""Progressive validation against an adversary who picks each risk after seeing the past."""

import numpy as np
import pytest

from helpers_validity import check_caught, check_valid, exact_p
from mercer.bounds import Evidence, Progressive, get
from mercer.bounds.numerics import clopper_upper, tune_c

DELTA, DRAWS = 0.05, 2500


def stop_when_winning(m, K, p, limits):
    """Risk p until the mean certificate is already broken, then perfect models."""
    b, c = m // K, tune_c(0.8 * p, m, DELTA)

    def law(rng):
        errors, total = 0, 0.0
        for _ in range(K):
            if total <= m * limits[errors]:
                errors += int(rng.binomial(b, p))
                total += b * p
        run = Progressive(m, errors, models=K, c=c)
        return Evidence(2 * m, progressive=run), total / m

    return law


@pytest.mark.parametrize(("m", "K", "p"), [(500, 20, 0.06), (1500, 50, 0.1)])
def test_fixed_c_survives_and_clopper_pearson_does_not(m, K, p, scale):
    """Negative control of the research note: CP on the mean is violated in 10 to 22 % of draws."""
    c = tune_c(0.8 * p, m, DELTA)
    bound = get("progressive")()

    def valid(evidence, delta):
        return bound.evaluate(evidence, delta).unclipped

    def clopper_on_the_mean(evidence, delta):
        run = evidence.progressive
        return clopper_upper(run.errors, run.rows, delta)

    mine = np.array(
        [
            valid(Evidence(9, progressive=Progressive(m, s, models=K, c=c)), DELTA)
            for s in range(m + 1)
        ]
    )
    theirs = np.array([clopper_upper(s, m, DELTA) for s in range(m + 1)])
    check_valid(stop_when_winning(m, K, p, mine), valid, delta=DELTA, draws=DRAWS * scale)
    wrong = check_caught(
        stop_when_winning(m, K, p, theirs), clopper_on_the_mean, delta=DELTA, draws=DRAWS * scale
    )
    assert 0.08 < wrong / (DRAWS * scale) < 0.25


def greedy_lowering(m, K, p):
    """The adversary lowers the risk whenever that keeps the minimum above the limit reachable."""
    b = m // K

    def law(rng):
        errors, q = 0, p
        for j in range(K):
            errors += int(rng.binomial(b, q))
            if errors >= 0.5 * p * b * (j + 1):
                q *= 0.98
        return Evidence(2 * m, progressive=Progressive(m, errors, models=K, c=0.5)), q

    return law


@pytest.mark.parametrize(("m", "K", "p"), [(500, 20, 0.04), (300, 1, 0.1)])
def test_exact_limit_for_the_best_model(m, K, p, scale):
    bound = get("progressive-min")()
    law = greedy_lowering(m, K, p)
    check_valid(law, lambda e, d: bound.evaluate(e, d).unclipped, delta=DELTA, draws=DRAWS * scale)
    if K == 1:  # nothing adaptive is left, so the limit is nearly attained and a halved one fails
        half = lambda e, d: 0.5 * bound.evaluate(e, d).unclipped  # noqa: E731
        check_caught(law, half, delta=DELTA, draws=DRAWS * scale)
    else:
        plug_in = lambda e, d: 0.6 * e.progressive.errors / e.progressive.rows  # noqa: E731
        check_caught(law, plug_in, delta=DELTA, draws=DRAWS * scale)


def test_lemma_behind_the_minimum():
    """k -> P(Bin(r, U_k) <= k - s) does not decrease; U_k is the exact limit (theorem 3)."""
    from scipy.stats import beta, binom

    for delta in (0.01, 0.05, 0.25):
        for m in (5, 20, 80):
            k = np.arange(m)
            limits = beta.isf(delta, k + 1, m - k)
            for r in np.unique(np.linspace(1, m - 1, 8).astype(int)):
                for s in range(min(m - r, 12) + 1):
                    steps = np.diff(binom.cdf(k - s, r, limits))
                    assert steps.min() > -1e-12


def test_the_harness_itself():
    assert exact_p(0, 300, 0.05) == 1.0
    assert exact_p(300, 300, 0.05) < 1e-100
    with pytest.raises(ValueError, match="300"):
        check_valid(lambda rng: (Evidence(1), 0.0), lambda e, d: 1.0, delta=0.05, draws=100)
    always = lambda rng: (Evidence(1), 0.5)  # noqa: E731
    with pytest.raises(AssertionError, match="violations"):
        check_valid(always, lambda e, d: 0.4, delta=0.05, draws=300)
    with pytest.raises(AssertionError, match="passed"):
        check_caught(always, lambda e, d: 0.6, delta=0.05, draws=300)
