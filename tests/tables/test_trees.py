"""Trees as arrays say what scikit-learn's trees say, also after a model file."""

from dataclasses import replace

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import mercer
from mercer.errors import DataError
from mercer.tables.trees import BoostedTrees, Forest


def rows(task, classes=3, n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    X[:, 3] = rng.integers(0, 12, n)
    X[rng.random(X.shape) < 0.1] = np.nan
    signal = np.nan_to_num(X[:, 0]) + np.isin(X[:, 3], (1, 4, 7)) + rng.normal(size=n) * 0.3
    if task == "regression":
        return X, signal
    cuts = np.quantile(signal, np.arange(1, classes) / classes)
    return X, np.array(["low", "mid", "top"])[np.searchsorted(cuts, signal)]


@pytest.mark.parametrize("extra", [False, True])
@pytest.mark.parametrize(("task", "classes"), [("classification", 2), ("classification", 3),
                                               ("regression", 0)])  # fmt: skip
def test_a_forest_is_that_of_scikit_learn(task, classes, extra, tmp_path):
    X, y = rows(task, classes)
    made = Forest(task, n_estimators=8, extra=extra, random_state=3)
    peer = made.grower().fit(X[:200], y[:200])
    made.fit(X[:200], y[:200])
    if task == "classification":
        np.testing.assert_allclose(made.predict_proba(X), peer.predict_proba(X), atol=1e-12)
    else:
        np.testing.assert_allclose(made.predict(X), peer.predict(X), atol=1e-12)
    mercer.save(made, tmp_path / "trees.mercer")
    again = mercer.load(tmp_path / "trees.mercer")
    assert again.predict(X).tolist() == made.predict(X).tolist()


@pytest.mark.parametrize("categories", [(), (3,)])
@pytest.mark.parametrize(("task", "classes"), [("classification", 2), ("classification", 3),
                                               ("regression", 0)])  # fmt: skip
def test_boosted_trees_are_those_of_scikit_learn(task, classes, categories, tmp_path):
    X, y = rows(task, classes)
    X[200:210, 3] = 99.0  # a level that was not trained on
    made = BoostedTrees(task, max_iter=10, categories=categories, min_samples_leaf=5)
    made.fit(X[:200], y[:200])
    order = [3, 0, 1, 2, 4] if categories else [0, 1, 2, 3, 4]
    with threadpool_limits(1):
        peer = made.grower().fit(X[:200][:, order], y[:200])
    assert (made.trees_.subset >= 0).any() == bool(categories)
    if task == "classification":
        np.testing.assert_allclose(
            made.predict_proba(X), peer.predict_proba(X[:, order]), atol=1e-12
        )
    else:
        np.testing.assert_allclose(made.predict(X), peer.predict(X[:, order]), atol=1e-12)
    mercer.save(made, tmp_path / "trees.mercer")
    again = mercer.load(tmp_path / "trees.mercer")
    assert again.predict(X).tolist() == made.predict(X).tolist()


def test_arrays_that_are_no_trees_are_refused():
    X, y = rows("regression")
    made = Forest("regression", n_estimators=2).fit(X, y)
    good = made.trees_
    circle = good.left.copy()
    circle[0] = 0  # a walk that would never end
    for bad in (
        replace(good, left=circle),
        replace(good, right=good.right + 10**6),
        replace(good, feature=np.where(good.feature >= 0, 77, -1).astype(np.int32)),
        replace(good, threshold=good.threshold[:-1]),
        replace(good, roots=good.roots - 1),
    ):
        made.trees_ = bad
        with pytest.raises(DataError, match="damaged"):
            made.predict(X)
