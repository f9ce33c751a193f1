"""class_weight of logistic classification, against scikit-learn's and against row weights."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

from mercer.learners.discriminant import LogisticClassifier

IRIS = load_iris()
X, Y = IRIS.data[20:130], IRIS.target[20:130]  # 30, 50 and 30 rows
WEIGHT = np.random.default_rng(0).uniform(0.5, 2.0, len(Y))


@pytest.mark.parametrize("weights", ["balanced", {0: 2.0, 1: 0.5, 2: 3.0}])
@pytest.mark.parametrize("sample_weight", [None, WEIGHT])
@pytest.mark.parametrize("classes", [2, 3])
def test_as_scikit_learn(weights, sample_weight, classes):
    rows = classes > Y if isinstance(weights, str) else 2 - classes < Y
    own = None if sample_weight is None else sample_weight[rows]
    if isinstance(weights, dict):
        weights = {k: v for k, v in weights.items() if k in Y[rows]}
    ours = LogisticClassifier(class_weight=weights, tol=1e-9).fit(X[rows], Y[rows], own)
    theirs = LogisticRegression(class_weight=weights, tol=1e-9, max_iter=10_000)
    theirs.fit(X[rows], Y[rows], own)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-3)


def test_they_are_factors_on_the_rows():
    factor = np.array([1.0, 3.0, 0.5])
    named = LogisticClassifier(class_weight=dict(enumerate(factor)), tol=1e-9).fit(X, Y)
    rows = LogisticClassifier(tol=1e-9).fit(X, Y, sample_weight=factor[Y])
    assert_allclose(named.coef_, rows.coef_, atol=1e-6)


def test_balanced_is_a_choice_and_bad_weights_are_refused():
    model = LogisticClassifier(class_weight="balanced").fit(X, Y)
    assert [choice.what for choice in model.evidence_.choices] == ["class_weight"]
    with pytest.raises(ValueError, match="not negative"):
        LogisticClassifier(class_weight={0: -1.0}).fit(X, Y)
    with pytest.raises(ValueError, match="one class only"):
        LogisticClassifier(class_weight={0: 0.0, 1: 0.0}).fit(X, Y)
    with pytest.raises(ValueError, match="class_weight"):
        LogisticClassifier(class_weight="even").fit(X, Y)
