"""Whether the tests notice when a guard is taken out: each is, once, in a copy of the sources.

    python -m benchmarks.faults broken [--only NAME ...]

A test that passes without the guard it is about shows nothing, so every group must fail here.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.faults.records import keep
from benchmarks.faults.tests import counted

ENOUGH = 5  # failures, after which the tests of a guard are stopped
ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Guard:
    """What is taken out, where, and the tests that must notice."""

    file: str
    there: str
    instead: str
    tests: str


GUARDS = {
    "files of a run appear together": Guard(
        "io/atomic.py", "yield aside\n            try:", "yield place\n            try:",
        "tests/io/test_together.py",
    ),
    "a signal after the first model keeps it": Guard(
        "_stopping.py", "if not self.found or self.presses > 1:", "if True:",
        "tests/app/test_stopping.py",
    ),
    "Arrow tables are validated in full": Guard(
        "io/readers/columnar.py", "table.validate(full=True)", "table.validate()",
        "tests/io/test_hostile_files.py",
    ),
    "arrays of a model file have their checksums": Guard(
        "io/model_file/_zip.py", "if hashlib.sha256(data).hexdigest() != digest:", "if False:",
        "tests/io/test_model_file.py",
    ),
    "files of a run folder are the ones that were sealed": Guard(
        "app/verify.py", 'elif sha256(place) != known.get("sha256"):', "elif False:",
        "tests/cli/test_verify.py",
    ),
    "targets are finite": Guard(
        "learners/_checks.py", "bad = np.flatnonzero(~np.isfinite(", "bad = np.flatnonzero(0 * (",
        "tests/contracts/test_degenerate_targets.py",
    ),
    "memory is asked for before it is taken": Guard(
        "_config.py", "if nbytes > allowed:", "if False:", "tests/contracts/test_memory.py",
    ),
    "a fit whose time is over ends": Guard(
        "solvers/watch.py", "return time.perf_counter() - self.began > self.seconds",
        "return False", "tests/learners/test_time_limits.py",
    ),
    "`mercer serve` answers only names of this computer": Guard(
        "serving/service.py", "if name not in service.hosts:", "if False:",
        "tests/serving/test_service.py",
    ),
    "the lab answers only its own page": Guard(
        "lab/guard.py", "if origin is not None and not _same(", "if False and not _same(",
        "tests/lab/test_attacks.py",
    ),
}  # fmt: skip


def without(guard):
    """How many of its tests fail without it; -1 if their process died."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(ROOT / "src" / "mercer", folder / "mercer")
        place = folder / "mercer" / guard.file
        text = place.read_text()
        assert text.count(guard.there) == 1, f"{guard.file} reads otherwise now"
        place.write_text(text.replace(guard.there, guard.instead))
        report = folder / "report.xml"
        subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider",
             f"--maxfail={ENOUGH}", f"--junitxml={report}", guard.tests],
            cwd=ROOT, env=os.environ | {"PYTHONPATH": str(folder)}, check=False,
            stdout=subprocess.DEVNULL,
        )  # fmt: skip
        return counted(report)["failed"] if report.exists() else -1


def main(arguments):
    """Take out one guard after the other."""
    parser = argparse.ArgumentParser(prog="broken")
    parser.add_argument("--only", nargs="*", default=list(GUARDS))
    chosen = parser.parse_args(arguments)
    unnoticed = False
    for name in chosen.only:
        failed = without(GUARDS[name])
        print(name, failed, flush=True)
        keep("broken", name, {"failed": failed})
        unnoticed = unnoticed or failed == 0
    return unnoticed
