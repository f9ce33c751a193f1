"""Certificates by counting on laws of known risk, and a twin that counts rows it knows."""

import numpy as np
import pytest

from mercer.certification.counts import certify_counts
from mercer.rows import Split, marks_of_groups, marks_of_places
from mercer.rows.marks import COUNT

DELTA, RISK = 0.2, 0.3


def memorised(seed, n=120):
    """Labels that are noise, and a rule that knows those of all rows but the counted ones.

    Its risk on a new row is exactly ½: every counted error is a fair coin, and on the others it
    makes none.
    """
    rng = np.random.default_rng(seed)
    wrong = rng.random(n) < 0.5
    counted = Split(0.1, 0.3, seed).roles(marks_of_places("file", 0, n, seed)) == COUNT
    return wrong, counted


def missed(certify, runs):
    return sum(certify(seed) < 0.5 for seed in range(runs))


def counted_bound(seed):
    wrong, counted = memorised(seed)
    return certify_counts(int(wrong[counted].sum()), int(counted.sum()), DELTA).value


def broken_bound(seed):
    """Counts all rows, of which the rule knows most."""
    wrong, counted = memorised(seed)
    return certify_counts(int(wrong[counted].sum()), len(wrong), DELTA).value


def too_many(failures, runs):
    """More than chance explains at the stated rate, to within one in a thousand."""
    return failures > DELTA * runs + 3.1 * np.sqrt(runs * DELTA * (1 - DELTA))


@pytest.mark.parametrize("runs", [400, pytest.param(4000, marks=pytest.mark.slow)])
def test_the_counted_certificate_holds_and_one_that_counts_known_rows_does_not(runs):
    assert not too_many(missed(counted_bound, runs), runs)
    assert too_many(missed(broken_bound, runs), runs)


def group_bound(seed, whole):
    """Rows of a group share their fate; a random group errs with probability 0.3."""
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(60), 10)
    wrong = (rng.random(60) < RISK)[groups]
    counted = Split(0.1, 0.4, seed).roles(marks_of_groups(groups, seed)) == COUNT
    rows, errors = int(counted.sum()), int(wrong[counted].sum())
    means = None
    if whole:
        means = np.bincount(groups[counted], wrong[counted], 60)[np.unique(groups[counted])] / 10
    return certify_counts(errors, rows, DELTA, group_means=means).value


def test_whole_groups_count_once_and_their_rows_must_not():
    runs = 300
    assert not too_many(sum(group_bound(seed, True) < RISK for seed in range(runs)), runs)
    assert too_many(sum(group_bound(seed, False) < RISK for seed in range(runs)), runs)


def test_what_was_found_stands_first():
    one = certify_counts(3, 100, copies=0.2, found=("does not cover x.csv",))
    assert "copy among those of training" in one.found[0]
    assert "does not cover x.csv" in one.found
    assert certify_counts(3, 100, copies=0.0001).found == ()
