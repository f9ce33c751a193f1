"""The interval of cross-validation: counted by hand, an estimate everywhere, refusals."""

import numpy as np
import pytest
from sklearn.metrics import accuracy_score
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier

import mercer
from mercer.bounds.numerics import clopper_lower, clopper_upper
from mercer.certification import Refused, cross_validation_estimate

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 2))
Y = np.where(X[:, 0] + 0.5 * RNG.normal(size=90) > 0, "a", "b")


def test_errors_are_those_of_all_folds():
    made = cross_validation_estimate(KNeighborsClassifier(1), X, Y, folds=9, random_state=4)
    folds = KFold(9, shuffle=True, random_state=4)
    said = cross_val_predict(KNeighborsClassifier(1), X, Y, cv=folds)
    errors = round(90 * (1 - accuracy_score(Y, said)))
    assert made.observed == errors / 90
    assert made.value == clopper_upper(errors, 90, 0.05)
    assert made.lower == clopper_lower(errors, 90, 0.05)


def test_it_is_no_bound_and_says_so_first():
    made = cross_validation_estimate(KNeighborsClassifier(1), X, Y, random_state=4)
    assert not made.is_bound
    assert made.delta is None
    assert str(made).startswith("asymptotic, not proved")
    assert max(made.details["measured violations at 5 %"].values()) > 0.05


@pytest.mark.parametrize(
    ("rows", "options", "words"),
    [(90, {"folds": 91}, "90 rows cannot be cut"), (90, {"folds": 1}, "into 1 folds"),
     (2, {"folds": 2}, "one class only")],
)  # fmt: skip
def test_what_cannot_be_cut_is_refused(rows, options, words):
    with pytest.raises(Refused, match=words):
        cross_validation_estimate(KNeighborsClassifier(1), X[:rows], Y[:rows], **options)
    with pytest.raises(Refused, match="precomputed"):
        cross_validation_estimate(mercer.SVC(kernel="precomputed"), X @ X.T, Y)


def test_copies_are_on_one_side_of_every_cut():
    """A nearest neighbour knows copies by heart: cut apart, it would seem to err never."""
    rows, labels = np.repeat(X, 4, axis=0), np.repeat(Y, 4)
    made = cross_validation_estimate(KNeighborsClassifier(1), rows, labels, random_state=4)
    alone = cross_validation_estimate(KNeighborsClassifier(1), X, Y, random_state=4)
    assert made.n == 90
    assert made.observed == pytest.approx(alone.observed, abs=0.1)
    assert made.observed > 0.1
