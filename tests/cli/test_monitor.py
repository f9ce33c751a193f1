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
