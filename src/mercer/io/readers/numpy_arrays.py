"""NumPy's .npy and .npz files; pickled objects are refused."""

from __future__ import annotations

import io
import tokenize
import zipfile
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer import _config
from mercer.errors import DataError, UserError
from mercer.io.source import Source, too_large
from mercer.tables.dataset import NUMBER, TEXT, Column, Dataset

NAME = "numpy"
SUFFIXES = (".npy", ".npz")
PREAMBLE = 1 << 16  # holds any header that numpy.save writes for an array of numbers
TARGETS = ("y", "target", "labels", "label")


def sniff(head: bytes) -> bool:
    """NumPy's own first bytes, or an archive whose first part is an array."""
    return head[:6] == b"\x93NUMPY" or (head[:2] == b"PK" and b".npy" in head[:300])


def read(source: Source, options: Any) -> Dataset:
    """A matrix of numbers; in .npz the array ``X`` (or the largest) and, if there, ``y``."""
    labels: NDArray[Any] | None = None
    if source.head(2) == b"PK":
        matrix, labels = _from_zip(source, options.key)
    else:
        with source.open() as stream:
            stored = None if source.compression else source.size
            matrix = load_array(stream, source.name, stored, copies=2)
    if matrix.ndim == 1:
        matrix = matrix[:, None]
    if matrix.ndim != 2:
        raise DataError(f"{source.name} has shape {matrix.shape}; a table has two axes.")
    if options.precomputed:
        return Dataset("square", "numpy", matrix=matrix, labels=labels)
    if matrix.dtype.kind not in "fiub":
        raise DataError(f"{source.name} holds {matrix.dtype}, not numbers.")
    values = np.asarray(matrix, dtype=np.float64, order="F")
    columns = [Column(f"column {j + 1}", NUMBER, values[:, j]) for j in range(values.shape[1])]
    if labels is not None:
        columns.append(label_column("y", labels))
    return Dataset("table", "numpy", columns=columns)


def load_array(stream: Any, name: str, stored: int | None = None, copies: int = 1) -> NDArray[Any]:
    """One array, read piece by piece; its header is believed only as far as memory allows.

    ``stored`` is the number of bytes that are there, if known; ``copies`` of the array are going
    to be in memory at once.
    """
    start = stream.read(PREAMBLE)
    try:
        size = _declared(start, name)
        if stored is not None and size > stored:
            raise DataError(f"{name} is cut off: it declares {size} bytes and has {stored}.")
        if copies * size > (allowed := _config.memory_limit()):
            raise too_large(name, copies * size, allowed)
        return np.lib.format.read_array(_Rejoined(start, stream), allow_pickle=False)
    except (ValueError, EOFError, OSError, SyntaxError, tokenize.TokenError) as problem:
        if isinstance(problem, UserError):
            raise
        raise DataError(
            f"{name} is not a readable NumPy file: {problem}", "Save it again with numpy.save."
        ) from None


def _declared(start: bytes, name: str) -> int:
    """Bytes of the array as its header has them."""
    head = io.BytesIO(start)
    version = np.lib.format.read_magic(head)
    reader = {(1, 0): np.lib.format.read_array_header_1_0,
              (2, 0): np.lib.format.read_array_header_2_0}.get(version)  # fmt: skip
    if reader is None:  # the third is for names of fields beyond ASCII
        raise DataError(f"{name} holds records with named fields, not one array of numbers.")
    shape, _, dtype = reader(head)
    if dtype.hasobject:
        raise DataError(f"{name} holds pickled objects, which could run code; refused.")
    return int(np.prod(shape, dtype=object)) * dtype.itemsize


class _Rejoined:
    """A stream of which the first bytes were taken off to look at them."""

    def __init__(self, start: bytes, rest: Any) -> None:
        self._start = start
        self._rest = rest

    def read(self, size: int = -1, /) -> bytes:
        if not self._start:
            return bytes(self._rest.read(size))
        piece, self._start = self._start[:size], self._start[size:]
        return piece


def _from_zip(source: Source, key: str | None) -> tuple[NDArray[Any], NDArray[Any] | None]:
    name = source.name
    packed = source.path is None or source.compression
    try:
        with zipfile.ZipFile(io.BytesIO(source.read()) if packed else str(source.path)) as archive:
            sizes = {i.filename.removesuffix(".npy"): i.file_size for i in archive.infolist()}
            if key is not None and key not in sizes:
                raise DataError(f"{name} has no array '{key}'.", f"It has {', '.join(sizes)}.")
            default = "X" if "X" in sizes else max(sizes, key=lambda k: sizes[k], default="")
            wanted = key or default
            target = next((t for t in TARGETS if t in sizes and t != wanted), None)
            arrays = {}
            for k in (wanted, target):
                if k:
                    with archive.open(f"{k}.npy") as member:
                        arrays[k] = load_array(member, f"{k} of {name}", sizes[k], copies=2)
    except (zipfile.BadZipFile, zlib.error, KeyError, NotImplementedError, RuntimeError) as problem:
        raise DataError(f"{name} is not a readable .npz file: {problem}") from None
    if not arrays:
        raise DataError(f"{name} holds no array.")
    labels = arrays.get(target) if target else None
    return arrays[wanted], None if labels is None else labels.ravel()


def label_column(name: str, labels: NDArray[Any]) -> Column:
    """Labels as numbers or text, whichever they are."""
    if labels.dtype.kind in "fiub":
        return Column(name, NUMBER, labels.astype(np.float64))
    texts = np.empty(len(labels), dtype=object)
    texts[:] = [str(v) for v in labels.tolist()]
    return Column(name, TEXT, texts)
