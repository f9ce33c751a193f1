"""Before a pass: every worker has this version of Mercer and sees the files under their paths."""

from __future__ import annotations

import os
import platform
from functools import partial
from typing import Any

from mercer._versions import version
from mercer.errors import DataError, UserError


def check_workers(engine: Any, paths: list[str]) -> None:
    """Refuse a cluster whose workers could not do the tasks, with the machine's name."""
    mine = version()
    for host, theirs, gone in engine.everywhere(partial(_look, tuple(paths))):
        if theirs != mine:
            raise UserError(
                f"the worker on {host} has Mercer {theirs}, this is {mine}.",
                "Install the same version everywhere.",
            )
        if gone:
            raise DataError(
                f"the worker on {host} does not see {gone}.",
                "Put files, --work and --output on a disk that all machines share, under the same "
                "path.",
            )


def _look(paths: tuple[str, ...]) -> tuple[str, str, str]:
    """The machine, its version of Mercer, and the first path that is not there."""
    gone = next((path for path in paths if not os.path.exists(path)), "")
    return platform.node(), version(), gone
