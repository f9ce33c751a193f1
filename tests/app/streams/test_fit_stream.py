"""A stream of files is learned from in batches, and gives the same bits on any engine."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from helpers_cli import mercer
from helpers_streams import ROWS, sample
from mercer.app.options import FitOptions
from mercer.app.streams import survey
from mercer.app.streams.fit import fit_stream
from mercer.app.streams.options import StreamOptions
from mercer.app.train import table_machine
from mercer.engine import Threads
from mercer.errors import DataError, UserError

FILES = 3
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("rows")
    for seed in range(FILES):
        pq.write_table(sample(seed), place / f"part-{seed}.parquet")
    return place


@pytest.fixture(autouse=True)
def small_pilot(monkeypatch):
    monkeypatch.setattr(survey, "PILOT", 1500)
    monkeypatch.setattr("mercer.app.streams.fit.FEW", 100)


def options(**more):
    return FitOptions(
        **{"target": "y", "kernel": "gaussian:length_scale=1", "ignore": ("t", "g")} | more
    )


def learned(folder, route, engine=None, work=None, **more):
    chosen = options(route=route, cells=500, rank=60, **more)
    return fit_stream([str(folder)], chosen, StreamOptions(engine, work, quiet=True))


def bits(run):
    """Counts, and answers to rows that nobody has seen."""
    table = sample(99, 500)
    X = np.column_stack([table[name].to_pandas() for name in ("a", "b", "word")]).astype(object)
    X[:, :2] = X[:, :2].astype(float)
    machine = table_machine(run.model)
    return run.record.certificate["counted"], machine.decision_function(X).tobytes()


@pytest.mark.parametrize("route", ["cells", "low-rank"])
def test_threads_have_the_bits_of_the_loop_and_so_has_a_run_that_goes_on(folder, route, tmp_path):
    one = learned(folder, route, work=str(tmp_path))
    assert 0.05 < one.record.certificate["value"] < 0.13
    assert bits(learned(folder, route, Threads(3))) == bits(one)
    made = {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    assert made
    again = learned(folder, route, work=str(tmp_path))
    assert bits(again) == bits(one)
    assert {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == made


def test_counts_are_those_of_the_rows_by_hand(folder):
    from mercer.rows import Split, marks_of_places
    from mercer.rows.marks import COUNT

    run = learned(folder, "low-rank")
    machine, wrong, rows = table_machine(run.model), 0, 0
    labels = [label for seed in range(FILES) for label in sample(seed)["y"].to_pylist()]
    assert f"near {labels.count('near')}" in run.record.target["words"]
    assert "landmarks" in run.record.model["words"]
    for seed in range(FILES):
        table = sample(seed)
        X = np.empty((ROWS, 3), dtype=object)
        for j, name in enumerate(("a", "b", "word")):
            X[:, j] = table[name].to_pylist()
        counted = Split(seed=options().seed).roles(
            marks_of_places(f"part-{seed}.parquet", 0, ROWS, options().seed)
        ) == COUNT  # fmt: skip
        wrong += int(
            np.sum(machine.predict(X[counted]) != np.array(table["y"].to_pylist())[counted])
        )
        rows += int(counted.sum())
    assert f"{wrong} errors on {rows} " in run.record.certificate["counted"]


def test_numbers_are_learned_and_all_routes_compared(folder):
    run = learned(folder, "auto", target="t", ignore=("y", "g"))
    assert run.record.certificate["quantity"].startswith("rate of targets further than")
    told = next(c["message"] for c in run.record.checks if c["code"] == "routes")
    assert "the pilot's" in told
    assert run.record.data["rows_read"] == FILES * ROWS
    assert run.record.target["words"].startswith("numbers from ")
    assert {"first pass", "learning", "all rows"} <= set(run.record.timings)


def test_whole_groups_count(folder):
    run = learned(folder, "low-rank", group="g", ignore=("t",))
    assert "group" in run.record.certificate["quantity"]


def test_bad_files_stop_or_stand_in_the_first_line(folder, tmp_path):
    for path in folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    cut = tmp_path / "part-1.parquet"
    cut.write_bytes(cut.read_bytes()[:5000])
    with pytest.raises(DataError, match=r"part-1\.parquet") as caught:
        learned(tmp_path, "low-rank")
    assert caught.value.exit_code == 3
    stream = StreamOptions(skip_bad=True, quiet=True)
    run = fit_stream([str(tmp_path)], options(route="low-rank", rank=40), stream)
    assert "part-1.parquet" in run.record.certificate["found"][0]
    assert run.record.data["rows_read"] == 2 * ROWS


@pytest.mark.parametrize("wrong", [{"order": "a"}, {"target": None}, {"certify": "compress"}])
def test_what_a_stream_cannot_do_is_refused_before_anything_is_read(wrong):
    with pytest.raises(UserError):
        fit_stream(["nowhere"], options(**wrong), StreamOptions(quiet=True))


def test_copies_across_the_split_are_said_first(tmp_path):
    for seed in (0, 0):
        pq.write_table(sample(seed), tmp_path / "a.parquet")
    pq.write_table(sample(0), tmp_path / "b.parquet")  # every row twice
    run = learned(tmp_path, "low-rank")
    assert "have a copy among those of training" in run.record.certificate["found"][0]


def test_copies_that_a_number_tells_apart_are_said_first(tmp_path):
    """Fingerprints of whole rows differ; the pilot is looked at as tables in memory are."""
    for k in range(3):
        table = sample(0)
        number = pa.array(np.arange(table.num_rows) + k * table.num_rows)
        pq.write_table(table.append_column("number", number), tmp_path / f"{k}.parquet")
    run = learned(tmp_path, "low-rank")
    first = run.record.certificate["found"][0]
    assert first.startswith("in a sample of")
    assert "equal" in first or "copies" in first


def test_the_command_line_fits_predicts_and_certifies_folders(folder, tmp_path):
    out = tmp_path / "out"
    told = mercer(
        "fit", str(folder), "--target", "y", "--ignore", "t", "--ignore", "g",
        "--route", "low-rank",
        "--kernel", "gaussian:length_scale=1", "-o", str(out), "--report", "none",
    )  # fmt: skip
    assert told.code == 0, told.err
    assert "by a hash of their place" in " ".join(told.out.split())
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    for seed in (7, 8):
        pq.write_table(sample(seed, 1000), fresh / f"new-{seed}.parquet")
    model = str(out / "model.mercer")
    told = mercer("predict", model, str(fresh), "-o", str(tmp_path / "answers"))
    assert told.code == 0, told.err
    answers = pq.read_table(tmp_path / "answers" / "new-7.parquet")
    assert answers.num_rows == 1000
    truth = sample(7, 1000)["y"].to_pylist()
    right = np.mean(np.array(answers["predicted"].to_pylist()) == np.array(truth))
    assert right > 0.88
    told = mercer("certify", model, str(fresh / "*.parquet"))
    assert told.code == 0, told.err
    assert "of 2000" in told.out or "on 2000" in told.out
    told = mercer("certify", model, str(folder))
    assert told.code == 3
    assert "trained on" in told.err


@pytest.mark.slow
def test_the_command_line_works_on_a_cluster_and_says_where_it_is_shown(folder, tmp_path):
    pytest.importorskip("distributed")
    asked = [
        "fit", str(folder), "--target", "y", "--ignore", "t", "--ignore", "g", "--route",
        "low-rank", "--kernel", "gaussian:length_scale=1", "--report", "none",
    ]  # fmt: skip
    here = mercer(*asked, "-o", str(tmp_path / "here"))
    there = mercer(*asked, "--cluster", "local:2", "-o", str(tmp_path / "there"))
    assert there.code == 0, there.err
    assert "on 2 Dask workers, shown at http://" in there.err
    assert "Sending large graph" not in there.err
    counted = [line for line in here.out.splitlines() if "seen:" in line]
    assert counted
    assert counted == [line for line in there.out.splitlines() if "seen:" in line]
