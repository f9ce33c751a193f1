"""Ctrl-C and SIGTERM at any moment: what is promised is kept, and nothing half-written stays.

The moments are processor seconds of the command itself, so a busy machine changes nothing. What
every state does is tested in tests/app/test_stopping.py, at moments that are chosen by name.
"""

import shutil
import signal
import sys

import numpy as np
import pytest

import mercer
from helpers_signal import run_with_signal

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="sends signals by their time"),
]
MOMENTS = np.linspace(0.05, 0.98, 40)  # shares of the processor time of the whole run
PATIENCE = 2.0  # processor seconds between the signal and the end
PATH = ["--kernel", "gaussian", "--report", "none"]


def _write(path, n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = np.where(X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=n) > 0, "yes", "no")
    lines = [
        ",".join(f"{v:.4f}" for v in row) + f",{label}" for row, label in zip(X, y, strict=True)
    ]
    path.write_text("\n".join(["a,b,c,y", *lines]) + "\n")
    return path


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return _write(tmp_path_factory.mktemp("signals") / "data.csv", 200)


@pytest.fixture(scope="module")
def model(data, tmp_path_factory):
    out = tmp_path_factory.mktemp("model")
    mercer.fit(data, target="y", kernel="gaussian", output=out, report="none", learner="kernel")
    return out / "model.mercer"


def _usable(folder, data):
    """Whether the model loads and answers."""
    machine = mercer.load(folder / "model.mercer")
    rows = [line.split(",")[:3] for line in data.read_text().split("\n")[1:6]]
    return len(machine.predict(np.array(rows, dtype=float))) == 5


def _kept(ended, folder, data):
    """What must hold however a fit ended that was sent one signal."""
    assert not ended.traceback, ended.err
    if ended.after is None:  # it had ended before the signal
        assert ended.code == 0
        return "before"
    assert ended.after < PATIENCE
    if ended.promised and ended.code == 130:
        assert "STOPPED EARLY" in ended.out
        assert _usable(folder, data)
        return "model"
    if ended.code == 0:  # everything was finished and only had to be written
        assert _usable(folder, data)
        return "done"
    assert ended.code == 130
    assert "nothing was saved" in ended.err
    assert not folder.exists()
    return "nothing"


def _try(moments, arguments, data, folder, number=signal.SIGINT):
    found = []
    for moment in moments:
        shutil.rmtree(folder, ignore_errors=True)
        ended = run_with_signal(moment, [*arguments, "-o", folder], number=number)
        found.append(_kept(ended, folder, data))
    return found


def _length(arguments, folder):
    return run_with_signal(1e6, [*arguments, "-o", folder]).seconds


def test_the_second_signal_ends_without_a_model(data, tmp_path):
    arguments = ["fit", data, "-t", "y", *PATH, "-o", tmp_path / "o"]
    ended = run_with_signal(3.0, arguments, times=100)  # again and again while it ends
    assert ended.code == 130, ended.err
    assert not ended.traceback
    assert not (tmp_path / "o").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("more", [[], [*PATH, "--certify", "recursive"]])
def test_a_fit_keeps_its_promise_at_every_moment(data, tmp_path, more, number):
    arguments = ["fit", data, "-t", "y", *more]
    whole = _length(arguments, tmp_path / "whole")
    found = _try(MOMENTS * whole, arguments, data, tmp_path / "o", number)
    assert found.count("model") >= 3


def test_a_stream_keeps_its_promise_at_every_moment(tmp_path):
    parts = tmp_path / "parts"
    parts.mkdir()
    for k in range(4):
        data = _write(parts / f"{k}.csv", 3000, k)
    arguments = ["fit", parts, "-t", "y", *PATH, "--learner", "kernel", "--rank", "60"]
    whole = _length(arguments, tmp_path / "whole")
    found = _try(MOMENTS * whole, arguments, data, tmp_path / "o")
    assert found.count("model") >= 3


@pytest.mark.parametrize("command", ["predict", "certify", "cluster"])
def test_other_commands_leave_nothing_half_written(data, model, tmp_path, command):
    out = tmp_path / "out.csv"
    arguments = {"predict": ["predict", model, data, "-o", out],
                 "certify": ["certify", model, _write(tmp_path / "fresh.csv", 100, 5)],
                 "cluster": ["cluster", data, "-o", out]}[command]  # fmt: skip
    whole = run_with_signal(1e6, arguments)
    assert whole.code == 0, whole.err
    written = out.read_bytes() if out.exists() else None
    for share in (0.3, 0.9):
        out.unlink(missing_ok=True)
        ended = run_with_signal(share * whole.seconds, arguments)
        assert not ended.traceback, ended.err
        assert ended.code in (0, 130)
        assert ended.after is None or ended.after < PATIENCE
        assert not out.exists() or written is None or out.read_bytes() == written
        assert sorted(p.name for p in tmp_path.iterdir() if p.name.startswith(".")) == []
