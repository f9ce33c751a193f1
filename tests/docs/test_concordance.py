"""The concordance is what its tool writes today: python tools/make_concordance.py."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "concordance.md"


def test_the_concordance_is_current():
    tool = [sys.executable, ROOT / "tools" / "make_concordance.py", "--check"]
    told = subprocess.run(tool, capture_output=True, text=True)
    assert told.returncode == 0, told.stderr


# Theorems and algorithms as the texts number them; the proofs' own (appendices, quoted results that
# a proof needs, as theorems II.19 and III.16 of the thesis) may be without a row.
PRINTED = {
    "Herbrich": (
        "2.17 2.20 2.29 2.31 2.36 2.37 4.6 4.7 4.10 4.19 4.25 4.30 4.32 4.35 4.37 5.1 5.2 5.4 5.6 "
        "5.10 5.17 5.18 5.23 5.27 5.31 5.32 5.34",
        range(1, 11),
    ),
    "Banisch": ("2.4 2.6 2.9 2.14 2.17 2.18 3.3 3.4 3.6 3.7 4.2", [1]),
    "Peyré": ("20 21 22 23", []),
    "von Luxburg": (
        "II.11 II.15 II.20 III.1 III.4 III.6 III.10 III.11 III.15 III.17 III.21 III.22 III.24 IV.1 "
        "IV.2",
        [],
    ),
}


@pytest.mark.parametrize("text", PRINTED)
def test_every_theorem_and_algorithm_is_found_by_its_number(text):
    theorems, algorithms = PRINTED[text]
    table = PAGE.read_text(encoding="utf-8").partition(f"\n### {text}\n")[2].partition("\n### ")[0]
    rows = dict(re.findall(r"^\| ([a-z]+ \S+) \| ([^|]+) \|", table, re.MULTILINE))
    asked = [f"theorem {number}" for number in theorems.split()]
    asked += [f"algorithm {number}" for number in algorithms]
    assert not [number for number in asked if not rows.get(number)]


def test_ranges_and_kinds_are_read(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    from make_concordance import numbers

    place = (
        "Banisch 2.1 and theorems 2.9 to 2.11, 3.4; Peyré 12.2, figure 12.7; slides, algorithm 2"
    )
    assert list(numbers(place, "slides")) == [
        ("Banisch", "section", "2.1"),
        *(("Banisch", "theorem", number) for number in ("2.9", "2.10", "2.11", "3.4")),
        ("Peyré", "section", "12.2"),
        ("Peyré", "figure", "12.7"),
        ("slides", "algorithm", "2"),
    ]


def test_rows_of_every_text_have_their_places():
    places = tomllib.loads((ROOT / "tools" / "places.toml").read_text(encoding="utf-8"))
    counts = {text: sum(ident[0] == text for ident in places) for text in "ATLU"}
    assert counts["U"] == 72  # the thesis numbers everything
    assert counts["L"] > 95
    assert min(counts.values()) > 60
