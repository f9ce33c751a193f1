"""The page of faults says what the records say; short versions of the load and of the soak."""

import mmap
import sys

import pytest
from benchmarks.faults import broken, load, records, soak, table, tests

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
KEPT = []


def test_the_page_is_what_the_records_say():
    assert table.PAGE.read_text() == table.page()


@pytest.fixture
def own_records(tmp_path, monkeypatch):
    monkeypatch.setattr(records, "RESULTS", tmp_path)


@pytest.mark.usefixtures("own_records")
def test_what_was_not_run_and_what_broke_is_told():
    assert table.page().count("| not run |") == 10 + len(table.GROUPS) + len(broken.GUARDS)
    case = {"moments": 40, "found": {"it was finished": 38}, "longest wait": 1.0}
    records.keep("signals", "fit", {**case, "broken": [["", "", ""]] * 2})
    records.keep("tests", "memory", {"passed": 5, "failed": 1, "skipped": 2})
    records.keep("inputs", "models", {"tries": 9, "crashes": [11], "wrong": {"KeyError": ""}})
    flat = {"predictions": 500, "wrong": 2, "clients": 4, "seconds": 60, "a second": 9, "MB": 80,
            "a processor second": 99,
            "in a request": 7}  # fmt: skip
    records.keep("load", "serve", {**flat, "MB grown": 1.0})
    records.keep("load", "lab", {**flat, "MB grown": 99.0})
    records.keep("soak", "svc", {"fits": 9, "MB grown": 0.0})
    records.keep("soak", "svr", {"fits": 9, "MB grown": 99.0})
    records.keep("soak", "forks", {"forks": 7, "wrong": 3})
    records.keep("broken", "targets are finite", {"failed": 0})
    page = table.page()
    assert "| targets are finite | NONE |" in page
    for counts in ("| 40 (goal 320) | 38 |", "| 6 | 5 |", "| 9 (goal 1,000,000) | 7 |",
                   "| 502 | 500 |", "| 502 | 0 |", "| 2 | 1 |", "| 7 | 4 |"):  # fmt: skip
        assert counts in page


@pytest.mark.usefixtures("own_records")
def test_every_part_of_a_record_keeps_its_own_day(monkeypatch):
    monkeypatch.setattr(records.time, "strftime", lambda _: "2001-02-03")
    records.keep("tests", "memory", {"passed": 5, "failed": 0, "skipped": 0})
    monkeypatch.setattr(records.time, "strftime", lambda _: "2001-02-04")
    records.keep("tests", "strangers", {"passed": 6, "failed": 0, "skipped": 0})
    days = {part: found["day"] for part, found in records.kept("tests").items()}
    assert days == {"memory": "2001-02-03", "strangers": "2001-02-04"}


@pytest.mark.parametrize("name", broken.GUARDS)
def test_a_guard_that_is_to_be_taken_out_is_there(name):
    guard, root = broken.GUARDS[name], table.PAGE.parents[1]
    assert (root / "src" / "mercer" / guard.file).read_text().count(guard.there) == 1
    assert (root / guard.tests).exists()


def test_reports_of_tests_are_counted(tmp_path):
    (tmp_path / "r.xml").write_text(
        "<testsuites><testsuite><testcase/><testcase><failure/></testcase>"
        "<testcase><error/></testcase><testcase><skipped/></testcase></testsuite></testsuites>"
    )
    assert tests.counted(tmp_path / "r.xml") == {"passed": 1, "failed": 2, "skipped": 1}


def test_every_group_of_tests_exists():
    assert set(tests.GROUPS) <= set(table.GROUPS)
    root = table.PAGE.parents[1]
    for group in tests.GROUPS.values():
        assert all((root / name).exists() for name in group if name.startswith("tests/"))


@linux
@pytest.mark.parametrize("case", load.CASES)
def test_answers_under_load_are_the_same_and_memory_stays(case):
    if case == "lab":
        pytest.importorskip("uvicorn", reason="the lab is an extra: pip install 'mercer[lab]'")
        pytest.importorskip("starlette", reason="the lab is an extra: pip install 'mercer[lab]'")
    found = load.tried(case, 2.0, 4)
    assert found["wrong"] == 0, found["problems"]
    assert found["predictions"] > 1000
    assert found["MB grown"] < 5 * load.FLAT  # a short run is not warm yet


def test_replies_that_are_none_are_not_taken_for_answers():
    right = {"mesh": [0.5], "stopped": "tolerance"}
    assert not load.refused(200, right)
    assert not load.refused(200, {"mesh": [0.0]})
    assert not load.refused(500, {"error": "this is a mistake in Mercer."})
    assert load.refused(503, {"error": "come back later"})
    assert load.refused(422, {"error": "this computer is busy with other things"})
    assert load.refused(200, right | {"stopped": "time_limit"})


@linux
def test_memory_is_flat_over_many_fits():
    assert soak.alone(soak.fits, "svc", 100)["MB grown"] < soak.FLAT
    assert soak.alone(soak.fits, "k_means", 50)["MB grown"] < soak.FLAT


@linux
def test_a_leak_is_seen(monkeypatch):
    def leaks(estimator):
        KEPT.append(mmap.mmap(-1, 10**6))  # fresh from the system: the parent's heap may have gaps
        KEPT[-1].write(bytes(10**6))

    monkeypatch.setattr(soak, "once", leaks)
    assert soak.alone(soak.fits, "svc", 20)["MB grown"] > soak.FLAT


@linux
def test_many_threads_and_forks_among_them():
    assert soak.alone(soak.in_threads, 16, 2)["problems"] == []
    assert soak.alone(soak.while_others_allocate, 8)["problems"] == []


@linux
def test_other_numbers_and_errors_in_threads_and_children_are_seen(monkeypatch):
    calls = []

    def moody(estimator):
        calls.append(0)
        if len(calls) > len(soak.CROWD) + 3:
            raise ValueError("enough")
        return [len(calls)]

    monkeypatch.setattr(soak, "once", moody)
    found = soak.alone(soak.in_threads, 2, 5)
    assert found["wrong"] == 10
    assert len(found["problems"]) == 3
