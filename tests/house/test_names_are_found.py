"""Public names of the tracker are reached by dots after ``import mercer``, and listed by dir."""

import re
import subprocess
import sys
from pathlib import Path

from mercer import learners

TRACKER = Path(__file__).parents[2] / "docs" / "coverage.md"
FOLLOW = """
import sys
import mercer
for name in sys.stdin.read().split():
    thing = mercer
    for part in name.split(".")[1:]:
        missing = part not in dir(thing)
        thing = getattr(thing, part)  # an AttributeError names what is missing
        if missing and not isinstance(thing, (int, float, str)):
            sys.exit(f"{name}: dir() does not list {part}")
"""


def names():
    rows = re.findall(r"^\|\s*[ATLU]\d+\s*\|.*?\|(.*?)\|", TRACKER.read_text(), re.MULTILINE)
    return sorted({name for row in rows for name in re.findall(r"`(mercer[\w.]*)`", row)})


def test_names_of_the_tracker_are_found_by_dots():
    assert len(names()) > 500
    told = subprocess.run(
        [sys.executable, "-c", FOLLOW], input="\n".join(names()), capture_output=True, text=True
    )
    assert told.returncode == 0, told.stderr


def test_learners_and_their_rooms_are_listed():
    listed = dir(learners)
    assert {type_.__name__ for type_ in learners.available().values()} <= set(listed)
    assert {"bayes", "discriminant", "margin", "metric", "quantities", "spectral"} <= set(listed)
