"""The watch: false alarms at most at their rate over whole streams, and how soon it sees."""

from functools import cache

import numpy as np
from scipy.stats import beta, binom

from mercer.certification import Monitor
from mercer.certification.guarantees import monitor as watch


def first_alarms(rate, draws, length, seed, limit=0.05):
    """After how many labels each of many streams raises the alarm; length + 1 for never.

    The twin of `Monitor` for many streams at once, compared with it below.
    """
    wrong = np.random.default_rng(seed).random((draws, length)) < rate
    return _alarms(wrong, limit)


def _alarms(wrong, limit):
    draws, length = wrong.shape
    rates = np.array([times * limit for times in watch.TIMES])
    prior = np.array(list(watch.TIMES.values()))
    total = np.zeros((draws, length))
    for j, start in enumerate(range(0, length, watch.EVERY)):
        weight = watch.FIRST if j == 0 else (1 - watch.FIRST) / (j * (j + 1))
        logs = np.where(wrong[:, start:, None], np.log(rates / limit),
                        np.log((1 - rates) / (1 - limit)))  # fmt: skip
        total[:, start:] += weight * (np.exp(np.cumsum(logs, axis=1)) * prior).sum(axis=2)
    hit = total >= 100
    return np.where(hit.any(axis=1), hit.argmax(axis=1) + 1, length + 1)


def test_the_twin_is_the_monitor():
    wrong = np.random.default_rng(3).random((6, 320)) < 0.12
    for stream, expected in zip(wrong, _alarms(wrong, 0.05), strict=True):
        monitor = Monitor(0.05)
        monitor.update(stream)
        found = monitor.alarm_at or 321
        assert abs(found - expected) <= 2  # the weight of unused starts is not in the twin


def test_false_alarms_and_delays():
    """1 % over 1500 labels without a change; twice the risk is seen after 250 at the median."""
    quiet = first_alarms(0.05, 600, 1500, seed=0)
    assert binom.sf(np.sum(quiet <= 1500) - 1, 600, 0.01) > 1e-3
    assert np.median(first_alarms(0.10, 300, 1000, seed=1)) <= 250
    assert np.median(first_alarms(0.15, 300, 600, seed=2)) <= 120


def test_a_fixed_sample_test_looked_at_again_and_again_is_caught():
    """The broken twin: an exact binomial test after every label."""
    wrong = np.cumsum(np.random.default_rng(4).random((300, 600)) < 0.05, axis=1)
    n = np.arange(1, 601)
    p = binom.sf(wrong - 1, n, 0.05)
    alarms = int((p < 0.01).any(axis=1).sum())
    assert binom.sf(alarms - 1, 300, 0.01) < 1e-6


def test_a_change_after_a_long_quiet_time_is_seen():
    rng, seen = np.random.default_rng(5), []
    for _ in range(12):
        stream = np.concatenate([rng.random(900) < 0.03, rng.random(500) < 0.2])
        seen.append(_alarms(stream[None, :], 0.05)[0] - 900)
    assert np.median(seen) < 250


@cache
def _both_hold(n, k):
    """Whether the two intervals after n labels with k errors hold 0.1."""
    monitor = Monitor(0.5)
    monitor.labels, monitor.errors = n, k
    low, high = monitor.risk_interval(0.1)
    exact = beta.ppf(0.05, k, n - k + 1) if k else 0.0, beta.ppf(0.95, k + 1, n - k)
    return low <= 0.1 <= high, exact[0] <= 0.1 <= exact[1]


def test_limits_at_all_times_hold_together():
    """The confidence sequence, and Clopper and Pearson's interval at every time as the twin."""
    rng, wrong, caught = np.random.default_rng(6), 0, 0
    checks = np.unique(np.geomspace(5, 800, 40).astype(int))
    for _ in range(200):
        count = np.cumsum(rng.random(800) < 0.1)
        bad = broken = False
        for n in checks:
            always, now = _both_hold(int(n), int(count[n - 1]))
            bad, broken = bad or not always, broken or not now
        wrong, caught = wrong + bad, caught + broken
    assert binom.sf(wrong - 1, 200, 0.1) > 1e-3
    assert binom.sf(caught - 1, 200, 0.1) < 1e-6


def test_outputs_without_labels():
    rng, alarms = np.random.default_rng(7), 0
    for _ in range(60):
        monitor = Monitor(0.1, 0.05, rng.random(150))
        alarms += monitor.update(outputs=rng.random(150))["drift"]
    assert binom.sf(alarms - 1, 60, 0.05) > 1e-3
    monitor = Monitor(0.1, 0.01, rng.random(200))
    assert monitor.update(outputs=0.6 + 0.4 * rng.random(150))["drift"]
