"""The scripts in tools/ do what the Makefile trusts them to do."""

import importlib.util
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def load(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def coverage():
    return load("check_coverage")


@pytest.fixture(scope="module")
def tracker():
    return (ROOT / "docs" / "coverage.md").read_text()


def test_the_tracker_holds(coverage, tracker):
    assert coverage.problems(tracker) == []
    assert len(coverage.rows(tracker)) == 72 + 86 + 109 + 72


def row(names, tests):
    return f"| A1 | something | {names} | {tests} |"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "A1: row is missing"),
        (row("open", "open") + "\n" + row("open", "open"), "A1: 2 rows"),
        (row("`mercer.NoSuchName`", "open"), "both be given"),
        (row("words only", "words only"), "needs a `name`"),
        (
            row("`mercer.NoSuchName`", "`tests/house/test_tools.py::test_the_tracker_holds`"),
            "NoSuch",
        ),
        (
            row("`nowhere.at.all`", "`tests/house/test_tools.py::test_the_tracker_holds`"),
            "imported",
        ),
        (row("`mercer.datasets.Xor`", "`tests/house/test_tools.py::test_absent`"), "no such test"),
        (row("`mercer.datasets.Xor`", "`tests/house/none.py::test_x`"), "no such file"),
        (row("`mercer.datasets.Xor`", "`tests/house/test_tools.py`"), "path::test_name"),
        (row("`mercer.datasets.Xor`", "`tests/house/test_tools.py::row`"), "no such test"),
        (row("open", "open").replace("A1", "A73"), "A73: unknown id"),
        (row("open", "open").replace("something", ""), "says nothing"),
    ],
)
def test_a_broken_tracker_is_noticed(coverage, tracker, line, message):
    lines = [old for old in tracker.splitlines() if not old.startswith("| A1 |")]
    found = coverage.problems("\n".join([*lines, line]))
    assert any(message in problem for problem in found), found


def test_extra_requirements_are_flat_and_safe_for_the_shell():
    tool = load("extra_requirements")
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    for extra in extras:
        lines = tool.requirements(extra, extras)
        assert lines
        assert len(lines) == len(set(lines))
        assert not any("mercer" in line or " " in line for line in lines)
    assert {"ruff", "mypy", "pytest", "matplotlib"} <= {
        line.split("=")[0].split(">")[0] for line in tool.requirements("dev", extras)
    }
