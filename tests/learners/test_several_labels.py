"""Rows with several labels: a matrix of zeros and ones, beside scikit-learn's wrapper."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_multilabel_classification
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier

import mercer
from mercer.learners.margin import Perceptron
from mercer.learners.multiclass import DecisionDAG, OneVsOne, OneVsRest

X, LABELS = make_multilabel_classification(80, n_features=6, n_classes=3, random_state=0)


def test_answers_of_scikit_learn():
    ours = OneVsRest(LogisticRegression()).fit(X, LABELS)
    theirs = OneVsRestClassifier(LogisticRegression()).fit(X, LABELS)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-12)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-12)
    assert ours.score(X, LABELS) == theirs.score(X, LABELS)
    assert ours.multilabel_
    assert ours.classes_.tolist() == [0, 1, 2]


def test_two_labels_are_not_two_classes():
    model = OneVsRest(mercer.SVC(gamma=0.1)).fit(X, LABELS[:, :2])
    assert model.decision_function(X).shape == model.predict(X).shape == (80, 2)
    alone = mercer.SVC(gamma=0.1).fit(X, LABELS[:, 1])
    np.testing.assert_array_equal(model.predict(X)[:, 1], alone.predict(X))


def test_sparse_labels_get_sparse_answers_and_matrices_of_pairs_are_rows():
    plain = OneVsRest(mercer.SVC(gamma=0.1)).fit(X, LABELS)
    given = OneVsRest(mercer.SVC(kernel="precomputed"))
    gram = mercer.kernels.Gaussian(5.0**0.5)(X)  # gamma = 0.1
    found = given.fit(gram, sparse.csr_matrix(LABELS)).predict(gram)
    assert sparse.issparse(found)
    np.testing.assert_array_equal(found.toarray(), plain.predict(X))


def test_rows_of_weight_zero_do_not_count():
    weight = np.ones(80)
    weight[::4] = 0.0
    left = weight > 0
    model = OneVsRest(mercer.SVC(gamma=0.1)).fit(X, LABELS, weight)
    np.testing.assert_allclose(
        model.decision_function(X),
        OneVsRest(mercer.SVC(gamma=0.1)).fit(X[left], LABELS[left]).decision_function(X),
        atol=1e-2,  # the tolerance of the machines
    )


def test_constant_labels_need_no_machine(tmp_path):
    matrix = LABELS.copy()
    matrix[:, 0], matrix[:, 2] = 1, 0
    with pytest.warns(UserWarning, match="Label") as told:
        model = OneVsRest(LogisticRegression()).fit(X, matrix)
    assert {str(one.message)[:12] for one in told} == {"Label 0 is p", "Label not 2 "}
    np.testing.assert_array_equal(model.predict(X)[:, [0, 2]], matrix[:, [0, 2]])
    np.testing.assert_array_equal(model.predict_proba(X)[:, [0, 2]], matrix[:, [0, 2]])
    with pytest.warns(UserWarning, match="Label"):
        own = OneVsRest(mercer.SVC()).fit(X, matrix)
    mercer.save(own, tmp_path / "labels.mercer")
    np.testing.assert_array_equal(
        mercer.load(tmp_path / "labels.mercer").predict(X), own.predict(X)
    )


def test_no_bound_speaks_of_several_labels():
    model = OneVsRest(mercer.SVC(gamma=0.1)).fit(X, LABELS)
    assert model.certificate_ is None
    assert model.certificates_ == {}
    with pytest.raises(ValueError, match="each output by itself"):
        mercer.certify(model, X, LABELS)


@pytest.mark.parametrize("wrapper", [OneVsOne, DecisionDAG])
def test_pairs_of_labels_are_nothing_to_choose_between(wrapper):
    with pytest.raises(ValueError, match="1d array"):
        wrapper().fit(X, LABELS)


def test_other_matrices_are_refused():
    with pytest.raises(ValueError, match="zeros and ones"):
        OneVsRest().fit(X, 2 * LABELS)
    with pytest.raises(ValueError, match="one label per row"):
        OneVsRest(Perceptron()).partial_fit(X, LABELS, [0, 1])
