"""Rows of a large table are prepared when they are asked for, to the same bits."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from mercer._marks import distinct
from mercer.tables.contest.entrant import PreparedLater, every_row
from mercer.tables.forms import FORMS
from mercer.tables.preparation import TablePreparation

RNG = np.random.default_rng(0)
TABLE = np.empty((300, 3), dtype=object)
TABLE[:, 0] = RNG.normal(size=300)
TABLE[:, 1] = RNG.choice(["a", "b", "c"], 300)
TABLE[:, 2] = RNG.integers(0, 9, 300).astype(float)


@pytest.mark.parametrize("form", list(FORMS))
def test_parts_and_the_whole_are_those_of_one_transform(form):
    fitted = TablePreparation(["x", "k", "n"], ["number", "text", "number"], form=form).fit(TABLE)
    later, now = PreparedLater(fitted, TABLE, 300), fitted.transform(TABLE)
    rows = RNG.choice(300, 50, replace=False)

    def dense(Z):
        return Z.toarray() if hasattr(Z, "toarray") else Z

    assert later.shape == now.shape
    assert_array_equal(dense(later[rows]), dense(now)[rows])
    assert_array_equal(dense(every_row(later)), dense(now))
    assert every_row(now) is now
    assert later.nnz == getattr(now, "nnz", now.size)


@pytest.mark.parametrize("count", [0, 1, 2, 500])
def test_distinct_marks_are_those_of_unique(count):
    marks = RNG.integers(0, 40, count).astype(np.uint64)
    assert distinct(marks) == len(np.unique(marks))
