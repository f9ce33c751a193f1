"""SIGINT and SIGTERM at evenly spaced moments of the processor time of every kind of run.

    python -m benchmarks.faults signals [--moments 40] [--only fit search ...]

What must hold: no traceback, an end within two processor seconds, a model where one was promised,
and nothing half-written anywhere.
"""

import argparse
import collections
import shutil
import signal
import tempfile
from pathlib import Path

import numpy as np

import mercer
from benchmarks.faults.records import keep
from benchmarks.faults.with_signal import run_with_signal

PATIENCE = 2.0  # processor seconds between the signal and the end
NUMBERS = (signal.SIGINT, signal.SIGTERM)
PLAIN = ["--kernel", "gaussian", "--report", "none"]


def write(path, n, seed=0):
    """A noisy exclusive or of two of three columns."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = np.where(X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=n) > 0, "yes", "no")
    lines = [
        ",".join(f"{v:.4f}" for v in row) + f",{label}" for row, label in zip(X, y, strict=True)
    ]
    path.write_text("\n".join(["a,b,c,y", *lines]) + "\n")
    return path


class Place:
    """A folder with data, a model, and the commands that are interrupted in it."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.data = write(self.folder / "data.csv", 200)
        self.fresh = write(self.folder / "fresh.csv", 100, 5)
        self.parts = self.folder / "parts"
        self.parts.mkdir()
        for k in range(4):
            write(self.parts / f"{k}.csv", 3000, k)
        made = self.folder / "made"
        mercer.fit(self.data, target="y", kernel="gaussian", output=made, report="none",
                   learner="kernel")  # fmt: skip
        self.model = made / "model.mercer"
        self.out = self.folder / "out"
        self.out.mkdir()

    def arguments(self, case):
        """The command of a case; whatever it writes goes below ``out``."""
        run, table = ["-o", self.out / "run"], ["-o", self.out / "table.csv"]
        return {
            "fit": ["fit", self.data, "-t", "y", *PLAIN, *run],
            "search": ["fit", self.data, "-t", "y", *run],
            "certify": ["certify", self.model, self.fresh],
            "predict": ["predict", self.model, self.data, *table],
            "cluster": ["cluster", self.data, *table],
            "large fit": ["fit", self.parts, "-t", "y", *PLAIN, "--learner", "kernel", "--rank",
                          "60", *run],
            "large predict": ["predict", self.model, self.parts, *table],
            "large certify": ["certify", self.model, self.parts, "-t", "y"],
        }[case]  # fmt: skip

    def cleared(self):
        """Nothing of the run before."""
        shutil.rmtree(self.out)
        self.out.mkdir()

    def written(self):
        """Contents of the files that a run has left, hidden ones too."""
        files = (p for p in self.out.rglob("*") if p.is_file())
        return {str(p.relative_to(self.out)): p.read_bytes() for p in files}


CASES = ("fit", "search", "certify", "predict", "cluster", "large fit", "large predict",
         "large certify")  # fmt: skip


def usable(place):
    """Whether the model that was saved loads and answers."""
    machine = mercer.load(place.out / "run" / "model.mercer")
    rows = [line.split(",")[:3] for line in place.data.read_text().split("\n")[1:6]]
    return len(machine.predict(np.array(rows, dtype=float))) == 5


def judged(ended, place, whole):
    """How a run ended that was sent one signal; AssertionError if a promise was broken."""
    assert not ended.stuck, ended.err
    assert not ended.traceback, ended.err
    left = place.written()
    assert not any(part.startswith(".") for name in left for part in Path(name).parts), left.keys()
    if ended.after is None:
        assert ended.code == 0, ended.err
        return "it had ended before"
    assert ended.after < PATIENCE, f"{ended.after:.1f} s after the signal"
    assert ended.code in (0, 130), f"exit code {ended.code}: {ended.err}"
    fits = "run/model.mercer" in whole
    if ended.promised and ended.code == 130:
        assert "STOPPED EARLY" in ended.out, ended.err
        assert usable(place)
        return "a marked model was saved"
    if ended.code == 0:
        assert not ended.promised or fits
        assert usable(place) if fits else left == whole
        return "it was finished"
    assert not ended.promised
    if "was written before" in ended.err:
        assert not fits
        assert left == whole
        return "it was finished"
    assert "nothing was saved" in ended.err, ended.err
    assert not left, left.keys()
    return "it ended without a result, and said so"


def tried(case, moments, place):
    """How often what happened, the longest wait, and what went wrong at which moment."""
    arguments = place.arguments(case)
    place.cleared()
    first = run_with_signal(1e6, arguments)
    assert first.code == 0, first.err
    whole = place.written()
    found, broken, longest = collections.Counter(), [], 0.0
    for k, share in enumerate(moments):
        number = NUMBERS[k % 2]
        place.cleared()
        ended = run_with_signal(share * first.seconds, arguments, number=number)
        longest = max(longest, ended.after or 0.0)
        try:
            found[judged(ended, place, whole)] += 1
        except AssertionError as problem:
            broken.append([round(float(share), 3), number.name, str(problem)[-600:]])
    return {"seconds": round(first.seconds, 2), "found": dict(found), "broken": broken,
            "longest wait": round(longest, 2), "moments": len(moments)}  # fmt: skip


def main(arguments):
    """Run the cases, one record for all."""
    parser = argparse.ArgumentParser(prog="signals")
    parser.add_argument("--moments", type=int, default=40)
    parser.add_argument("--only", nargs="*", default=CASES)
    chosen = parser.parse_args(arguments)
    moments = np.linspace(0.05, 0.98, chosen.moments)
    broken = False
    for case in chosen.only:
        with tempfile.TemporaryDirectory() as folder:
            found = tried(case, moments, Place(folder))
        print(case, found, flush=True)
        keep("signals", case, found)
        broken = broken or bool(found["broken"])
    return broken
