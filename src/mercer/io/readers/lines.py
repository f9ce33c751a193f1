"""One string per line; optionally a label and a tab before it."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.errors import DataError
from mercer.io.readers._dialect import find_encoding
from mercer.io.readers._headers import few
from mercer.io.source import Source
from mercer.tables.dataset import Dataset

NAME = "lines"
SUFFIXES = (".lines", ".seq", ".strings")


def sniff(head: bytes) -> bool:
    """Never: any text could be meant, so the user says ``--format lines`` or names the file so."""
    return False


def read(source: Source, options: Any) -> Dataset:
    """Strings as objects; blank lines are dropped and listed."""
    raw = source.read()
    encoding = options.encoding or find_encoding(raw[: 1 << 18])
    try:
        text = raw.decode("utf-8-sig" if encoding == "utf-8" else encoding)
    except UnicodeDecodeError as problem:
        raise DataError(f"{source.name} is not text in {encoding}: {problem}") from None
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    lines = [line.rstrip("\r") for line in lines]
    blank = [(i, "the line is blank") for i, line in enumerate(lines, start=1) if not line.strip()]
    kept = [line for line in lines if line.strip()]
    labels = None
    parts = [line.split("\t", 1) for line in kept]
    if parts and all(len(p) == 2 for p in parts) and few([p[0] for p in parts]):
        labels = np.array([p[0].strip() for p in parts], dtype=object)
        kept = [p[1] for p in parts]
    objects = np.empty(len(kept), dtype=object)
    objects[:] = kept
    note = ["labels: the word before the tab"] if labels is not None else []
    return Dataset("objects", "lines", objects=objects, labels=labels, dropped=blank, notes=note)
