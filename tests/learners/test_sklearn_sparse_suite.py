"""scikit-learn's own tests of SVMs on sparse data, run against Mercer's classes."""

import pytest
from sklearn_suite import tests_of

with pytest.MonkeyPatch.context() as patch:
    globals().update(tests_of("test_sparse", patch))
