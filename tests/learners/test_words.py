"""Docstrings whose entries are written once: what a reader sees is whole."""

import inspect

import pytest

from mercer.learners import available
from mercer.learners._words import WORDS, spelled_out


@pytest.mark.parametrize("learner", available().values(), ids=lambda learner: learner.__name__)
def test_no_entry_is_only_named(learner):
    assert " : …" not in learner.__doc__


def test_entries_take_the_place_of_their_names():
    text = "Learn.\n\n    tol; evidence_ : …\n    C : float\n        Price.\n"
    told = spelled_out(text)
    assert told.startswith("Learn.\n\n    tol : float, default=1e-3\n        The solver stops")
    assert "\n    evidence_ : Evidence\n        What the model publishes" in told
    assert told.endswith("\n    C : float\n        Price.\n")
    flat = "Learn.\n\ntol; evidence_ : …\nC : float\n    Price.\n"  # as Python 3.13 keeps it
    assert spelled_out(flat) == inspect.cleandoc(told.replace("Learn.", "    Learn.", 1)) + "\n"


def test_a_name_without_words_is_an_error():
    with pytest.raises(KeyError, match="tolerance"):
        spelled_out("tolerance : …")
    assert spelled_out("f : ℝ → ℝ, and so on …") == "f : ℝ → ℝ, and so on …"


def test_every_entry_has_a_name_and_words():
    for name, entry in WORDS.items():
        first, *rest = entry.split("\n")
        assert first.split(" : ")[0] == name
        assert rest
        assert all(line.startswith("    ") for line in rest)
