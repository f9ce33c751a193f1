"""What views share: the address, and the files that may be read."""

from __future__ import annotations

import os
import re
import secrets
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from mercer.errors import DataError
from mercer.io.readers import available
from mercer.io.source import Source
from mercer.lab.address import Address
from mercer.lab.runs import FOLDER

PICKLES = (".pkl", ".pickle", ".joblib", ".dill")
SPSS = (b"$FL2", b"$FL3")  # plain, and packed whole
SHOWN = 200


@dataclass
class Room:
    """Files by upload or below the folder the lab was started in; nothing else is ever opened."""

    address: Address
    uploads: dict[str, Path] = field(default_factory=dict)
    closing: list[Callable[[], None]] = field(default_factory=list)
    _shelf: tempfile.TemporaryDirectory[str] | None = None

    def keep(self, name: str, content_of: Path) -> str:
        """Take over an uploaded file; it is called by a number, never by its own name."""
        key = f"upload-{len(self.uploads) + 1}-{secrets.token_hex(4)}"
        place = content_of.with_name(key + safe_ending(name))
        os.replace(content_of, place)
        self.uploads[key] = place
        return key

    def shelf(self) -> Path:
        """A private folder for uploads, gone when the lab ends."""
        if self._shelf is None:
            self._shelf = tempfile.TemporaryDirectory(prefix="mercer-lab-")
        return Path(self._shelf.name)

    def find(self, name: str) -> Path:
        """The file that the page means: an upload, or a path below the folder.

        Raises
        ------
        DataError
            If it lies elsewhere, also by way of a link, or is a pickle, which would run code.
        """
        path = self.uploads.get(name)
        if path is None:
            base = self.address.folder.resolve()
            try:
                path = (base / name).resolve()
            except (OSError, ValueError):
                raise DataError("this is not the name of a file.") from None
            data = self.address.data
            if not path.is_relative_to(base) and (data is None or path != data.resolve()):
                raise DataError(
                    "files are read below the folder the lab was started in, and nowhere else.",
                    "Drop the file on the page, or start the lab where the file is.",
                )
            if not path.is_file():
                raise DataError(f"there is no file {name[:200]} in the folder of the lab.")
        refuse_pickle(path)
        return path

    def listed(self) -> list[str]:
        """Files of the folder that could be data, without going deeper than one level."""
        base = self.address.folder.resolve()
        found = [p for pattern in ("*", "*/*") for p in sorted(base.glob(pattern))]
        inside = [p.relative_to(base) for p in found if p.is_file()]
        names = [p.as_posix() for p in inside if _is_data(p)]
        return names[:SHOWN]

    def close(self) -> None:
        """Let views put away what they have open, and throw the uploads away."""
        for close in self.closing:
            close()
        if self._shelf is not None:
            self._shelf.cleanup()


def _is_data(path: Path) -> bool:
    """By its ending, that of a compression aside; what the lab writes is no data."""
    known = {end for reader in available().values() for end in reader.SUFFIXES}
    hidden = any(part[0] == "." or part == FOLDER for part in path.parts)
    return Source(path).suffix in known and not hidden


def safe_ending(name: str) -> str:
    """``.csv.gz`` of a name that somebody else has given: letters and digits, nothing more."""
    found = re.search(r"(\.[A-Za-z0-9]{1,10}){1,2}$", name)
    return found.group(0).lower() if found else ""


def refuse_pickle(path: Path) -> None:
    """Refuse files that run code when they are read; by name, and by their first bytes.

    ``.sav`` is what SPSS calls its tables, and some people their pickles: the first bytes tell.
    """
    with path.open("rb") as stream:
        start = stream.read(4)
    pickled = start[:1] == b"\x80" and start[1:2] <= b"\x05"
    ending = path.suffix.lower()
    strange = ending == ".sav" and start not in SPSS
    if ending in PICKLES or pickled or strange:
        raise DataError("this is a pickle: reading it would run code of whoever made it.")
