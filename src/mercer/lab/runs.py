"""Fits of the lab: child processes, at most one for each core, whose folders are kept."""

from __future__ import annotations

import contextlib
import json
import re
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mercer.errors import UserError

FOLDER = "mercer-lab-runs"
WAITING = 20
RECORD = 20_000_000  # bytes of a record that is read back


@dataclass
class Fit:
    """One fit: where it stands."""

    name: str
    job: dict[str, Any]
    status: str = "waiting"
    share: float = 0.0
    words: str = ""
    error: str = ""
    asked_to_stop: bool = False
    process: subprocess.Popen[str] | None = field(default=None, repr=False)


class Runs:
    """Starts fits, asks them to stop, lists what was kept."""

    def __init__(self, folder: Path, workers: int) -> None:
        self.folder = folder / FOLDER
        self.fits: dict[str, Fit] = {}
        self._lock = threading.Lock()
        self._seats = threading.Semaphore(workers)

    def start(self, stem: str, job: dict[str, Any]) -> Fit:
        """Queue a fit under a name of its own."""
        with self._lock:
            if sum(fit.status == "waiting" for fit in self.fits.values()) >= WAITING:
                raise UserError("too many fits wait.", "Stop one, or let one end.")
            stem = re.sub(r"[^A-Za-z0-9_-]+", "-", stem)[:40].strip("-") or "run"
            k = 1
            while (self.folder / f"{stem}-{k}").exists() or f"{stem}-{k}" in self.fits:
                k += 1
            fit = Fit(f"{stem}-{k}", job | {"folder": str(self.folder / f"{stem}-{k}")})
            self.fits[fit.name] = fit
        threading.Thread(target=self._follow, args=[fit], daemon=True).start()
        return fit

    def stop(self, name: str, now: bool) -> None:
        """End with the best so far, or at once and with nothing."""
        fit = self.fits.get(name)
        if fit is None:
            raise UserError("there is no such fit.")
        with self._lock:
            process, waiting = fit.process, fit.status == "waiting"
            fit.status = "stopped" if waiting else fit.status
            fit.asked_to_stop = True
        if process is not None and process.poll() is None:
            process.send_signal(signal.SIGINT)
            if now:
                process.kill()

    def kept(self) -> list[str]:
        """Names of finished runs in the folder, the newest first."""
        if not self.folder.is_dir():
            return []
        found = [p for p in self.folder.iterdir() if (p / "record.json").is_file()]
        found.sort(key=lambda p: (p / "record.json").stat().st_mtime, reverse=True)
        return [p.name for p in found]

    def file(self, name: str, file: str) -> Path | None:
        """A file of a finished run; names that are not of a run are of nobody."""
        if name not in self.kept():
            return None
        path = self.folder / name / file
        return path if path.is_file() and not path.is_symlink() else None

    def record(self, name: str) -> dict[str, Any]:
        """The record of a finished run."""
        path = self.file(name, "record.json")
        if path is None or path.stat().st_size > RECORD:
            raise UserError("there is no such run.")
        found: dict[str, Any] = json.loads(path.read_text("utf-8"))
        return found

    def close(self) -> None:
        """End everything that runs; their folders stay as they are or were never made."""
        for fit in self.fits.values():
            if fit.process is not None and fit.process.poll() is None:
                fit.process.kill()

    def _follow(self, fit: Fit) -> None:
        with self._seats:
            with self._lock:
                if fit.status != "waiting":
                    return
                self.folder.mkdir(parents=True, exist_ok=True)
                command = [sys.executable, "-m", "mercer.lab.child"]
                fit.process = subprocess.Popen(
                    command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    text=True,
                    start_new_session=True,  # Ctrl-C at the lab's terminal ends the lab first
                )
                fit.status = "running"
            assert fit.process.stdin is not None
            assert fit.process.stdout is not None
            with contextlib.suppress(BrokenPipeError):
                fit.process.stdin.write(json.dumps(fit.job) + "\n")
                fit.process.stdin.flush()
            ended: dict[str, Any] = {}
            for line in fit.process.stdout:
                told = json.loads(line)
                fit.share, fit.words = told.get("share", fit.share), told.get("words", fit.words)
                ended = told if "ended" in told else ended
            fit.process.wait()
            with contextlib.suppress(BrokenPipeError):  # what was never read is tried once more
                fit.process.stdin.close()
            fit.process.stdout.close()
            if not ended and fit.asked_to_stop:
                ended = {"ended": "stopped"}
                fit.words = "at once: nothing is kept"
            elif not ended:
                code = fit.process.returncode
                ended = {"ended": "failed", "error": f"The fit was ended from outside ({code})."}
            fit.error = f"{ended.get('error', '')} {ended.get('advice', '')}".strip()
            fit.status = ended["ended"]
