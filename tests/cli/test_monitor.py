"""``mercer monitor``: lines, exit codes, a state that outlives the process, bad streams."""

import json

import numpy as np
import pytest

from helpers_cli import mercer as run


def write(path, n, flip, seed, labels=True):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = (X[:, 0] > 0) ^ (rng.random(n) < flip)
    head = "a,b,label\n" if labels else "a,b\n"
    body = [f"{a:.4f},{b:.4f}" + (f",{'yes' if t else 'no'}" if labels else "")
            for (a, b), t in zip(X, y, strict=True)]  # fmt: skip
    path.write_text(head + "\n".join(body) + "\n")
    return path


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("watch")
    data = write(folder / "train.csv", 300, 0.05, 1)
    done = run("fit", data, "--target", "label", "-o", folder / "out", "--kernel", "linear",
               "--report", "none", "-q")  # fmt: skip
    assert done.code == 0, done.err
    return folder / "out" / "model.mercer"


def lines(done):
    return [json.loads(line) for line in done.out.splitlines() if line.startswith("{")]


def test_quiet_then_loud(model, tmp_path):
    state, quiet = tmp_path / "state.json", write(tmp_path / "quiet.csv", 150, 0.03, 2)
    done = run("monitor", model, quiet, "--state", state, "--batch", 50)
    assert done.code == 0
    assert [line["read"] for line in lines(done)] == [50, 100, 150]
    again = run("monitor", model, quiet, "--state", state)
    assert lines(again)[-1]["labels"] == 150  # nothing is counted twice
    loud = write(tmp_path / "loud.csv", 200, 0.4, 3)
    done = run("monitor", model, loud, "--state", state, "--picture", tmp_path / "watch.png")
    assert done.code == 7
    assert lines(done)[-1]["alarm"]
    assert lines(done)[-1]["labels"] == 350
    assert (tmp_path / "watch.png").stat().st_size > 5000


def test_streams_that_do_not_fit(model, tmp_path):
    state, stream = tmp_path / "state.json", write(tmp_path / "s.csv", 60, 0.03, 4, labels=False)
    done = run("monitor", model, stream, "--state", state)
    assert done.code == 0
    assert lines(done)[-1]["labels"] == 0
    write(tmp_path / "s.csv", 30, 0.03, 4)
    assert run("monitor", model, stream, "--state", state).code == 3
    other = tmp_path / "other.csv"
    other.write_text("c,label\n1,yes\n")
    assert run("monitor", model, other, "--state", tmp_path / "new.json").code == 3
    state.write_text("{")
    assert run("monitor", model, stream, "--state", state).code == 3


def test_a_file_of_the_same_name_is_another_stream(model, tmp_path):
    state = tmp_path / "state.json"
    for day, seed in (("monday", 5), ("tuesday", 6)):
        (tmp_path / day).mkdir()
        done = run("monitor", model, write(tmp_path / day / "day.csv", 80, 0.03, seed),
                   "--state", state)  # fmt: skip
    assert lines(done)[-1]["labels"] == 160


def test_a_file_whose_first_rows_were_replaced_is_refused(model, tmp_path):
    """Its first rows would be passed over: they are counted as read already."""
    state, stream = tmp_path / "state.json", write(tmp_path / "day.csv", 80, 0.03, 5)
    run("monitor", model, stream, "--state", state)
    write(stream, 120, 0.5, 6)
    done = run("monitor", model, stream, "--state", state)
    assert done.code == 3
    assert "is another file than before: row 1 " in done.err
    state.unlink()
    short = write(tmp_path / "day.csv", 80, 0.03, 5).read_text()
    run("monitor", model, stream, "--state", state)
    stream.write_text(short + short.split("\n", 1)[1])
    assert lines(run("monitor", model, stream, "--state", state))[-1]["labels"] == 160


def test_a_state_belongs_to_what_it_watches(model, tmp_path):
    state, stream = tmp_path / "state.json", write(tmp_path / "s.csv", 60, 0.03, 7)
    stream.write_text(stream.read_text().replace("label", "label2"))
    assert run("monitor", model, stream, "--state", state, "--target", "label2").code == 0
    done = run("monitor", model, stream, "--state", state)
    assert done.code == 2
    assert "begun with another target (label2, now label)" in done.err


def test_states_of_before_knew_the_names_of_files_only(model, tmp_path):
    state, stream = tmp_path / "state.json", write(tmp_path / "s.csv", 60, 0.03, 7)
    run("monitor", model, stream, "--state", state)
    kept = json.loads(state.read_text())
    kept["read"] = {"s.csv": 60}
    del kept["marks"], kept["watching"]
    state.write_text(json.dumps(kept))
    assert lines(run("monitor", model, stream, "--state", state))[-1]["labels"] == 60


def test_other_numbers_than_a_share_of_wrong_rows_are_not_watched(tmp_path):
    data = write(tmp_path / "train.csv", 300, 0.05, 1)
    for more, named in ((["--error", "balanced"], "balanced"), (["--metric", "ece"], "calib")):
        done = run("fit", data, "--target", "label", "-o", tmp_path / named, "--kernel", "linear",
                   "--report", "none", "-q", *more)  # fmt: skip
        assert done.code == 0, done.err
        model = tmp_path / named / "model.mercer"
        done = run("monitor", model, data, "--state", tmp_path / "state.json")
        assert done.code == 2
        assert named in done.err
        assert "--limit R" in done.err
