"""LightGBM's trees as arrays: from a stored dump everywhere, from LightGBM itself where it is."""

import gzip
import json
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import mercer
from mercer.errors import UserError
from mercer.tables import TableMachine
from mercer.tables.contest.race import entrants_for
from mercer.tables.trees import LightTrees
from mercer.tables.trees.light import arrays_of
from mercer.tables.trees.walk import joined

DUMPS = Path(__file__).parent / "fixtures" / "lightgbm.json.gz"
TASKS = [("classification", 2), ("classification", 3), ("regression", 0)]
here = pytest.mark.skipif(find_spec("lightgbm") is None, reason="LightGBM is not installed")


def rows(task, classes=3, n=300, seed=0):
    """Numbers with gaps in two columns, and a column of twelve levels."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    X[:, 0] = rng.integers(0, 12, n)
    X[:, 1:3][rng.random((n, 2)) < 0.1] = np.nan
    signal = np.nan_to_num(X[:, 1]) + np.isin(X[:, 0], (1, 4, 7)) + rng.normal(size=n) * 0.3
    if task == "regression":
        return X, signal
    cuts = np.quantile(signal, np.arange(1, classes) / classes)
    return X, np.array(["low", "mid", "top"])[np.searchsorted(cuts, signal)]


def asked():
    """Rows to ask, with gaps in columns that had none and levels that were not there."""
    X = rows("regression", n=60, seed=1)[0]
    X[:5, 3], X[5:10, 0], X[10:12, 0] = np.nan, np.nan, 200.0
    return X


@pytest.mark.parametrize("case", range(len(TASKS)))
def test_a_stored_dump_answers_as_lightgbm_did(case):
    told = json.loads(gzip.decompress(DUMPS.read_bytes()))[case]
    trees = joined([arrays_of(one) for one in told["trees"]])
    assert (trees.subset >= 0).any()
    X = asked()
    each = trees.value[trees.leaves(X), 0]
    outputs = told["outputs"]
    sums = each.reshape(len(X), -1, outputs).sum(axis=1)
    np.testing.assert_allclose(sums, np.array(told["raw"]).reshape(sums.shape), atol=1e-12)


def test_a_tree_that_is_one_leaf():
    trees = arrays_of({"leaf_value": 0.25})
    assert trees.value[trees.leaves(np.zeros((3, 2))), 0].ravel().tolist() == [0.25] * 3


def test_without_the_package_it_is_named(monkeypatch):
    monkeypatch.setattr("mercer.tables.trees.light.find_spec", lambda name: None)
    monkeypatch.setattr("mercer.tables.contest.entrants.lightgbm.installed", lambda: False)
    X, y = rows("classification")
    with pytest.raises(UserError, match="needs the package lightgbm"):
        TableMachine(learner="lightgbm").fit(X, y)
    trees = TableMachine(learner="trees").fit(X[:60], y[:60])
    assert {e.entrant.name for e in trees.contest_.entries} == {"boosting", "forest"}
    assert "lightgbm" in {one.name for one in entrants_for("trees")}


@here
@pytest.mark.parametrize("categories", [(), (0,)])
@pytest.mark.parametrize(("task", "classes"), TASKS)
def test_the_arrays_say_what_lightgbm_says(task, classes, categories, tmp_path):
    X, y = rows(task, classes)
    made = LightTrees(task, max_iter=12, categories=categories, min_samples_leaf=5).fit(X, y)
    peer = made.grower().fit(X, y, categorical_feature=list(categories) or "auto")
    new = asked()
    if task == "classification":
        told = peer.booster_.predict(new)
        told = np.column_stack([1 - told, told]) if told.ndim == 1 else told
        np.testing.assert_allclose(made.predict_proba(new), told, atol=1e-12)
    else:
        np.testing.assert_allclose(made.predict(new), peer.booster_.predict(new), atol=1e-12)
    mercer.save(made, tmp_path / "trees.mercer")
    again = mercer.load(tmp_path / "trees.mercer")
    assert again.predict(new).tolist() == made.predict(new).tolist()


@here
def test_it_competes_where_it_is_installed():
    X, y = rows("classification", 2)
    machine = TableMachine().fit(X, y)
    told = {row["learner"]: row for row in machine.contest_.table()}
    assert told["lightgbm"]["status"] in ("done", "behind")
    alone = TableMachine(learner="lightgbm", aim="balanced").fit(X, y)
    assert {e.estimator.class_weight for e in alone.contest_.entries} == {"balanced", None}
    assert np.mean(alone.predict(X) == y) > 0.8
