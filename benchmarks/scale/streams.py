"""Rows in files: ten million through every command, and a cluster of two workers."""

import os
import signal
import tempfile
import time
from hashlib import sha256
from pathlib import Path

import numpy as np

from benchmarks.scale.laws import places, smooth

PART = 250_000  # rows of a file
SHOWN = 5_000  # fresh rows whose labels tell two models apart


def write(folder, n, law=places, part=PART):
    """Files of ``part`` rows each, one after the other in memory."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir()
    for start in range(0, n, part):
        X, y = law(min(part, n - start), seed=1000 + start // part)
        names = [f"x{j}" for j in range(X.shape[1])]
        target = np.where(y > 0, "a", "b") if law is places else y
        table = pa.table([*X.T, target], [*names, "y"])
        pq.write_table(table, folder / f"{start // part:04d}.parquet", compression="zstd")
    return folder


def stream_10m(n=10_000_000):
    """Fit, predict and certify by the commands; memory is that of the whole process."""
    from mercer.cli._main import main
    from mercer.io.model_file import open_model

    found = {}
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        rows, fresh = write(place / "rows", n), write(place / "fresh", n // 10)
        model = place / "o" / "model.mercer"
        commands = {
            "fit": ["fit", rows, "-t", "y", "-o", place / "o", "--work", place / "w", "--quiet"],
            "predict": ["predict", model, rows, "-o", place / "answers"],
            "certify": ["certify", model, fresh],
        }
        for what, asked in commands.items():
            start = time.process_time()
            code = main([str(word) for word in asked])
            found[f"{what} CPU s"] = round(time.process_time() - start, 1)
            assert code == 0, what
        told = open_model(model).about["certificate"]
        answers = sum(1 for _ in (place / "answers").iterdir())
    return {"certified %": round(100 * told["value"], 2), "seen": told["counted"],
            "files of answers": answers, **found}  # fmt: skip


def _seconds(process):
    """Processor seconds of a living process."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _passes(files, engine):
    """A model from a few passes of sums, as bits, with the wall's and this process's seconds."""
    import mercer
    from mercer.learners import NystroemRidge

    rows = mercer.open_rows(files, target="y")
    model = NystroemRidge(1.0, kernel="rbf", gamma=0.03, n_landmarks=700, random_state=0)
    before, clock = time.process_time(), time.monotonic()
    model.fit_rows(rows, engine=engine)
    spent = time.process_time() - before, time.monotonic() - clock
    answers = model.predict(smooth(SHOWN, seed=1)[0])
    return sha256(answers.tobytes()).hexdigest()[:16], *spent


def _on_workers(files, many, kill=False):
    """The same on so many Dask workers, of which one may be killed half way."""
    import threading

    import dask
    from distributed import Client, LocalCluster

    from mercer.engine.dask import QUIET

    options = {"threads_per_worker": 1, "dashboard_address": None, "silence_logs": 50}
    with (
        dask.config.set(QUIET),
        LocalCluster(n_workers=many, **options) as cluster,
        Client(cluster) as client,
    ):
        _passes(files[:many], client)  # imports, before anything is measured
        pids = list(client.run(os.getpid).values())
        before, lost = {pid: _seconds(pid) for pid in pids}, {}

        def dies():
            while _seconds(pids[0]) - before[pids[0]] < kill:
                time.sleep(0.05)
            lost[pids[0]] = _seconds(pids[0])
            os.kill(pids[0], signal.SIGKILL)

        if kill:
            threading.Thread(target=dies, daemon=True).start()
        bits, here, wall = _passes(files, client)
        alive = {pid: _seconds(pid) for pid in client.run(os.getpid).values()}
        work = [last - before.get(pid, 0.0) for pid, last in (alive | lost).items()]
    return bits, here, wall, work


def cluster_2(n=2_000_000):
    """Sums at 700 landmarks: one process, one worker, two workers, two of which one is killed.

    The clock of a busy machine says little: besides it, the seconds of the processor that no
    other worker could have shared, the busiest worker's and those of the client.
    """
    with tempfile.TemporaryDirectory() as name:
        files = sorted(map(str, write(Path(name) / "rows", n, smooth).iterdir()))
        bits, alone, wall = _passes(files, None)
        found = {"one process CPU s": alone, "one process wall s": wall}
        hashes, path, walls = {bits}, {}, {}
        for what, many, kill in (("one worker", 1, 0), ("two workers", 2, 0),
                                 ("one of two killed", 2, 0.25 * alone)):  # fmt: skip
            bits, here, wall, work = _on_workers(files, many, kill)
            hashes.add(bits)
            walls[what] = wall
            path[what] = here + max(work)
            found |= {f"{what} CPU s": here + sum(work), f"{what} wall s": wall,
                      f"{what} longest CPU path s": path[what]}  # fmt: skip
    found = {key: round(value, 1) for key, value in found.items()}
    two = walls["two workers"]
    return {"hashes": len(hashes), **found,
            "one / two by the clock": round(walls["one worker"] / two, 2),
            "killed / two by the clock": round(walls["one of two killed"] / two, 2),
            "one / two by CPU path": round(path["one worker"] / path["two workers"], 2),
            "more CPU %": round(100 * (found["two workers CPU s"] / alone - 1), 1)}  # fmt: skip
