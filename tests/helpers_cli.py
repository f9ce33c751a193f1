"""Run the command line inside the test process, or as a user would."""

import contextlib
import io
import subprocess
import sys
from dataclasses import dataclass

from mercer.cli._main import main


@dataclass
class Ran:
    """What a command left."""

    code: int
    out: str
    err: str


def mercer(*arguments) -> Ran:
    """Run ``mercer`` with arguments in this process."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main([str(a) for a in arguments])
    return Ran(code, out.getvalue(), err.getvalue())


def mercer_process(*arguments, **options) -> subprocess.CompletedProcess:
    """Run ``mercer`` as a process of its own."""
    command = [sys.executable, "-m", "mercer", *(str(a) for a in arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=900, **options)
