"""FASTQ: four lines per read, ``@name``, sequence, ``+``, qualities."""

from __future__ import annotations

from typing import Any

from mercer.errors import DataError
from mercer.io.readers.fasta import check_symbols, sequence_data
from mercer.io.source import Source
from mercer.tables.dataset import Dataset

NAME = "fastq"
SUFFIXES = (".fastq", ".fq")


def sniff(head: bytes) -> bool:
    """A name, letters, a plus, and as many qualities as letters."""
    lines = head.splitlines()[:4]
    return (
        len(lines) == 4
        and lines[0].startswith(b"@")
        and lines[1].isalpha()
        and lines[2].startswith(b"+")
        and len(lines[1]) == len(lines[3])
    )


def read(source: Source, options: Any) -> Dataset:
    """Sequences in upper case as objects; the qualities are checked for length only."""
    text = source.read().decode(options.encoding or "utf-8", errors="replace")
    lines = text.splitlines()
    while lines and not lines[-1].strip():
        lines.pop()
    headers, sequences = [], []
    for start in range(0, len(lines), 4):
        record, number = lines[start : start + 4], start + 1
        if len(record) < 4:
            raise DataError(f"{source.name} ends inside the read that starts at line {number}.")
        if not record[0].startswith("@") or not record[2].startswith("+"):
            raise DataError(
                f"line {number} of {source.name}: a read is '@name', a sequence, '+' and qualities."
            )
        if len(record[1]) != len(record[3]):
            raise DataError(
                f"line {number + 3} of {source.name}: {len(record[3])} qualities for "
                f"{len(record[1])} letters."
            )
        check_symbols(record[1], number + 1, source.name)
        headers.append(record[0][1:].strip())
        sequences.append(record[1].strip().upper())
    return sequence_data(sequences, headers, "fastq", source.name)
