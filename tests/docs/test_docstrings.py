"""Examples in docstrings run, and methods say what they take."""

import doctest
import inspect
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from mercer.learners import available

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "mercer"
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
SHOWN = {path: count for path in PACKAGE.rglob("*.py") if (count := path.read_text().count(">>> "))}
DOCUMENTED = {
    *("fit", "partial_fit", "fit_transform", "fit_predict", "kneighbors", "decision_function"),
    *("predict", "predict_proba", "predict_log_proba", "predict_set", "predict_interval"),
    *("transform", "inverse_transform", "score", "score_samples"),
}


def dotted(path):
    name = ".".join(("mercer", *path.relative_to(PACKAGE).with_suffix("").parts))
    return name.removesuffix(".__init__")


@pytest.mark.parametrize("path", SHOWN, ids=dotted)
def test_examples_give_what_they_show(path):
    found = doctest.testmod(import_module(dotted(path)), optionflags=FLAGS)
    assert not found.failed, "see the output"
    assert found.attempted == SHOWN[path], "an example stands where nobody sees it"


@cache
def methods():
    """Mercer's own functions behind the methods of all learners, by their names."""
    found = {}
    for cls in available().values():
        for name in DOCUMENTED:
            function = inspect.unwrap(getattr(cls, name, lambda self: None))
            if function.__module__.startswith("mercer."):
                found[f"{function.__module__}.{function.__qualname__}"] = function
    return found


def undocumented(function):
    """Parameters that have no line of their own in the section of that name."""
    _, _, section = (inspect.getdoc(function) or "").partition("Parameters\n----------\n")
    names = {
        name.strip("*, ")
        for line in section.splitlines()
        if line[:1].strip() and " : " in line
        for name in line.split(" : ")[0].split(",")
    }
    taken = list(inspect.signature(function).parameters)[1:]  # without self
    return sorted({name.strip("*") for name in taken} - names)


def test_every_method_of_a_learner_says_what_it_takes():
    wrong = {name: left for name, f in methods().items() if (left := undocumented(f))}
    assert len(methods()) > 60
    assert not wrong, "\n".join(f"{name}: {', '.join(left)}" for name, left in wrong.items())


def test_a_parameter_without_a_line_is_seen():
    def method(self, X, y, *, n=1):
        """Do something.

        Parameters
        ----------
        X, y : arrays
            n : is no line of its own.
        """

    assert undocumented(method) == ["n"]
