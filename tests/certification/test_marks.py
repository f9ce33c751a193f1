"""Marks of rows: equal rows share one whatever holds them, other rows do not."""

import hashlib
import math
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from mercer._marks import digest, row_marks, with_labels
from mercer._quick_marks import quick_marks, quick_salt

MASK = 2**64 - 1
STEP = 0x9E3779B97F4A7C15


def slow_mixed(bits):
    bits = (bits + STEP) & MASK
    bits = ((bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    bits = ((bits ^ (bits >> 27)) * 0x94D049BB133111EB) & MASK
    return bits ^ (bits >> 31)


def slow_mark(row, key=b""):
    """One row after another, in whole numbers of Python."""
    seed = int.from_bytes(hashlib.blake2b(key, digest_size=8).digest(), "little")
    total = seed
    for j, value in enumerate(row):
        if value == 0:
            continue
        bits = struct.unpack("<Q", struct.pack("<d", value))[0]
        bits = 0x7FF8000000000000 if math.isnan(value) else bits
        place = slow_mixed((seed + (j + 1) * STEP) & MASK)
        total += slow_mixed(bits ^ place)
    return slow_mixed(total & MASK)


class Frame:
    """A data frame as far as marks look at one: named columns that become arrays."""

    def __init__(self, columns):
        self.held = {f"column {i}": column for i, column in enumerate(columns)}
        self.columns = list(self.held)
        self.shape = (len(columns[0]), len(columns))

    def __getitem__(self, name):
        return Column(self.held[name])

    def to_numpy(self):
        raise AssertionError("a table of texts and numbers would become one of objects")


class Column:
    def __init__(self, values):
        self.values = values

    def to_numpy(self):
        return self.values


numbers = st.one_of(st.floats(), st.sampled_from([0.0, -0.0, 1.0, math.nan]))


@given(
    st.lists(st.lists(numbers, min_size=3, max_size=3), min_size=1, max_size=5),
    st.binary(max_size=16),
)
def test_the_fast_marks_are_the_slow_ones(table, key):
    expected = [slow_mark(row, key) for row in table]
    assert row_marks(np.array(table), key).tolist() == expected


TABLE = np.array([[0.0, 1.5, 0], [-0.0, 1.5, -0.0], [2, 0, 1], [0, 0, 0]])


def test_every_container_gives_the_same_marks():
    expected = row_marks(TABLE).tolist()
    assert expected[0] == expected[1]
    assert len(set(expected)) == 3
    for other in (
        TABLE.tolist(),
        Frame(TABLE.T),
        sparse.csr_matrix(TABLE),
        sparse.coo_array(TABLE),
        TABLE.astype(object),
        np.asfortranarray(TABLE),
    ):
        assert row_marks(other).tolist() == expected
    assert row_marks(TABLE[2:3].astype(int)).tolist() == expected[2:3]


def test_texts_objects_and_gaps():
    cells = [["x", "y", "x", None], [1.0, 2.0, 1.0, None]]
    frame = Frame([np.array(column, dtype=object) for column in cells])
    marks = row_marks(frame)
    assert marks[0] == marks[2]
    assert len(set(marks.tolist())) == 3
    assert np.array_equal(marks, row_marks(np.array(cells, dtype=object).T))
    texts = ["caf\u00e9", "cafe\u0301", "cafe", "1"]
    assert row_marks(texts)[0] == row_marks(texts)[1]
    assert len(set(row_marks(texts).tolist())) == 3
    assert row_marks(["1"])[0] != row_marks([1.0])[0]
    graphs = [{1: [2, 3]}, {1: [2, 3]}, {1: [2], 3: []}, (1, [2, 3]), (1, 2, [3])]
    marks = row_marks(graphs)
    assert marks[0] == marks[1]
    assert len(set(marks.tolist())) == 4


def test_columns_count():
    assert row_marks([[1.0, 2.0]])[0] != row_marks([[2.0, 1.0]])[0]
    assert row_marks([["a", "b"]])[0] != row_marks([["b", "a"]])[0]


def test_kernel_rows_are_compared_to_single_precision():
    rng = np.random.default_rng(0)
    kernel = rng.normal(size=(50, 50))
    noisy = kernel * (1 + 1e-15 * rng.normal(size=kernel.shape))
    assert np.array_equal(row_marks(kernel, pairwise=True), row_marks(noisy, pairwise=True))
    assert not np.array_equal(row_marks(kernel), row_marks(noisy))


def test_labels_keys_salts_and_digests():
    marks = row_marks(TABLE)
    told = with_labels(marks, ["a", "b", "a", "a"])
    assert told[0] != told[1]
    assert with_labels(marks, None) is marks
    assert digest(marks) == digest(marks[::-1])
    assert digest(marks) != digest(marks[:3])
    other = row_marks(TABLE, quick_salt(TABLE))
    assert not set(other.tolist()) & set(marks.tolist())


@pytest.mark.parametrize("n", [200_000])
def test_no_two_different_rows_share_a_mark(n):
    """At 2⁶⁴ values, 200,000 rows would meet once in 10⁹ such tests."""
    rows = np.column_stack([np.arange(n) // 450, np.arange(n) % 450]).astype(float)
    assert len(np.unique(row_marks(rows))) == n


def slow_quick_mark(row, key):
    """A quick mark in whole numbers of Python."""
    start, turn = struct.unpack("<QQ", key)
    for j, value in enumerate(row):
        word = struct.unpack("<I", struct.pack("<f", value))[0] if value else 0
        word = 0x7FF80000 if math.isnan(value) else word
        start += word * (slow_mixed((j * STEP) & MASK) ^ turn)
    return start & MASK


def test_quick_marks_are_sums_of_keys_times_words():
    rng, key = np.random.default_rng(0), bytes(range(16))
    table = rng.normal(size=(40, 7)) * (rng.random((40, 7)) < 0.6)
    table[3, 2], table[4, 4] = -0.0, np.nan
    slow = [slow_quick_mark(row, key) for row in table.tolist()]
    assert quick_marks(table, key).tolist() == slow
    assert quick_marks(table.astype(np.float32), key).tolist() == slow
    assert quick_marks(np.asfortranarray(table), key).tolist() == slow
    assert quick_marks(table.tolist(), key).tolist() == slow
    for kind in (sparse.csr_array, sparse.csc_matrix, sparse.coo_array):
        assert quick_marks(kind(table), key).tolist() == slow


def test_quick_marks_of_objects_are_row_marks():
    key = bytes(range(16))
    for rows in (["a", "bc", "a"], [[1, 2], [1]], np.array([["a", 1.0], ["b", 2.0]], dtype=object)):
        assert np.array_equal(quick_marks(rows, key), row_marks(rows, key))


def test_numbers_beyond_single_precision_are_marked_quietly():
    table = np.array([[1e300, 1.0], [-1e300, 1.0], [1e-300, 1.0], [0.0, 1.0]])
    marks = quick_marks(table, bytes(16))
    assert len(set(marks.tolist())) == 3  # what underflows is zero
    assert marks[2] == marks[3]


@pytest.mark.parametrize("n", [200_000])
def test_no_two_different_rows_share_a_quick_mark(n):
    """Small whole numbers have few bits that differ: the hardest rows for a sum of products."""
    rows = np.column_stack([np.arange(n) // 450, np.arange(n) % 450]).astype(float)
    assert len(np.unique(quick_marks(rows, quick_salt(rows)))) == n


def test_salts_follow_the_input():
    rng = np.random.default_rng(0)
    table = rng.normal(size=(100, 3))
    for rows in (table, sparse.csr_array(table), [str(v) for v in table[:, 0]]):
        assert quick_salt(rows) == quick_salt(rows)
    assert len({quick_salt(table), quick_salt(table[1:]), quick_salt(table + 1)}) == 3
