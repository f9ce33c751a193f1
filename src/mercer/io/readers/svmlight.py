"""svmlight and LIBSVM files: ``label index:value index:value ...``."""

from __future__ import annotations

import io
import re
from typing import Any

import numpy as np

from mercer.errors import DataError
from mercer.io.source import Source
from mercer.tables.dataset import Dataset

NAME = "svmlight"
SUFFIXES = (".svm", ".svmlight", ".libsvm", ".t", ".tr")
LARGEST_INDEX = 50_000_000  # an index of 2e9 is a typing error; it would only fail much later
_LINE = re.compile(
    rb"^\s*[+-]?[\d.eE+-]+(,[\d.]+)*(\s+(qid:)?\d+:[+-]?[\d.naifNAIF][^\s:]*)+\s*(#.*)?$"
)


def sniff(head: bytes) -> bool:
    """Most of the first lines are a label and index:value pairs."""
    lines = [line for line in head.splitlines()[:20] if line.strip() and line[:1] != b"#"]
    return bool(lines) and sum(bool(_LINE.match(line)) for line in lines) > 0.7 * len(lines)


def read(source: Source, options: Any) -> Dataset:
    """A sparse matrix; the labels of the file are the target."""
    from sklearn.datasets import load_svmlight_file

    raw = source.read()
    _check_lines(raw, source.name)
    try:
        X, y = load_svmlight_file(io.BytesIO(raw))
    except (ValueError, OverflowError) as problem:
        raise DataError(f"{source.name} is not a svmlight file: {problem}") from None
    if not np.isfinite(X.data).all():
        raise DataError(f"{source.name} has values that are not finite numbers.")
    return Dataset("sparse", "svmlight", matrix=X.tocsr(), labels=y)


def _check_lines(raw: bytes, name: str) -> None:
    """Find the line and the reason before the compiled reader, which knows neither."""
    for number, line in enumerate(raw.splitlines(), start=1):
        body = line.split(b"#", 1)[0].split()
        last = -1
        for part in body[1:]:
            head, colon, value = part.partition(b":")
            if head == b"qid":
                continue
            try:
                index = int(head)
                float(value)
            except ValueError:
                index = None
            place = f"line {number} of {name}"
            if not colon or index is None:
                shown = part.decode(errors="replace")
                raise DataError(f"{place}: {shown!r} is not index:value.")
            if index <= last:
                raise DataError(
                    f"{place}: index {index} comes after {last}; indices must increase."
                )
            if index > LARGEST_INDEX:
                raise DataError(f"{place}: index {index} is implausibly large.")
            last = index
