"""Load a test module of the installed scikit-learn with Mercer's classes in place of its own."""

import functools
import importlib.util
from pathlib import Path

import numpy as np
import pytest
import sklearn.svm
from numpy.testing import assert_allclose

import mercer
from learners.sklearn_differences import DIFFERENT, OUTSIDE, TIGHTER

NAMES = ("SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM")
TIGHT = 1e-7
# What scikit-learn 1.8 changed in its own tests: a message that says more, and a draw with ties
LATER = {
    '"(negative dimensions are not allowed|nu is infeasible)"': (
        '"(Invalid input - all samples have zero or negative weights.|nu is infeasible)"'
    ),
    "X, y = make_blobs(random_state=0, n_samples=20, n_features=2)\n\n    xs": (
        "X, y = make_blobs(random_state=42, n_samples=20, n_features=2)\n\n    xs"
    ),
}


def load_suite(name, monkeypatch):
    """Functions of ``sklearn.svm.tests.<name>``, marked where Mercer means to differ."""
    spec = importlib.util.find_spec(f"sklearn.svm.tests.{name}")
    module = importlib.util.module_from_spec(spec)
    source = Path(spec.origin).read_text(encoding="utf-8")
    # A marker of a plugin that we do not use, and an import that would bring it back.
    for line in ("@pytest.mark.thread_unsafe\n", "from sklearn.svm.tests import test_svm\n"):
        source = source.replace(line, "")
    for before, after in LATER.items():
        source = source.replace(before, after)
    with monkeypatch.context() as patch:
        for class_name in NAMES:
            patch.setattr(sklearn.svm, class_name, getattr(mercer, class_name))
        exec(compile(source, spec.origin, "exec"), vars(module))
    module.svm = Facade()
    found = {}
    for test_name, function in vars(module).items():
        if not test_name.startswith("test_") or not callable(function):
            continue
        if test_name in OUTSIDE[name]:
            continue
        if test_name in TIGHTER[name]:
            function = tightened(function, module)
        if test_name in DIFFERENT[name]:
            reason = DIFFERENT[name][test_name]
            function = pytest.mark.xfail(reason=reason, strict=True)(function)
        found[test_name] = pytest.mark.filterwarnings("ignore")(function)
    return found


class Facade:
    """``sklearn.svm`` as the tests see it while they run."""

    tight = False

    def __getattr__(self, name):
        if name not in NAMES:
            return getattr(sklearn.svm, name)
        return TIGHTENED[name] if self.tight else getattr(mercer, name)


def tightened(function, module):
    """The same test with machines solved to more digits, and fewer digits compared."""

    @functools.wraps(function)
    def run(*args, **kwargs):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module.svm, "tight", True)
            patch.setattr(module, "assert_allclose", nearly_equal)
            patch.setattr(module, "assert_array_almost_equal", nearly_equal)
            return function(*args, **kwargs)

    return run


def nearly_equal(actual, desired, **_):
    """Four digits for numbers; for labels, nine in ten: free support vectors lie on the border."""
    if np.asarray(actual).dtype == np.intp:
        assert np.mean(np.asarray(actual) != np.asarray(desired)) <= 0.1
    else:
        assert_allclose(actual, desired, rtol=1e-4, atol=1e-6)


def _fit(self, X, y=None, sample_weight=None):
    self.tol = TIGHT
    return super(type(self), self).fit(X, y, sample_weight)


TIGHTENED = {name: type(name, (getattr(mercer, name),), {"fit": _fit}) for name in NAMES}
