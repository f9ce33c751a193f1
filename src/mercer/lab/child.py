"""One fit in a process of its own: ``python -m mercer.lab.child`` reads what to do from its input.

The first line is JSON. Standard input then stays open for as long as the lab lives: when it ends,
so does the fit, and nothing half-written is left. SIGINT means what Ctrl-C means to ``mercer fit``.
Lines of JSON on standard output say how far it is and how it ended.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

GRACE = 10.0  # seconds between asking to end and ending


def say(**told: Any) -> None:
    """One line to the lab."""
    sys.stdout.write(json.dumps(told) + "\n")
    sys.stdout.flush()


def follow_parent() -> None:
    """End when the lab has ended: as by two Ctrl-C, and for certain a little later."""
    while sys.stdin.readline():
        pass
    for _ in range(2):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.2)
    time.sleep(GRACE)
    os._exit(1)


def run(job: dict[str, Any]) -> None:
    """Fit, and write the folder of the run."""
    from mercer._stopping import stopping
    from mercer.app.files import write_all
    from mercer.app.labels import read_labels
    from mercer.app.options import FitOptions
    from mercer.app.run import run_fit
    from mercer.io.atomic import new_folder, write_text
    from mercer.io.readers import Options, read
    from mercer.io.source import Source

    options = FitOptions(**job["options"], reading=Options(**job["reading"]))
    with stopping() as state, new_folder(job["folder"]) as folder:
        source = Source.of(job["path"])
        done = run_fit(
            read(source, options.reading),
            options,
            source=source,
            labels=read_labels(job.get("labels"), options.target),
            quiet=True,
            watch=lambda share, words: say(share=share, words=words),
            reproduction={"command": job["command"]},
        )
        done.record.title = done.record.data["name"] = job["name"]
        if done.record.data["labels"]:  # an upload has a number for a name
            done.record.data["labels"]["name"] = job["labels_name"]
        write_all(done.record, done.data, done.model, Path(folder), "html")
        write_text(Path(folder) / "record.json", json.dumps(done.record.to_dict()))
        state.saved = True


def main() -> int:
    """Read the job, do it, say how it ended."""
    job = json.loads(sys.stdin.readline())
    threading.Thread(target=follow_parent, daemon=True).start()
    from mercer.errors import UserError

    try:
        run(job)
    except KeyboardInterrupt:
        say(ended="stopped", words="before a first model was finished: nothing is kept")
        return 130
    except UserError as problem:
        say(ended="failed", error=problem.message, advice=problem.advice)
        return problem.exit_code
    except Exception as problem:
        say(ended="failed", error=f"{type(problem).__name__}: {problem}"[:500], advice="")
        return 70
    say(ended="done")
    return 0


if __name__ == "__main__":
    sys.exit(main())
