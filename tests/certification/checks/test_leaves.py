"""Leaves of trees are read as scikit-learn reads them, and tell parts of the training rows."""

import numpy as np
import pytest
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
)
from threadpoolctl import threadpool_limits

from mercer.certification.checks.boosting import evenly_like_training_rows
from mercer.certification.checks.leaves import trees_of
from mercer.certification.checks.trees import grown_on

rng = np.random.default_rng(0)
X = rng.normal(size=(300, 8))
Y = rng.integers(0, 2, 300)


@pytest.fixture(autouse=True)
def one_thread():
    with threadpool_limits(1):
        yield


def test_leaves_of_histograms_give_the_predictions():
    """A sum of the values of the leaves, gaps included."""
    table = np.where(rng.random(X.shape) < 0.1, np.nan, X)
    model = HistGradientBoostingRegressor(max_iter=5).fit(table, X[:, 0])
    total = np.full(300, float(np.ravel(model._baseline_prediction)[0]))
    for tree, (part,) in zip(trees_of(model, table), model._predictors, strict=True):
        values = part.nodes["value"][part.nodes["is_leaf"].astype(bool)]
        total += values[tree.leaf]
        assert np.array_equal(tree.found, tree.grown)
    np.testing.assert_allclose(total, model.predict(table))


def test_leaves_of_trees_are_those_of_apply():
    model = RandomForestClassifier(3, random_state=0).fit(X, Y)
    for tree, member in zip(trees_of(model, X), model.estimators_, strict=True):
        leaves = np.unique(member.apply(X), return_inverse=True)[1]
        assert np.array_equal(np.unique(tree.leaf, return_inverse=True)[1], leaves)


def test_categories_and_texts_are_left_alone():
    model = HistGradientBoostingClassifier(max_iter=3, categorical_features=[0])
    table = np.column_stack([rng.integers(0, 4, 300), X])
    labels = (table[:, 0] == 2) * 1
    model.fit(table, labels)
    assert trees_of(model, table) == []
    assert evenly_like_training_rows(model, table, labels) is None
    assert trees_of(model, [["a"] * 9] * 3) == []


@pytest.mark.parametrize(
    "learner",
    [
        GradientBoostingClassifier(n_estimators=20, max_depth=4, random_state=0),
        GradientBoostingRegressor(n_estimators=20, max_depth=4, random_state=0),
        HistGradientBoostingClassifier(max_iter=20, min_samples_leaf=10),
    ],
    ids=["classifier", "regressor", "histograms"],
)
def test_half_of_the_rows_is_told_and_as_many_new_rows_are_not(learner):
    target = Y if hasattr(learner, "predict_proba") else X[:, 0] + rng.normal(size=300)
    model = learner.fit(X, target)
    assert grown_on(model, X)
    assert evenly_like_training_rows(model, X[:160], target[:160]) <= 0.01
    Z = rng.normal(size=(160, 8))
    new = Z[:, 0] > 0 if hasattr(learner, "predict_proba") else Z[:, 0]
    assert evenly_like_training_rows(model, Z, new) > 0.05
    assert not grown_on(model, Z)


def test_p_values_of_new_rows_are_small_no_more_often_than_they_say():
    found = []
    for seed in range(60):
        draw = np.random.default_rng(seed)
        table, labels = draw.normal(size=(200, 4)), draw.integers(0, 2, 200)
        model = GradientBoostingClassifier(n_estimators=5, random_state=0)
        model.fit(table[:120], labels[:120])
        found.append(evenly_like_training_rows(model, table[120:], labels[120:]))
    assert np.mean(np.array(found) <= 0.2) <= 0.25
    assert min(found) > 1e-3
