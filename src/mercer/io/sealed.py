"""A folder whose files belong together: put in place as a whole, and sealed by a manifest.

A run is written aside, then named as ready by one rename, then moved into place. Dying before the
rename leaves the old run, dying after it leaves what :func:`finish` needs to complete the new one.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from mercer.errors import WriteError
from mercer.io.atomic import check_folder, write_text

MANIFEST = "manifest.json"
_ASIDE = ".mercer-new"
_READY = ".mercer-ready"


@contextlib.contextmanager
def writing(folder: str | Path, replaces: Collection[str] = ()) -> Iterator[Path]:
    """A place to write the files of a run; they appear in ``folder`` together, or not at all.

    ``replaces`` names files that an older run may have left there. Those, and what the manifest of
    the older run lists, are gone afterwards unless they were written again; other files stay.
    """
    folder = check_folder(folder)
    with _locked(folder):
        finish(folder)
        aside = folder / _ASIDE
        shutil.rmtree(aside, ignore_errors=True)
        try:
            aside.mkdir()
            yield aside
            _seal(folder, aside, replaces)
        except BaseException as problem:
            shutil.rmtree(aside, ignore_errors=True)
            if isinstance(problem, OSError) and not isinstance(problem, WriteError):
                raise WriteError(
                    f"cannot write {folder}: {problem.strerror or problem}.",
                    "Nothing was changed there; name another place with -o.",
                ) from None
            raise
        finish(folder)


def finish(folder: str | Path) -> bool:
    """Complete a run that was ready when its process died; whether there was one."""
    folder = Path(folder)
    ready = folder / _READY
    if not ready.is_dir():
        return False
    place = ready / MANIFEST
    manifest = json.loads((place if place.exists() else folder / MANIFEST).read_text("utf-8"))
    if place.exists():  # else only the empty folder is left
        with contextlib.suppress(FileNotFoundError):
            (folder / MANIFEST).unlink()  # from here on the old run is no longer a whole one
        for name in manifest["replaced"]:
            with contextlib.suppress(FileNotFoundError):
                (folder / name).unlink()
        for name in manifest["files"]:
            if (ready / name).exists():
                os.replace(ready / name, folder / name)
        os.replace(place, folder / MANIFEST)
    shutil.rmtree(ready)
    return True


def unfinished(folder: str | Path) -> bool:
    """Whether a run waits to be put in place by :func:`finish`."""
    return (Path(folder) / _READY).is_dir()


def read_manifest(folder: str | Path) -> dict[str, Any] | None:
    """What the folder was sealed with; None if it has no manifest that can be read."""
    try:
        found = json.loads((Path(folder) / MANIFEST).read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) and isinstance(found.get("files"), dict) else None


def sha256(path: str | Path) -> str:
    """Fingerprint of a file."""
    with Path(path).open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _seal(folder: Path, aside: Path, replaces: Collection[str]) -> None:
    """Write the manifest and name the run as ready, in one step."""
    names = sorted(entry.name for entry in aside.iterdir())
    older = (read_manifest(folder) or {"files": {}})["files"]
    gone = sorted({*replaces, *map(str, older)} - {*names, MANIFEST})
    manifest = {
        "mercer_manifest": 1,
        "files": {
            name: {"sha256": sha256(aside / name), "bytes": (aside / name).stat().st_size}
            for name in names
        },
        "replaced": [name for name in gone if Path(name).name == name and (folder / name).exists()],
    }
    write_text(aside / MANIFEST, json.dumps(manifest, indent=1))
    os.replace(aside, folder / _READY)


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """One writer at a time; the lock is the system's and dies with its process."""
    try:
        import fcntl
    except ImportError:  # a system without it: the last writer wins, file by file
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
