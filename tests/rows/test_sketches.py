"""Marks and sketches: the same however the rows are parted, and true of all of them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mercer.rows import ColumnSketch, RowSketch, Split, marks_of_groups, marks_of_places
from mercer.rows.marks import COUNT, LEARN, fingerprints

RNG = np.random.default_rng(0)
N = 5000
NUMBERS = RNG.normal(3.0, 2.0, N)
NUMBERS[RNG.random(N) < 0.1] = np.nan
WORDS = np.array(["a", "b", "c", None], dtype=object)[RNG.integers(0, 4, N)]
CUTS = [[2500], [1, 10, 4999], [1000, 1001, 3000]]


def parts(cuts):
    return np.split(np.arange(N), cuts)


def sketched(rows):
    split = Split(seed=1)
    marks = marks_of_places("a", 0, N, 1)[rows]
    prints = fingerprints([(False, NUMBERS[rows].round(2)), (True, WORDS[rows])])
    return RowSketch.of([NUMBERS[rows], WORDS[rows]], marks, prints, split.roles(marks), 300)


@pytest.mark.parametrize("cuts", CUTS)
def test_columns_do_not_depend_on_the_parts(cuts):
    whole = ColumnSketch.of(NUMBERS, False)
    first, *rest = (ColumnSketch.of(NUMBERS[p], False) for p in parts(cuts))
    for other in rest:
        first = first.merge(other)
    present = NUMBERS[~np.isnan(NUMBERS)]
    assert (first.n, first.gaps) == (N, N - len(present)) == (whole.n, whole.gaps)
    assert (first.lowest, first.highest) == (present.min(), present.max())
    assert_allclose([first.mean, first.squares / len(present)], [present.mean(), present.var()])
    words = ColumnSketch.of(WORDS[:100], True).merge(ColumnSketch.of(WORDS[100:], True))
    assert words.levels == {w: int(np.sum(w == WORDS)) for w in "abc"}


def test_too_many_levels_are_let_go():
    many = np.array([str(i) for i in range(2000)], dtype=object)
    one, other = ColumnSketch.of(many[:900], True), ColumnSketch.of(many[900:1800], True)
    assert one.levels is not None
    assert one.merge(other).levels is None


@pytest.mark.parametrize("cuts", CUTS)
def test_samples_do_not_depend_on_the_parts(cuts):
    whole = sketched(np.arange(N))
    first, *rest = (sketched(p) for p in parts(cuts))
    for other in rest:
        first = first.merge(other)
    assert_array_equal(first.marks, whole.marks)
    assert_array_equal(first.sample[0], whole.sample[0])
    assert first.sample[1].tolist() == whole.sample[1].tolist()
    assert_array_equal(first.roles, whole.roles)
    assert (first.repeated, first.counted_copies) == (whole.repeated, whole.counted_copies)


def test_copies_are_counted_as_by_hand():
    marks = marks_of_places("a", 0, N, 1)
    roles = Split(seed=1).roles(marks)
    rows = list(zip(NUMBERS.round(2).tolist(), WORDS.tolist(), strict=True))
    rows = [("gap" if number != number else number, word) for number, word in rows]
    sketch = sketched(np.arange(N))
    assert_allclose(sketch.repeated, 1 - len(set(rows)) / N)
    known = {row for row, role in zip(rows, roles, strict=True) if role != COUNT}
    counted = [row for row, role in zip(rows, roles, strict=True) if role == COUNT]
    assert_allclose(sketch.counted_copies, np.mean([row in known for row in counted]))
    assert 0.05 < sketch.counted_copies < 0.95  # so that a wrong formula would show


def test_roles_have_their_shares_and_follow_the_place():
    marks = marks_of_places("a", 0, 100_000, 0)
    roles = Split(0.1, 0.2).roles(marks)
    assert_allclose(np.bincount(roles) / len(roles), [0.7, 0.1, 0.2], atol=0.005)
    assert_array_equal(marks_of_places("a", 500, 10, 0), marks[500:510])
    for other in (marks_of_places("b", 0, 1000, 0), marks_of_places("a", 0, 1000, 1)):
        same = np.mean(Split().roles(other) == roles[:1000])
        assert abs(same - (0.7**2 + 0.1**2 + 0.2**2)) < 0.06


def test_roles_are_nearly_independent_of_each_other():
    roles = Split(0.0, 0.5).roles(marks_of_places("a", 0, 100_000, 0)) == LEARN
    for lag in (1, 2, 1024):
        assert abs(np.corrcoef(roles[:-lag], roles[lag:])[0, 1]) < 0.015


def test_a_group_has_one_role():
    groups = RNG.integers(0, 50, 2000)
    marks = marks_of_groups(groups, 3)
    assert all(len(np.unique(marks[groups == g])) == 1 for g in range(50))
    assert len(np.unique(marks)) == 50
    assert_array_equal(marks_of_groups(groups.astype(str), 3), marks)
