"""Where bytes come from: a file or standard input, compressed or not, readable more than once."""

from __future__ import annotations

import hashlib
import io
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mercer import _config
from mercer.errors import DataError, LimitError

MAGIC = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bz2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
}
ENDINGS = {".gz": "gzip", ".bz2": "bz2", ".xz": "xz", ".zst": "zstd", ".zip": "zip"}
HEAD = 1 << 18
BLOCK = 1 << 22


@dataclass
class Source:
    """Bytes that can be read again from the start; ``content`` is set for standard input."""

    path: Path | None
    content: bytes | None = None

    @classmethod
    def of(cls, path: str | Path) -> Source:
        """A file, or standard input for ``-``."""
        if str(path) == "-":
            return cls(None, sys.stdin.buffer.read())
        path = Path(path)
        if path.is_dir():
            raise DataError(f"{path} is a folder.", "Name a file in it.")
        if not path.exists():
            raise DataError(f"there is no file {path}.", nearest_file(path))
        return cls(path)

    @property
    def name(self) -> str:
        """The file's name, for messages."""
        return "standard input" if self.path is None else self.path.name

    @property
    def suffix(self) -> str:
        """Ending of the name in lower case, the compression's ending taken off."""
        if self.path is None:
            return ""
        parts = [part.lower() for part in self.path.suffixes]
        if parts and parts[-1] in ENDINGS:
            parts.pop()
        return parts[-1] if parts else ""

    @property
    def size(self) -> int:
        """Bytes as stored."""
        return len(self.content or b"") if self.path is None else self.path.stat().st_size

    @property
    def compression(self) -> str:
        """``gzip``, ``bz2``, ``xz``, ``zstd`` or nothing, by the first bytes; ``zip`` by its name,
        because workbooks and models are zip files, too.
        """
        with self._raw() as stream:
            start = stream.read(6)
        if start[:2] == b"PK" and self.path is not None and self.path.suffix.lower() == ".zip":
            return "zip"
        return next((kind for magic, kind in MAGIC.items() if start.startswith(magic)), "")

    def open(self) -> Any:
        """A fresh stream of the decompressed bytes."""
        kind, raw = self.compression, self._raw()
        if kind == "gzip":
            import gzip

            return _Checked(gzip.GzipFile(fileobj=raw), self.name, raw)
        if kind == "bz2":
            import bz2

            return _Checked(bz2.BZ2File(raw), self.name, raw)
        if kind == "xz":
            import lzma

            return _Checked(lzma.LZMAFile(raw), self.name, raw)
        if kind == "zstd":
            return _Checked(_zstd(raw), self.name, raw)
        if kind == "zip":
            try:
                return _Checked(_only_member(raw, self.name), self.name, raw)
            except DataError:
                raw.close()
                raise
        return raw

    def _raw(self) -> Any:
        if self.path is None:
            return io.BytesIO(self.content or b"")
        try:
            return self.path.open("rb")
        except PermissionError:
            raise DataError(f"{self.path} may not be read.", "Check its permissions.") from None

    def head(self, size: int = HEAD) -> bytes:
        """The first decompressed bytes."""
        with self.open() as stream:
            return stream.read(size)

    def read(self) -> bytes:
        """All decompressed bytes; refused as soon as they are more than the memory limit."""
        allowed = _config.memory_limit()
        if self.size > allowed:
            raise too_large(self.name, self.size, allowed)
        pieces, taken = [], 0
        with self.open() as stream:
            while piece := stream.read(BLOCK):
                taken += len(piece)
                if taken > allowed:
                    raise too_large(self.name, taken, allowed)
                pieces.append(piece)
        return b"".join(pieces)

    def sha256(self) -> str:
        """Fingerprint of the bytes as stored."""
        digest = hashlib.sha256()
        with self._raw() as stream:
            while block := stream.read(1 << 20):
                digest.update(block)
        return digest.hexdigest()


class _Checked(io.RawIOBase):
    """A decompressor whose failures name the file."""

    def __init__(self, stream: Any, name: str, raw: Any) -> None:
        self._stream = stream
        self._raw = raw  # decompressors do not close the file they were handed
        self._name = name

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1) -> bytes:
        try:
            return bytes(self._stream.read(-1 if size is None else size))
        except MemoryError:
            raise
        except Exception as problem:  # each decompressor has errors of its own
            raise DataError(
                f"{self._name} is compressed, but damaged or cut off ({problem}).",
                "Get the file again.",
            ) from None

    def close(self) -> None:
        self._stream.close()
        self._raw.close()
        super().close()


def too_large(name: str, nbytes: float, allowed: int) -> LimitError:
    """The refusal of a file that would take more memory than may be used."""
    return LimitError(
        f"reading {name} takes more than {nbytes / 1e6:,.0f} MB; the memory limit is "
        f"{allowed / 1e6:,.0f} MB.",
        "Raise --memory-limit (mercer.set_config), or read a part of the file.",
    )


def _zstd(raw: Any) -> Any:
    try:
        import pyarrow as pa
    except ImportError:
        raise DataError(
            "zstd-compressed files need pyarrow.", "Install mercer[app], or decompress first."
        ) from None
    return pa.CompressedInputStream(pa.PythonFile(raw, mode="r"), "zstd")


def _only_member(raw: Any, name: str) -> Any:
    import zipfile

    try:
        box = zipfile.ZipFile(raw)
    except zipfile.BadZipFile as problem:
        raise DataError(f"{name} is compressed, but damaged or cut off ({problem}).") from None
    files = [n for n in box.namelist() if not n.endswith("/") and not n.startswith("__MACOSX")]
    if len(files) != 1:
        raise DataError(
            f"{name} holds {len(files)} files.", "Take out the one to be read, or zip it alone."
        )
    return box.open(files[0])


def nearest_file(path: Path) -> str:
    """Advice that names a file with a similar name in the same folder."""
    from difflib import get_close_matches

    folder = path.parent
    if not folder.is_dir():
        return f"There is no folder {folder} either."
    names = [entry.name for entry in folder.iterdir() if entry.is_file()]
    near = get_close_matches(path.name, names, 1, 0.6)
    return f"Did you mean {folder / near[0]}?" if near else f"The folder {folder} has no such file."


def is_pattern(data: str) -> bool:
    """Whether a folder or a pattern of file names was given, which are read in batches."""
    path = Path(data)
    return path.is_dir() or (any(sign in data for sign in "*?[") and not path.exists())
