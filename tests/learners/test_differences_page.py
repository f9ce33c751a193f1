"""The page about differences says what the tests allow, no more and no less."""

import re
from pathlib import Path

import learners.sklearn_differences as known

PAGE = Path(__file__).parents[2] / "docs" / "differences-from-scikit-learn.md"


def documented():
    """Map from test name to its reason on the page."""
    section = PAGE.read_text(encoding="utf-8").split("\n## ")[1]
    found = {}
    for bullet in re.split(r"\n- ", section)[1:]:
        names, _, reason = bullet.partition(": ")
        reason = " ".join(reason.split("\n\n")[0].split())
        for name in re.findall(r"`(test_\w+)`", names):
            found[name] = reason
    return found


def allowed():
    """The same from the list that the tests use."""
    return {
        name: reason
        for table in (known.DIFFERENT, known.TIGHTER)
        for tests in table.values()
        for name, reason in tests.items()
    }


def test_page_and_tests_agree():
    assert documented() == allowed()
