"""Bytes as Arrow's own files, so that none of its threads ever touches a Python object.

Arrow's readers read ahead on threads of their own. Such a thread still lets go of a Python stream,
or asks it for a block, after the call has failed in ours; when the interpreter is on its way out
just then, the whole process is ended by ``abort``. So plain files and those that Arrow can unpack
are read by Arrow itself, and everything else is made plain UTF-8 here first.
"""

from __future__ import annotations

import codecs
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from mercer.io.source import BLOCK, Source

_UNPACKED_BY_ARROW = ("gzip", "bz2", "zstd")


def is_utf8(encoding: str) -> bool:
    """Whether Arrow reads this encoding itself; it skips a byte order mark."""
    return codecs.lookup(encoding).name in ("utf-8", "utf-8-sig")


def plain_file(source: Source, encoding: str = "utf-8") -> Any | None:
    """The file as it lies on the disk, or None if its bytes are not what Arrow has to read."""
    import pyarrow as pa

    if source.path is None or source.compression or not is_utf8(encoding):
        return None
    return pa.OSFile(str(source.path))


def in_memory(pieces: Iterable[bytes]) -> Any:
    """The pieces in one block of Arrow's memory: a buffer of Python's would be handed back."""
    import pyarrow as pa

    out = pa.BufferOutputStream()
    for piece in pieces:
        out.write(piece)
    return pa.BufferReader(out.getvalue())


def as_utf8(stream: Any, encoding: str) -> Iterator[bytes]:
    """Text in another encoding, written in UTF-8, piece after piece."""
    if is_utf8(encoding):
        while piece := stream.read(BLOCK):
            yield piece
        return
    decoder = codecs.getincrementaldecoder(encoding)()
    while piece := stream.read(BLOCK):
        yield decoder.decode(piece).encode()
    yield decoder.decode(b"", True).encode()


@contextmanager
def streamed(source: Source, encoding: str = "utf-8") -> Iterator[Any]:
    """The text of a file that may be larger than memory.

    What Arrow can neither unpack nor decode goes through a temporary file. The file is not closed
    here: Arrow may still be reading ahead, and closes it when it has let go of it.
    """
    import pyarrow as pa

    plain = plain_file(source, encoding)
    if plain is not None:
        yield plain
    elif source.path is None and not source.compression and is_utf8(encoding):
        yield in_memory([source.content or b""])
    elif source.path is not None and source.compression in _UNPACKED_BY_ARROW and is_utf8(encoding):
        yield pa.CompressedInputStream(pa.OSFile(str(source.path)), source.compression)
    else:
        with tempfile.TemporaryDirectory(prefix="mercer-", ignore_cleanup_errors=True) as folder:
            place = os.path.join(folder, "text")
            with source.open() as stream, open(place, "wb") as out:
                for piece in as_utf8(stream, encoding):
                    out.write(piece)
            yield pa.OSFile(place)
