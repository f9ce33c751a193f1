"""scikit-learn's own tests of the classes that Mercer takes the place of."""

import json
import subprocess
import sys

import pytest
from tools import foreign_tests as foreign

SUITES = foreign.suites()


@pytest.mark.slow
@pytest.mark.parametrize("name", [suite.name for suite in SUITES])
def test_no_surprise(name):
    command = [sys.executable, foreign.__file__, name, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    answer = json.loads(done.stdout.splitlines()[-1])
    assert answer["surprises"] == []
    assert answer["passed"] > 0


def test_the_page_lists_the_differences():
    text = foreign.PAGE.read_text(encoding="utf-8")
    assert foreign.page_with(text, foreign.page_section(SUITES)) == text


def test_classes_to_swap_exist():
    for suite in SUITES:
        for foreign_name, ours in suite.swaps.items():
            assert isinstance(getattr(*foreign._home(foreign_name)), type)
            assert isinstance(getattr(*foreign._home(ours)), type)


@pytest.fixture
def suite():
    reasons = {"test_a": "because", "test_b[1]": "because"}
    return foreign.Suite("x", "sklearn.tests.test_kernel_ridge", "X", {}, reasons)


def test_explained_failures_are_no_surprise(suite):
    result = foreign.Result(["test_b[2]"], {"test_a[7]": "wrong", "test_b[1]": "wrong"})
    assert result.surprises(suite) == []


def test_other_failures_and_idle_explanations_are(suite):
    result = foreign.Result(["test_b[1]"], {"test_a": "wrong", "test_b[2]": "oh"})
    assert result.surprises(suite) == [
        "test_b[2] fails: oh",
        "test_b[1] is listed as different and does not fail",
    ]


def test_what_last_digits_decide_may_pass_or_fail():
    suite = foreign.Suite("x", "m", "X", {}, {"test_a": "x"}, sometimes=frozenset({"test_a"}))
    assert foreign.Result(["test_a"], {}).surprises(suite) == []
    assert foreign.Result([], {"test_a": "wrong"}).surprises(suite) == []


def test_arguments_are_passed_on_in_our_words():
    told = {"eps": {"name": "tol"}, "metric_mds": {"name": "form", "values": {"True": "metric"}}}
    suite = foreign.Suite("x", "m", "X", {}, {}, left_out=("n_jobs",), told=told)
    given = {"eps": 1e-3, "metric_mds": True, "n_jobs": 2, "random_state": 0}
    assert suite.in_our_words(given) == {"tol": 1e-3, "form": "metric", "random_state": 0}
    assert foreign._words_of(suite) == (
        "Of their arguments, passed on are `eps` as `tol`, `metric_mds` as `form`; "
        "left out are `n_jobs`."
    )
