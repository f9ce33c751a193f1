"""scikit-learn's own SVM tests, run against Mercer's classes."""

import pytest
from sklearn_suite import tests_of


@pytest.fixture
def global_random_seed():
    return 42


with pytest.MonkeyPatch.context() as patch:
    globals().update(tests_of("test_svm", patch))
