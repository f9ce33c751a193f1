"""What goes wrong around a stream: a full disk, a slow worker, a scheduler that is gone."""

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

import mercer
from helpers_cli import mercer as command
from helpers_streams import sample
from mercer.app.streams import survey
from mercer.errors import UserError
from mercer.io import atomic
from mercer.learners.large import cut_rows

pytestmark = pytest.mark.filterwarnings("ignore")  # of other people's sockets at the end
OPTIONS = {
    "target": "y", "ignore": ("t", "g"), "kernel": "gaussian:length_scale=1", "route": "cells",
    "cells": 500,
}  # fmt: skip


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    place = tmp_path_factory.mktemp("files")
    for seed in range(3):
        pq.write_table(sample(seed, 1500), place / f"part-{seed}.parquet")
    return place


@pytest.fixture(autouse=True)
def small_pilot(monkeypatch):
    monkeypatch.setattr(survey, "PILOT", 1000)
    monkeypatch.setattr("mercer.app.streams.fit.FEW", 100)


def bits(model):
    return model.predict_proba(sample(99, 500)).tobytes()


@pytest.fixture(scope="module")
def expected(files):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(survey, "PILOT", 1000)
        patch.setattr("mercer.app.streams.fit.FEW", 100)
        return bits(mercer.fit(files, **OPTIONS))


def written(work):
    """What a folder holds, and since when."""
    return {path.name: path.stat().st_mtime_ns for path in work.iterdir()}


@pytest.mark.parametrize("room", [0, 4, 9])
def test_a_full_disk_is_told_and_the_next_run_goes_on(files, expected, room, tmp_path, monkeypatch):
    work, out, real, left = tmp_path / "work", tmp_path / "out", os.fsync, iter(range(room))

    def full(handle):
        """The disk takes so many files of the folder, and then no more."""
        path = os.readlink(f"/proc/self/fd/{handle}")
        if "work" in Path(path).parts and path.endswith(".part") and next(left, None) is None:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(handle)

    asked = ["fit", files, "-t", "y", "--ignore", "t", "--ignore", "g", "--kernel",
             "gaussian:length_scale=1", "--route", "cells", "--cells", "500", "--work", work,
             "--report", "none", "-o", out]  # fmt: skip
    with monkeypatch.context() as patch:
        patch.setattr(atomic.os, "fsync", full)
        told = command(*asked)
    assert told.code == 6, told.err
    assert "No space left on device" in told.err
    assert not (out / "model.mercer").exists()
    assert not [name for name in written(work) if name.endswith(".part")]
    finished = written(work)
    assert len(finished) == room
    told = command(*asked)
    assert told.code == 0, told.err
    assert bits(mercer.load(out / "model.mercer")) == expected
    cut = {name.partition(".")[0] for name in finished if name.startswith("cut-")}
    half = {one for one in cut if one.rpartition("-")[0] not in cut}  # it is cut again
    whole = {name: since for name, since in finished.items() if name.partition(".")[0] not in half}
    assert len(whole) >= room - 3
    assert whole.items() <= written(work).items()  # what was finished was not done again


def test_a_file_of_any_size_is_cut_in_stretches_with_the_same_bits(files, expected, monkeypatch):
    calls, real = [], cut_rows.ordered

    def seen(pieces, *given):
        calls.append(1)
        return real(pieces, *given)

    monkeypatch.setattr(cut_rows, "ordered", seen)
    monkeypatch.setattr(cut_rows, "STRETCH", 1)  # every batch is one
    monkeypatch.setattr("mercer.io.streams.BATCH", 400)
    assert bits(mercer.fit(files, **OPTIONS)) == expected
    assert len(calls) > 6


# -- Dask ------------------------------------------------------------------------------------------


def drag():
    """From now on every task of this worker waits first."""
    from mercer.engine import dask

    real = dask._Run.__call__

    def late(self, item):
        time.sleep(0.3)
        return real(self, item)

    dask._Run.__call__ = late


@pytest.mark.slow
def test_a_slow_worker_delays_and_changes_nothing(files, expected):
    distributed = pytest.importorskip("distributed")
    options = {"threads_per_worker": 1, "dashboard_address": None, "silence_logs": 50}
    with distributed.LocalCluster(n_workers=2, **options) as made, distributed.Client(made) as one:
        one.run(drag, workers=[min(one.scheduler_info()["workers"])])
        assert bits(mercer.fit(files, **OPTIONS, cluster=one)) == expected


def started(*arguments):
    """A process of Dask's own, as it is started on a machine."""
    return subprocess.Popen(
        [sys.executable, "-m", *arguments], stderr=subprocess.PIPE, text=True,
        stdout=subprocess.DEVNULL,
    )  # fmt: skip


@pytest.mark.slow
def test_a_lost_scheduler_is_told_and_the_next_run_goes_on(files, expected, tmp_path, monkeypatch):
    pytest.importorskip("distributed")
    from mercer.engine import dask

    work = tmp_path / "work"
    work.mkdir()
    scheduler = started("distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard")
    address = next(line.split()[-1] for line in scheduler.stderr if "Scheduler at:" in line)
    worker = started("distributed.cli.dask_worker", address, "--nthreads", "1", "--no-dashboard",
                     "--no-nanny")  # fmt: skip
    told, count = dask._Told.__call__, iter(range(10**6))

    def heard(self, future):
        if next(count) == 7:  # three files were surveyed and three were cut
            os.kill(scheduler.pid, signal.SIGKILL)
        told(self, future)

    try:
        with monkeypatch.context() as patch:
            patch.setattr(dask._Told, "__call__", heard)
            with pytest.raises(UserError, match="scheduler is gone"):
                mercer.fit(files, **OPTIONS, work=work, cluster=address)
    finally:
        for process in (scheduler, worker):
            process.kill()
            process.wait()
            process.stderr.close()
    finished = written(work)
    assert len(finished) >= 6
    assert bits(mercer.fit(files, **OPTIONS, work=work)) == expected
    assert finished.items() <= written(work).items()


def test_rows_of_the_tests_are_learned(expected):
    """Bits of a model that knew nothing would be equal, too."""
    found = np.frombuffer(expected).reshape(500, 2).argmax(axis=1)
    truth = sample(99, 500)["y"].to_pylist()
    assert np.mean(np.array(["far", "near"])[found] == truth) > 0.85
