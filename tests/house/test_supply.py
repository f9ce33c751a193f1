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


def test_the_version_is_said_once_and_cited_the_same():
    project = re.search(r'^version = "(.+)"', (ROOT / "pyproject.toml").read_text(), re.M)[1]
    cited = re.search(r"^version: (.+)", (ROOT / "CITATION.cff").read_text(), re.M)[1]
    assert project == cited
    assert f"## {project}" in (ROOT / "CHANGELOG.md").read_text()
    own = [
        path
        for folder in ("src", "csrc", "docs")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in {".py", ".cpp", ".h"} and f'"{project}"' in path.read_text()
    ]
    assert not own, "ask mercer.__version__"


def test_a_release_is_built_only_for_a_tag_that_is_the_version():
    steps = (ROOT / ".github" / "workflows" / "release.yml").read_text()
    line = next(line for line in steps.splitlines() if "GITHUB_REF_NAME" in line)
    found = re.search(r"sed -n '(.*?)' pyproject", line)[1]
    assert found == r's/^version = "\(.*\)"/\1/p'
