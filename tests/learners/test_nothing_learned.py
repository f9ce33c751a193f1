"""A fit whose optimum is the zero function says so."""

import warnings

import pytest

from mercer.learners._degenerate import NothingLearnedWarning
from mercer.learners.bayes import RelevanceVectorClassifier
from mercer.learners.margin import LeaveOneOutMachine


@pytest.mark.parametrize("learner", [LeaveOneOutMachine, RelevanceVectorClassifier])
def test_two_rows_are_told_and_more_are_not(learner):
    with pytest.warns(NothingLearnedWarning, match="same answer"):
        learner().fit([[0.0], [1.0]], [0, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        learner().fit([[0.0], [0.1], [0.2], [1.0], [1.1], [1.2]], [0, 0, 0, 1, 1, 1])
