"""Scripts in fresh processes that need not import everything anew.

A server process imports the heavy packages once and computes nothing; every script runs in a fork
of it, with nothing that another script or a test has left.
"""

import contextlib
import multiprocessing
import os
import runpy
import sys
import traceback
import warnings
from dataclasses import dataclass
from pathlib import Path

PRELOADED = ("mercer", "mercer.certification", "mercer.selection", "matplotlib.pyplot")


@dataclass
class Ran:
    """What a script left."""

    code: int
    out: str
    err: str


def run_script(path: Path, folder: Path) -> Ran:
    """Run ``python -W error PATH FOLDER`` in that folder."""
    context = _context()
    out, err = folder / "stdout.txt", folder / "stderr.txt"
    process = context.Process(target=_in_child, args=(path, folder, out, err))
    process.start()
    process.join()
    return Ran(int(process.exitcode or 0), out.read_text(), err.read_text())


def _context():
    if "forkserver" not in multiprocessing.get_all_start_methods():  # Windows
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(PRELOADED))
    return context


def _in_child(path: Path, folder: Path, out: Path, err: Path) -> None:
    os.chdir(folder)
    sys.argv = [str(path), str(folder)]
    sys.path.insert(0, str(path.parent))
    warnings.simplefilter("error")
    with (
        out.open("w") as written,
        err.open("w") as complaints,
        contextlib.redirect_stdout(written),
        contextlib.redirect_stderr(complaints),
    ):
        try:
            runpy.run_path(str(path), run_name="__main__")
        except Exception:
            traceback.print_exc()
            sys.exit(1)
