"""Load a test module of the installed scikit-learn with Mercer's classes in place of its own."""

import importlib.util
import sys

import pytest
import sklearn.svm
from sklearn_differences import DIFFERENT, OUTSIDE

import mercer

NAMES = ("SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM")


def tests_of(name, monkeypatch):
    """Functions of ``sklearn.svm.tests.<name>``, marked where Mercer means to differ."""
    spec = importlib.util.find_spec(f"sklearn.svm.tests.{name}")
    module = importlib.util.module_from_spec(spec)
    with monkeypatch.context() as patch:
        for class_name in NAMES:
            patch.setattr(sklearn.svm, class_name, getattr(mercer, class_name))
        patch.setattr(sys, "dont_write_bytecode", True)
        spec.loader.exec_module(module)
    module.svm = _Facade()
    found = {}
    for test_name, function in vars(module).items():
        if not test_name.startswith("test_") or not callable(function):
            continue
        if test_name in OUTSIDE[name]:
            continue
        reason = DIFFERENT[name].get(test_name)
        if reason is not None:
            function = pytest.mark.xfail(reason=reason, strict=False)(function)
        found[test_name] = pytest.mark.filterwarnings("ignore")(function)
    return found


class _Facade:
    """``sklearn.svm`` as the tests see it while they run."""

    def __getattr__(self, name):
        return getattr(mercer if name in NAMES else sklearn.svm, name)
