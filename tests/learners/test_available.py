"""The registry of learners: found by their files, loaded when somebody asks."""

import importlib
import inspect
import pkgutil
import subprocess
import sys

import pytest
from sklearn.base import BaseEstimator

import mercer.learners
from mercer.tables.learners import SHORT, learner, learners_for


def test_importing_the_package_loads_no_learner():
    code = "import sys, mercer.learners; print('sklearn' in sys.modules, 'numpy' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["False", "False"]


def test_completion_offers_the_list_itself():
    assert "available" in dir(mercer.learners)


def test_every_estimator_that_a_folder_offers_is_listed():
    """The folders' own lists and the registry agree, both ways."""
    offered = set()
    for info in pkgutil.iter_modules(mercer.learners.__path__):
        if info.ispkg:
            package = importlib.import_module(f"mercer.learners.{info.name}")
            things = [getattr(package, name) for name in package.__all__]
            offered |= {t for t in things if inspect.isclass(t) and issubclass(t, BaseEstimator)}
    assert offered == set(mercer.learners.available().values())


@pytest.mark.parametrize("name", mercer.learners.available())
def test_names_lead_to_the_class(name):
    found = mercer.learners.available()[name]
    assert getattr(mercer.learners, found.__name__) is found
    assert found.__name__ in dir(mercer.learners)
    assert name.replace("_", "") == found.__name__.lower()
    assert isinstance(found(), BaseEstimator)  # defaults for everything


def test_unknown_names_are_no_learners():
    with pytest.raises(AttributeError, match="no learner 'Nothing'"):
        _ = mercer.learners.Nothing
    with pytest.raises(ImportError):
        from mercer.learners import nothing  # noqa: F401


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_the_command_line_takes_any_spelling(task):
    for name in learners_for(task):
        kind = mercer.learners.available()[name]
        for spelled in (name, kind.__name__, name.replace("_", "-")):
            assert type(learner(spelled, task)) is kind
    assert type(learner("auto", task)).__name__ == SHORT["svm", task]
