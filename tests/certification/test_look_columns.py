"""Names of columns in the order of their values: the quick numbering is the plain one."""

import numpy as np
import pytest

from mercer.certification.core import look_columns as columns


def plainly_by_first(codes):
    """Each class gets the place of its first row among those of all classes."""
    seen = list(dict.fromkeys(codes.tolist()))
    return np.array([seen.index(code) for code in codes.tolist()])


@pytest.mark.parametrize("classes", [1, 2, 3, 7, 40])
def test_classes_are_numbered_as_they_appear(classes):
    rng = np.random.default_rng(classes)
    for n in (2, 3, 50, 300):
        codes = np.unique(rng.integers(0, classes, n), return_inverse=True)[1]
        found = columns._by_first(codes)
        assert np.array_equal(found, plainly_by_first(codes))
        # numbered so, the first rows need no numbering of their own
        for head in (1, n // 2 + 1, n):
            again = np.unique(found[:head], return_inverse=True)[1]
            assert np.array_equal(found[:head], again)


def test_names_do_not_depend_on_what_classes_are_called():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 3)), rng.integers(0, 3, 120)
    called = np.array(["wolf", "fox", "dog"])[y]
    along = columns._along(list(X.T), y, b"salt")
    assert len(along) == 3
    assert along == columns._along(list(X.T), called, b"salt")
    assert along == columns._along([-X[:, 0], 5 * X[:, 1], X[:, 2]], y, b"salt")
    assert not along & columns._along(list(X.T), rng.permutation(y), b"salt")
