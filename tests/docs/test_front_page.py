"""The first page says what to write for what one has, and its classes and pages exist."""

import re
from pathlib import Path

import pytest

import mercer
from mercer import bounds, certification, kernels, learners

DOCS = Path(__file__).resolve().parents[2] / "docs"
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in (DOCS / "index.md").read_text().splitlines()
    if line.startswith("| ") and not line.startswith("| I have")
]


def test_there_is_something_for_everybody():
    told = " ".join(row[0] for row in ROWS)
    for what in ("give or take", "probabilities", "rare", "gaps", "DNA", "distances", "groups",
                 "outliers", "memory", "hand on"):  # fmt: skip
        assert what in told


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0][:30])
def test_its_classes_can_be_imported(row):
    for name in re.findall(r"`([A-Z]\w+)`", row[2]):
        places = (mercer, learners, kernels, certification, bounds)
        assert any(hasattr(place, name) for place in places), name


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0][:30])
def test_its_pages_and_sections_are_there(row):
    pages = re.findall(r"\{doc\}`([\w/-]+)`", row[3])
    sections = re.findall(r"\]\(([\w/-]+)\.md#([\w-]+)\)", row[3])
    assert pages or sections
    for page in pages:
        assert (DOCS / f"{page}.md").exists(), page
    for page, anchor in sections:
        titles = re.findall(r"^#+ (.*)$", (DOCS / f"{page}.md").read_text(), re.MULTILINE)
        anchors = {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}
        assert anchor in anchors, anchor
