"""A fit whose optimum is the zero function says so."""

import warnings

import pytest

from mercer import NothingLearnedWarning
from mercer.learners.bayes import RelevanceVectorClassifier, RelevanceVectorRegressor
from mercer.learners.margin import LeaveOneOutMachine


@pytest.mark.parametrize("learner", [LeaveOneOutMachine, RelevanceVectorClassifier])
def test_two_rows_are_told_and_more_are_not(learner):
    with pytest.warns(NothingLearnedWarning, match="same answer"):
        learner().fit([[0.0], [1.0]], [0, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        learner().fit([[0.0], [0.1], [0.2], [1.0], [1.1], [1.2]], [0, 0, 0, 1, 1, 1])


def test_a_target_of_zeros_is_not_told_to_bring_more_rows():
    X = [[0.0], [1.0], [2.0], [3.0]]
    with pytest.warns(NothingLearnedWarning, match="Every target is zero") as told:
        model = RelevanceVectorRegressor().fit(X, [0.0] * 4)
    assert not any("more rows" in str(one.message) for one in told)
    assert model.predict(X).tolist() == [0.0] * 4
