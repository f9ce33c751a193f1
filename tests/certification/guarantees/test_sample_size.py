"""The calculators: exact at their edges."""

import numpy as np
import pytest

from mercer.bounds.numerics import clopper_lower, clopper_upper
from mercer.certification import Monitor
from mercer.certification.guarantees import sample_size


def test_edges():
    assert sample_size.rows_for_coverage(0.9) == 29
    assert sample_size.rows_for_coverage(0.9, slack=0.05) == 89
    assert sample_size.rows_for_target_error(0.01) == 299
    wide = sample_size.rows_for_coverage(0.9, slack=0.05)
    assert 29 < wide < sample_size.rows_for_coverage(0.9, slack=0.02)
    rows = sample_size.rows_for_limit(0.05, expected=0.02)
    assert clopper_upper(-(-2 * rows // 100), rows, 0.05) <= 0.05
    assert 150 < rows < 250
    assert sample_size.rows_for_limit(0.8, expected=0.9) < 100
    assert 150 < sample_size.rows_for_gain(0.04, 0.01) < 500


def test_f1_and_auc_have_the_rows_that_their_certificates_count():
    """At that number the certificate of such counts holds the limit, one row before it does not."""
    for wanted, expected in ((0.7, 0.8), (0.5, 0.9)):
        rows, rate = sample_size.rows_for_f1(wanted, expected), expected / (2 - expected)
        low = clopper_lower(int(rate * rows), rows, 0.05)
        assert 2 * low / (1 + low) >= wanted
        pairs = sample_size.rows_for_auc(wanted, expected)
        assert clopper_lower(int(expected * pairs), pairs, 0.05) >= wanted
    rng, held = np.random.default_rng(0), []
    rows, rate = sample_size.rows_for_f1(0.7, 0.8), 0.8 / 1.2
    for hits in rng.binomial(rows, rate, 400):
        low = clopper_lower(int(hits), rows, 0.05)
        held.append(2 * low / (1 + low) >= 0.7)
    assert 0.35 < np.mean(held) < 0.75, "about half of the draws see less than is expected"
    with pytest.raises(ValueError, match="above the one"):
        sample_size.rows_for_f1(0.8, expected=0.8)
    with pytest.raises(ValueError, match="above the one"):
        sample_size.rows_for_auc(0.9, expected=0.8)


def test_groups_recall_and_weights():
    rows = sample_size.rows_for_groups(2, 0.1, expected=0.1)
    errors = round(0.1 * rows)
    gap = clopper_upper(errors, rows, 0.0125) - clopper_lower(errors, rows, 0.0125)
    assert gap <= 0.1
    assert rows < sample_size.rows_for_groups(6, 0.1, expected=0.1)
    assert sample_size.rows_for_recall(0.95) == 59
    plain = sample_size.rows_for_limit(0.1, expected=0.05)
    assert sample_size.rows_for_weights(0.1, 0.05, largest=1) == plain
    assert sample_size.rows_for_weights(0.1, 0.05, largest=3) > 2 * plain


def test_labels_until_an_alarm_are_about_those_of_simulated_streams():
    for risk in (0.1, 0.15):
        found = []
        for seed in range(40):
            watch, rng = Monitor(0.05), np.random.default_rng(seed)
            while not watch.alarm and watch.labels < 2000:
                watch.update(rng.random(20) < risk)
            found.append(watch.alarm_at or 2000)
        told = sample_size.labels_until_alarm(0.05, risk)
        assert 0.6 < np.median(found) / told < 1.7
    slow, soon = (sample_size.labels_until_alarm(0.05, risk) for risk in (0.08, 0.3))
    assert slow > 5 * soon


def test_bad_input():
    with pytest.raises(ValueError, match="no gain"):
        sample_size.rows_for_gain(0.1, 0.1)
    with pytest.raises(ValueError, match="very rate"):
        sample_size.rows_for_limit(0.1, expected=0.1)
    with pytest.raises(ValueError, match="too near"):
        sample_size.labels_until_alarm(0.05, 0.0501)
    with pytest.raises(ValueError, match="at least 1"):
        sample_size.rows_for_weights(0.1, 0.05, largest=0.5)
    with pytest.raises(ValueError, match="coverage must be"):
        sample_size.rows_for_coverage(1.0)
