"""Learners of two classes on more: each class against the rest, by the template, for all alike."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import is_classifier

import mercer
from mercer.datasets import load_iris
from mercer.kernels import Gaussian
from mercer.learners import available
from mercer.learners._rest import RestFitted
from mercer.learners.discriminant import LinearERM
from mercer.learners.margin import AdaptiveMarginMachine, LeaveOneOutMachine
from mercer.learners.multiclass import OneVsRest
from mercer.solvers import slack_lp

TABLE = load_iris()
X = ((TABLE.X - TABLE.X.mean(axis=0)) / TABLE.X.std(axis=0))[::2]
Y = np.array(["setosa", "versicolor", "virginica"])[TABLE.y][::2]
OF_TWO = {
    name: cls
    for name, cls in available().items()
    if is_classifier(cls()) and getattr(cls, "_against_rest", False)
}


def example_of(name):
    """The logistic loss has a form of its own for several classes; other losses have not."""
    examples = OF_TWO[name].examples()
    return next((e for e in examples if getattr(e, "loss", "") == "hinge"), examples[0])


def fitted(model, *args, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(*args, **options)


@pytest.mark.parametrize("name", OF_TWO)
def test_several_classes_are_each_against_the_rest(name):
    example = example_of(name)
    model = fitted(example, X, Y)
    wrapped = fitted(OneVsRest(example_of(name)), X, Y)
    assert isinstance(model.fitted_, RestFitted)
    assert_array_equal(model.classes_, wrapped.classes_)
    assert_array_equal(model.decision_function(X), wrapped.decision_function(X))
    assert_array_equal(model.predict(X), wrapped.predict(X))
    assert len(model.estimators_) == 3


@pytest.mark.parametrize("name", OF_TWO)
def test_evidence_is_that_of_the_wrapper(name):
    example = example_of(name)
    model = fitted(example, X, Y)
    wrapped = fitted(OneVsRest(example_of(name)), X, Y)
    found, expected = model.evidence_, wrapped.evidence_
    assert (found.n, found.n_classes, found.errors) == (75, 3, expected.errors)
    assert found.errors == np.sum(model.predict(X) != Y)
    assert repr(found.machines) == repr(expected.machines)
    assert found.choices == expected.choices
    assert model.certificates_.keys() == wrapped.certificates_.keys()
    for code, certificate in model.certificates_.items():
        assert certificate.value == wrapped.certificates_[code].value


def test_weights_sparse_rows_matrices_and_files(tmp_path):
    weight = np.where(np.arange(len(Y)) % 3, 1.0, 0.0)
    machine = AdaptiveMarginMachine(gamma=0.5)
    kept = weight > 0
    heavy = fitted(machine, X, Y, sample_weight=weight).decision_function(X)
    alone = fitted(AdaptiveMarginMachine(gamma=0.5), X[kept], Y[kept])
    assert_allclose(heavy, alone.decision_function(X), rtol=1e-3, atol=1e-3)
    assert machine.evidence_.n == kept.sum()
    thin = fitted(AdaptiveMarginMachine(gamma=0.5), sparse.csr_array(X), Y)
    dense = fitted(AdaptiveMarginMachine(gamma=0.5), X, Y)
    assert_allclose(thin.decision_function(sparse.csr_array(X)), dense.decision_function(X), 1e-4)
    K = Gaussian(1.0)(X)
    given = fitted(LeaveOneOutMachine(kernel="precomputed"), K, Y)
    assert_allclose(
        given.decision_function(K),
        fitted(LeaveOneOutMachine(gamma=0.5), X, Y).decision_function(X),
        rtol=1e-4,
        atol=1e-4,
    )
    again = mercer.load(mercer.save(given, tmp_path / "model.mercer"))
    assert_array_equal(again.decision_function(K), given.decision_function(K))
    assert again.evidence_ == given.evidence_


def test_coefficients_of_planes_are_stacked():
    model = fitted(LinearERM(method="hinge"), X, Y)
    assert model.coef_.shape == (3, 4)
    assert model.intercept_.shape == (3,)
    assert_allclose(X @ model.coef_.T + model.intercept_, model.decision_function(X))


def test_two_classes_after_several_and_back():
    model = LinearERM(method="hinge").fit(X, Y)
    two = Y != "virginica"
    model.fit(X[two], Y[two])
    assert model.coef_.shape == (1, 4)
    assert not hasattr(model, "estimators_")
    assert model.fit(X, Y).decision_function(X).shape == (75, 3)


def test_a_warm_start_knows_the_machine_of_each_class(monkeypatch):
    model = fitted(AdaptiveMarginMachine(gamma=0.5, warm_start=True), X, Y)
    before = [machine.programme_ for machine in model.estimators_]
    values, solve, starts = model.decision_function(X), slack_lp.solve, []

    def noted(*args, start=None, **options):
        starts.append(start)
        return solve(*args, start=start, **options)

    monkeypatch.setattr(slack_lp, "solve", noted)
    again = fitted(model, X, Y)
    assert all(one is other for one, other in zip(starts, before, strict=True))
    assert_allclose(again.decision_function(X), values, rtol=1e-3, atol=1e-3)


def test_labels_that_are_numbers_of_a_regression_are_refused():
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        AdaptiveMarginMachine().fit(X, X[:, 0])
