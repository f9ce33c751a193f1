"""Progress over rows: shares, rows and an estimate, from batches here and partitions anywhere."""

import pytest

from mercer.app.streams import follow
from mercer.app.streams.follow import Follow
from mercer.engine import Here, Threads
from mercer.io.streams import batches
from mercer.io.streams._made import made_partitions
from mercer.rows import Partition


@pytest.fixture
def clock(monkeypatch):
    """Every look at the clock is a second later, and every line is due."""
    now = iter(range(10**6))
    monkeypatch.setattr(follow.time, "monotonic", lambda: float(next(now)))
    monkeypatch.setattr(follow, "LINE", 0.0)


def test_shares_rows_and_what_is_left(clock, capsys):
    parts = [Partition(f"p{k}", "parquet", rows=100) for k in range(4)]
    with Follow() as seen:
        seen.rows = 400
        with seen.a_pass("counting", parts) as done:
            Here().map(lambda part: None, parts, done)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("counting: 25 %, 100 of 400 rows, about ")
    assert lines[0].endswith(" left")
    assert lines[-1] == "counting: 100 %, 400 of 400 rows"


def test_bytes_where_rows_are_not_known(clock, capsys):
    parts = [Partition("a", "delimited", size=30), Partition("b", "delimited", size=10)]
    with Follow() as seen, seen.a_pass("first pass", parts) as done:
        done(parts[0])
    assert capsys.readouterr().err.startswith("first pass: 75 %, about")


@pytest.mark.parametrize("engine", [Here(), Threads(2)], ids=["here", "threads"])
def test_batches_tell_inside_a_partition_once_its_rows_are_known(engine, clock, capsys):
    tables = [{"x": [1.0] * 10}, {"x": [2.0] * 30}]
    (part,) = made_partitions(lambda: tables)
    with Follow() as seen:
        for words in ("first pass", "second pass"):
            with seen.a_pass(words, [part]) as done:
                engine.map(lambda one: [batch.n for batch in batches(one)], [part], done)
    lines = [line.split(", about")[0] for line in capsys.readouterr().err.splitlines()]
    assert lines == [
        "first pass: 0 %", "first pass: 0 %", "first pass: 100 %",
        "second pass: 25 %", "second pass: 100 %", "second pass: 100 %",
    ]  # fmt: skip


def test_a_quiet_run_says_nothing(clock, capsys):
    with Follow(quiet=True) as seen, seen.a_pass("x", [Partition("p", "csv", size=1)]) as done:
        seen.say("words")
        done(Partition("p", "csv", size=1))
        seen.search(0.5, "words")
    assert capsys.readouterr().err == ""
