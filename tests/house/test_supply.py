"""What is bundled may be bundled, and what builds the wheel is pinned."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "src" / "mercer" / "datasets" / "data"
FREE = ("CC0", "CC BY 4.0", "public domain")
ROWS = {
    cells[1].strip().strip("`"): cells[3].strip()
    for line in (DATA / "README.md").read_text("utf-8").splitlines()
    if len(cells := line.split("|")) > 4 and cells[1].strip().startswith("`")
}


@pytest.mark.parametrize("file", sorted(p.name for p in DATA.iterdir() if p.name != "README.md"))
def test_bundled_data_state_a_licence_that_allows_copies(file):
    assert ROWS.get(file, "no row in its README.md").startswith(FREE)


def test_every_licence_belongs_to_a_file():
    assert all((DATA / name).exists() for name in ROWS)


def test_build_tools_are_pinned_with_hashes():
    asked = re.findall(r"^([a-z-]+)>=", (ROOT / "requirements" / "build.in").read_text(), re.M)
    pinned = (ROOT / "requirements" / "build.txt").read_text()
    blocks = dict(re.findall(r"^([a-z0-9-]+)==\S+ \\\n((?:    --hash=\S+.*\n)+)", pinned, re.M))
    assert set(asked) <= set(blocks)
    declared = re.search(r"requires = \[(.*?)\]", (ROOT / "pyproject.toml").read_text())[1]
    assert set(re.findall(r'"([a-z-]+)>=', declared)) <= set(asked)


def test_the_lock_names_no_place():
    assert "://" not in (ROOT / "requirements" / "build.txt").read_text()
