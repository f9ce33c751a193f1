"""Write files whole or not at all."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from mercer.errors import WriteError

put: list[Path] = []  # what this process has put in place: an interrupt must not deny it


@contextlib.contextmanager
def replacing(path: str | Path) -> Iterator[IO[bytes]]:
    """Write next to the target, flush to disk, then rename: nobody ever sees half a file."""
    path = Path(path)
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
        try:
            with os.fdopen(handle, "w+b") as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            os.chmod(name, 0o666 & ~_umask())
            os.replace(name, path)
            put.append(path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(name)
            raise
        _sync_folder(path.parent)
    except OSError as problem:
        raise _explained(problem, path) from None


def write_bytes(path: str | Path, content: bytes) -> Path:
    """The file whole or not at all."""
    with replacing(path) as stream:
        stream.write(content)
    return Path(path)


def write_text(path: str | Path, content: str) -> Path:
    """The same for text, in UTF-8."""
    return write_bytes(path, content.encode("utf-8"))


def check_folder(folder: str | Path) -> Path:
    """Make the folder and try to write to it, so that a long run does not end in an error."""
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".mercer-", suffix=".part"):
            pass
    except OSError as problem:
        raise _explained(problem, folder) from None
    return folder


@contextlib.contextmanager
def new_folder(folder: str | Path) -> Iterator[Path]:
    """A folder that can be written to; if it was made here and stays empty, it goes again."""
    made = not Path(folder).exists()
    place = check_folder(folder)
    try:
        yield place
    finally:
        if made:
            with contextlib.suppress(OSError):  # not empty: there is something to keep
                place.rmdir()


@contextlib.contextmanager
def together(folder: str | Path) -> Iterator[Path]:
    """A place for files that appear in ``folder`` when all are written; none of them before."""
    with new_folder(folder) as place:
        aside = Path(tempfile.mkdtemp(prefix=".mercer-", suffix=".part", dir=place))
        try:
            aside.chmod(0o777 & ~_umask())  # workers may be somebody else
            yield aside
            try:
                _move(aside, place)
            except KeyboardInterrupt:  # everything is done: some of the files alone help nobody
                _move(aside, place)
        finally:
            shutil.rmtree(aside, ignore_errors=True)


def _move(aside: Path, place: Path) -> None:
    for file in sorted(aside.iterdir()):
        os.replace(file, place / file.name)
    put.append(place)


def _explained(problem: OSError, path: Path) -> WriteError:
    reason = problem.strerror or str(problem)
    return WriteError(
        f"cannot write {path}: {reason}.", "Nothing was changed there; name another place with -o."
    )


def _sync_folder(folder: Path) -> None:
    """Make the rename itself durable, where the system can."""
    with contextlib.suppress(OSError), _opened(folder) as handle:
        os.fsync(handle)


@contextlib.contextmanager
def _opened(folder: Path) -> Iterator[int]:
    handle = os.open(folder, os.O_RDONLY)
    try:
        yield handle
    finally:
        os.close(handle)


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
