"""scikit-learn's own SVM tests, run against Mercer's classes."""

import pytest

from learners.sklearn_suite import load_suite


@pytest.fixture
def global_random_seed():
    return 42


with pytest.MonkeyPatch.context() as patch:
    globals().update(load_suite("test_svm", patch))
