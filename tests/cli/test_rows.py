"""``mercer rows``: the calculators from the command line."""

import json

import pytest

from helpers_cli import mercer as command
from mercer.cli.rows import QUESTIONS

GIVEN = {
    "limit": (0.05, "--expected", 0.02),
    "coverage": (0.9, "--slack", 0.05),
    "recall": (0.95,),
    "target-error": (0.01,),
    "f1": (0.7, "--expected", 0.8),
    "auc": (0.8, "--expected", 0.9),
    "gain": (0.04, "--lost", 0.01),
    "groups": (0.1, "--groups", 4, "--expected", 0.05),
    "weights": (0.1, "--expected", 0.05, "--largest", 3),
    "alarm": (0.05, "--risk", 0.1),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_question_has_an_answer(question):
    ran = command("rows", question, *GIVEN[question], "--json")
    assert ran.code == 0
    assert json.loads(ran.out)["rows"] > 10
    assert question in command("rows").out


def test_words_and_a_smaller_delta():
    assert command("rows", "target-error", 0.01).out.startswith("299 accepted rows")
    assert command("rows", "target-error", 0.01, "--delta", 0.01).out.startswith("459 accepted")


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        (("limit",), "needs a VALUE"),
        (("limit", 0.05), "needs --expected"),
        (("recall", 0.9, "--slack", 0.1), "--slack does not belong"),
        (("recall", 1.5), "recall must be a number strictly between 0 and 1"),
        (("limit", 0.05, "--expected", 0.05), "very rate that is expected"),
        (("weights", 0.1, "--expected", 0.05, "--largest", 0.2), "at least 1"),
    ],
)
def test_bad_input_is_refused_with_words(typed, words):
    ran = command("rows", *typed)
    assert ran.code in (2, 3)  # how it was typed, what was typed
    assert words in ran.err
