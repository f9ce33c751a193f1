"""Support vectors of very many rows keep to their share of the memory limit."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone

import mercer
from mercer.engine import open_engine
from mercer.learners import CellClassifier
from mercer.learners.large import cut_rows
from mercer.learners.large.within_memory import SHARE, told, train_within

RNG = np.random.default_rng(3)
X = RNG.normal(size=(4000, 100)).astype(np.float32)
Y = (X[:, 0] * X[:, 1] + X[:, 2] > 0).astype(np.intp)
PARTS = [lambda a=a: iter([(X[a : a + 800], Y[a : a + 800])]) for a in range(0, 4000, 800)]
MODEL = CellClassifier(mercer.SVC(gamma=0.01), cell_size=100, random_state=0)


@pytest.fixture(autouse=True)
def small_bundles(monkeypatch):
    monkeypatch.setattr(cut_rows, "BUNDLE", 300)


def size(model):
    return sum(len(pickle.dumps(one, protocol=5)) for one in model.fitted_.models.bundles)


def limited(size_of_model, engine=None):
    with mercer.config(memory_limit=int(size_of_model / SHARE)):
        return clone(MODEL).fit_rows(PARTS, engine=engine)


def test_where_all_fits_all_rows_teach_though_some_were_weighed_first(recwarn):
    whole = clone(MODEL).fit_rows(PARTS)
    found = limited(1.05 * size(whole))
    assert not recwarn.list
    assert found.decision_function(X).tobytes() == whole.decision_function(X).tobytes()


@pytest.mark.parametrize("part", [0.7, 0.4])
def test_where_it_does_not_each_cell_learns_from_some(part):
    whole = clone(MODEL).fit_rows(PARTS)
    with pytest.warns(UserWarning, match="of their rows, to keep to the memory limit"):
        found = limited(part * size(whole))
    assert 0.4 * part < size(found) / size(whole) <= part
    assert found.n_cells_ == whole.n_cells_


@pytest.mark.filterwarnings("ignore:machines in cells")
def test_the_rows_are_the_same_whoever_trains():
    half = 0.5 * size(clone(MODEL).fit_rows(PARTS))
    expected = limited(half).decision_function(X).tobytes()
    assert limited(half, open_engine(2)).decision_function(X).tobytes() == expected


def test_few_bundles_are_not_weighed():
    seen = []

    def run(task, bundles):
        seen.append(len(bundles))
        return [task(one) for one in bundles]

    bundles = [cut_rows.Bundle(k, k, k + 1, ("x",), ((0, 50),)) for k in range(20)]
    made, share = train_within(run, lambda b, share: (b.number, share), bundles, 4, limit="1GB")
    assert (seen, share) == ([20], 1.0)
    assert made == [(k, 1.0) for k in range(20)]
    assert told(1.0) == ""
