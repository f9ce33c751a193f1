"""A table with one column of strings is a list of strings, wherever it comes in."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal

import mercer
from mercer.kernels import Spectrum
from mercer.learners.margin import KernelPerceptron
from mercer.learners.metric import KNNClassifier, LipschitzClassifier
from mercer.learners.multiclass import OneVsRest
from mercer.metrics import Edit

WORDS = ["cat", "bat", "rat", "hat", "house", "mouse", "louse", "rouse"]
Y = np.repeat(["animal", "ouse"], 4)
TABLES = {
    "pandas": pd.DataFrame({"word": WORDS}),
    "pandas-categories": pd.DataFrame({"word": pd.Categorical(WORDS)}),
    "polars": pl.DataFrame({"word": WORDS}),
    "objects": np.array(WORDS, dtype=object)[:, None],
    "text": np.array(WORDS)[:, None],
}
LEARNERS = [
    mercer.SVC(kernel=Spectrum(2)),
    KernelPerceptron(kernel=Spectrum(2)),
    KNNClassifier(1, metric=Edit()),
    LipschitzClassifier("edit"),
    OneVsRest(mercer.SVC(kernel=Spectrum(2))),
]


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: type(one).__name__)
def test_a_table_of_one_column_is_the_list(learner, table):
    expected = learner.fit(WORDS, Y).predict(WORDS)
    assert_array_equal(learner.fit(TABLES[table], Y).predict(TABLES[table]), expected)
    assert_array_equal(learner.predict(WORDS), expected)


def test_kernels_and_metrics_take_it_too():
    for table in TABLES.values():
        assert_array_equal(Spectrum(2)(table), Spectrum(2)(WORDS))
        assert_array_equal(Edit()(table, WORDS), Edit()(WORDS))


def test_several_columns_are_refused_by_name():
    table = pd.DataFrame({"word": WORDS, "other": WORDS})
    with pytest.raises(ValueError, match=r"table of 2 columns.*X\[\['word'\]\]"):
        mercer.SVC(kernel=Spectrum(2)).fit(table, Y)
