"""FASTA: ``>name description`` followed by lines of a sequence."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.errors import DataError
from mercer.io.readers._headers import find_labels
from mercer.io.source import Source
from mercer.tables.dataset import Dataset

NAME = "fasta"
SUFFIXES = (".fasta", ".fa", ".fna", ".faa", ".ffn", ".frn", ".fas")


def sniff(head: bytes) -> bool:
    """The first line that is not blank starts with ``>`` and the next holds letters."""
    lines = [line for line in head.splitlines()[:50] if line.strip()]
    if len(lines) < 2 or not lines[0].startswith(b">"):
        return False
    return lines[1].strip().replace(b"*", b"").replace(b"-", b"").isalpha()


def read(source: Source, options: Any) -> Dataset:
    """Sequences in upper case as objects; labels if the headers carry them."""
    headers: list[str] = []
    sequences: list[list[str]] = []
    text = source.read().decode(options.encoding or "utf-8", errors="replace")
    for number, line in enumerate(text.splitlines(), start=1):
        line = line.strip()
        if line.startswith(">"):
            headers.append(line[1:].strip())
            sequences.append([])
        elif line and not line.startswith(";"):
            if not headers:
                raise DataError(
                    f"line {number} of {source.name} comes before the first '>' header.",
                    "A file with one sequence per line is read with --format lines.",
                )
            check_symbols(line, number, source.name)
            sequences[-1].append(line.upper())
    return sequence_data([("".join(s)) for s in sequences], headers, "fasta", source.name)


def check_symbols(line: str, number: int, name: str) -> None:
    """Letters, gaps and stops; anything else is named with its place."""
    if line.isalpha() and line.isascii():
        return
    for place, symbol in enumerate(line, start=1):
        if not (symbol.isascii() and symbol.isalpha()) and symbol not in "*-.":
            raise DataError(
                f"line {number}, place {place} of {name}: {symbol!r} is no letter of a sequence."
            )


def sequence_data(sequences: list[str], headers: list[str], kind: str, name: str) -> Dataset:
    """Objects and labels; sequences without a symbol are dropped and listed."""
    if not sequences:
        raise DataError(f"{name} has no sequences.")
    empty = [i for i, sequence in enumerate(sequences) if not sequence]
    keep = [i for i in range(len(sequences)) if sequences[i]]
    labels, where = find_labels(headers)
    objects = np.empty(len(keep), dtype=object)
    objects[:] = [sequences[i] for i in keep]
    return Dataset(
        "objects",
        kind,
        objects=objects,
        labels=None if labels is None else labels[keep],
        names_of_rows=np.array([(headers[i].split() or [""])[0] for i in keep], dtype=object),
        dropped=[(i + 1, f"'{headers[i]}' has no sequence") for i in empty],
        notes=[f"labels: {where}"] if where else [],
    )
