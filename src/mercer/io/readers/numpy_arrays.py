"""NumPy's .npy and .npz files; pickled objects are refused."""

from __future__ import annotations

import io
import zipfile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer import _config
from mercer.errors import DataError, LimitError
from mercer.io.source import Source
from mercer.tables.dataset import NUMBER, TEXT, Column, Dataset

NAME = "numpy"
SUFFIXES = (".npy", ".npz")
TARGETS = ("y", "target", "labels", "label")


def sniff(head: bytes) -> bool:
    """NumPy's own first bytes."""
    return head[:6] == b"\x93NUMPY"


def read(source: Source, options: Any) -> Dataset:
    """A matrix of numbers; in .npz the array ``X`` (or the largest) and, if there, ``y``."""
    raw = source.read()
    labels: NDArray[Any] | None = None
    if raw[:2] == b"PK":
        matrix, labels = _from_zip(raw, source.name, options.key)
    else:
        matrix = load_array(raw, source.name)
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


def load_array(raw: bytes, name: str) -> NDArray[Any]:
    """One array; its header is compared with the bytes there are before memory is taken."""
    stream = io.BytesIO(raw)
    try:
        version = np.lib.format.read_magic(stream)
        reader = {(1, 0): np.lib.format.read_array_header_1_0,
                  (2, 0): np.lib.format.read_array_header_2_0}.get(version)  # fmt: skip
        if reader is not None:
            shape, _, dtype = reader(stream)
            if dtype.hasobject:
                raise DataError(f"{name} holds pickled objects, which could run code; refused.")
            size = int(np.prod(shape, dtype=object)) * dtype.itemsize
            if size > len(raw):
                raise DataError(f"{name} is cut off: it declares {size} bytes and has {len(raw)}.")
            if size > _config.memory_limit():
                raise LimitError(f"{name} needs {size / 1e6:,.0f} MB, more than the limit.")
        stream.seek(0)
        return np.load(stream, allow_pickle=False)
    except (ValueError, EOFError, OSError, SyntaxError) as problem:
        if isinstance(problem, DataError):
            raise
        raise DataError(f"{name} is not a readable NumPy file: {problem}") from None


def _from_zip(raw: bytes, name: str, key: str | None) -> tuple[NDArray[Any], NDArray[Any] | None]:
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            sizes = {i.filename.removesuffix(".npy"): i.file_size for i in archive.infolist()}
            if sum(sizes.values()) > _config.memory_limit():
                raise LimitError(f"{name} would unpack to {sum(sizes.values()) / 1e6:,.0f} MB.")
            if key is not None and key not in sizes:
                raise DataError(f"{name} has no array '{key}'.", f"It has {', '.join(sizes)}.")
            default = "X" if "X" in sizes else max(sizes, key=lambda k: sizes[k], default="")
            wanted = key or default
            target = next((t for t in TARGETS if t in sizes and t != wanted), None)
            arrays = {
                k: load_array(archive.read(f"{k}.npy"), f"{k} of {name}")
                for k in (wanted, target)
                if k
            }
    except (zipfile.BadZipFile, KeyError, NotImplementedError, RuntimeError) as problem:
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
