"""Recursive elimination: scikit-learn's for planes, and what a kernel sees and a plane does not."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.feature_selection import RFE
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC as TheirSVC

from mercer import SVC
from mercer.learners.discriminant import KernelLogistic
from mercer.selection.features import FeatureElimination, loss_of_columns

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 6))


def test_planes_are_those_of_scikit_learn():
    y = X @ [3.0, 0.0, -2.0, 0.5, 0.0, 1.0] + 0.3 * RNG.normal(size=90) > 0
    ours = FeatureElimination(SVC(kernel="linear", tol=1e-8), n_features_to_select=2).fit(X, y)
    theirs = RFE(TheirSVC(kernel="linear", tol=1e-8), n_features_to_select=2).fit(X, y)
    assert ours.ranking_.tolist() == theirs.ranking_.tolist()
    model = SVC(kernel="linear", tol=1e-8).fit(X, y)
    assert loss_of_columns(model, X, y) == pytest.approx(model.coef_[0] ** 2, rel=1e-5)


@pytest.mark.parametrize("machine", [SVC(C=10.0), KernelLogistic(C=10.0)], ids=["svc", "logistic"])
def test_a_product_of_two_columns_is_found(machine):
    y = X[:, 1] * X[:, 4] > 0
    found = FeatureElimination(machine, n_features_to_select=2).fit(X, y)
    assert np.flatnonzero(found.support_).tolist() == [1, 4]
    assert found.transform(X).shape == (90, 2)
    assert np.mean(found.predict(X) == y) > 0.9


def test_several_classes_steps_and_pipelines():
    iris, kinds = load_iris(return_X_y=True)
    rows = np.column_stack([iris, RNG.normal(size=(150, 2))])
    found = FeatureElimination(SVC(kernel="linear"), n_features_to_select=3, step=2).fit(
        rows, kinds
    )
    assert not found.support_[4:].any()
    assert sorted(found.ranking_) == [1, 1, 1, 2, 3, 4]
    piped = make_pipeline(FeatureElimination(SVC(), n_features_to_select=2), SVC())
    assert piped.fit(rows, kinds).score(rows, kinds) > 0.9
    with pytest.raises(ValueError, match="n_features_to_select"):
        FeatureElimination(SVC(), n_features_to_select=9).fit(rows, kinds)
