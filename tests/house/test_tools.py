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


def test_learners_without_a_row_and_idle_exceptions_are_noticed(coverage):
    table = [("A1", "what", "`mercer.SVC`, `mercer.learners.margin.NuSVR.fit`", "")]
    exceptions = [name for name in coverage.OF_NO_TEXT if name != "NuSVR"]
    found = coverage.learner_problems(table, ["SVC", "NuSVR", "Newcomer", *exceptions])
    assert [line.split(":")[0] for line in found] == ["Newcomer", "NuSVR"]


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


RESULT = {
    "train_wall": 0.5,
    "train_cpu": 0.9,
    "predict_wall": 0.02,
    "predict_cpu": 0.03,
    "objective": -100.0,
    "memory_peak_mb": 300.0,
}


def test_the_speed_table_shows_times_and_ratios():
    tool = load("update_readme_speed")
    slow = RESULT | {"train_wall": 12.0}
    outcome = {
        "started": "2026-01-02T00:00:00",
        "repeats": 2,
        "machine": {"processor": "some processor", "cores": 2, "python": "3.11"},
        "cases": {
            "blobs-20k-C1": {"title": "blobs", "results": {"mercer": RESULT, "sklearn": slow}},
            "prediction": {"title": "predict", "results": {"mercer": RESULT, "sklearn": slow}},
        },
    }
    lines = tool.speed_table(outcome)
    assert "| blobs | 0.500 | 12.00 (24.0×) | – |" in lines
    assert "| predict | 0.020 | 0.020 (1.0×) | – |" in lines
    assert "2026-01-02, some processor, 2 cores" in lines[0]


def test_only_the_text_between_the_markers_is_replaced():
    tool = load("update_readme_speed")
    text = "above\n<!-- speed:begin -->\nold\n<!-- speed:end -->\nbelow\n"
    done = tool.replace(text, "speed", ["new"])
    assert done == "above\n<!-- speed:begin -->\nnew\n<!-- speed:end -->\nbelow\n"
    assert tool.replace(done, "speed", ["new"]) == done
    with pytest.raises(SystemExit, match="markers of 'bars'"):
        tool.replace(text, "bars", [])
    for path, marker in (("README.md", "speed"), ("benchmarks/README.md", "bars")):
        assert "\nnew\n" in tool.replace((ROOT / path).read_text(), marker, ["new"])


def test_documents_link_to_files_that_exist():
    """Links of the pages a visitor sees first."""
    import re

    for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "benchmarks/README.md"):
        page = ROOT / name
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
            if not target.startswith("http"):
                assert (page.parent / target).exists(), f"{name} links to {target}"


REPORT = """<testsuites><testsuite>
<testcase classname="tests.validity.{file}" name="test_a"><properties>
<property name="counted" value="[&quot;&quot;, 3, 400, 0.1, false]"/>
<property name="counted" value="[&quot;&quot;, 9, 400, 0.1, false]"/>
<property name="counted" value="[&quot;twin&quot;, 300, 400, 0.1, true]"/></properties></testcase>
<testcase classname="tests.validity.{file}" name="test_b">{result}<properties>
<property name="counted" value="[&quot;&quot;, 99, 400, 0.1, false]"/></properties></testcase>
</testsuite></testsuites>"""


def test_a_table_of_violations_from_several_reports(tmp_path):
    tool = load("validity_table")
    reports = [tmp_path / "late.xml", tmp_path / "early.xml"]
    reports[0].write_text(REPORT.format(file="test_z", result="<failure/>"))
    reports[1].write_text(REPORT.format(file="test_c", result=""))
    lines = tool.table(list(tool.counts(*reports))).splitlines()[2:]
    assert [line.split("|")[1].strip() for line in lines] == [
        "test_c::test_a",
        "test_c::test_b",
        "test_z::test_a",
    ]
    assert "| 2 | 9 | 400 | 0.1 |" in lines[0]
    assert "300 of 400" in lines[0]
    assert "| 1 | 99 | 400 | 0.1 |" in lines[1]  # so many cannot be hidden by another file
    assert tool.outcome(*reports) == "4 tests, 1 failed, 0 skipped.\n- test_z::test_b\n"
    again = tmp_path / "again.xml"
    again.write_text(REPORT.format(file="test_z", result=""))
    assert tool.outcome(*reports, again) == "4 tests, 0 failed, 0 skipped.\n"
    assert len(tool.table(list(tool.counts(*reports, again))).splitlines()) == 6
