"""scikit-learn's own tests of SVMs on sparse data, run against Mercer's classes."""

import pytest

from learners.sklearn_suite import load_suite

with pytest.MonkeyPatch.context() as patch:
    globals().update(load_suite("test_sparse", patch))
