"""Text tables: CSV, TSV and their relatives, in any encoding, with any separator."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from mercer import _config
from mercer.errors import DataError
from mercer.io.native import as_utf8, in_memory, is_utf8, plain_file
from mercer.io.readers._arrow import need_arrow, take_columns, unique_names
from mercer.io.readers._dialect import Dialect, find_dialect, split
from mercer.io.readers._large import read_large
from mercer.io.source import Source, too_large
from mercer.tables.dataset import TEXT, Dataset
from mercer.tables.text_values import MISSING

NAME = "delimited"
SUFFIXES = (".csv", ".tsv", ".txt", ".data", ".dat")
MANY_BAD = 0.05  # beyond this share of misshapen rows the separator is probably wrong
CELL = 16  # bytes that a value takes while it is read: once in Arrow's table, once in ours
BLOCK = 1 << 22  # a row has to fit into a block of Arrow's reader
_OTHER_ENCODINGS = ("cp1252", "latin-1")  # the last one can read anything


def sniff(head: bytes) -> bool:
    """Anything that is text."""
    return b"\x00" not in head[:1000] or head[:2] in (b"\xff\xfe", b"\xfe\xff")


def read(source: Source, options: Any) -> Dataset:
    """Parse strictly; rows of the wrong width are listed, not repaired."""
    pa = need_arrow()
    if not sniff(source.head()):
        raise DataError(
            f"{source.name} is not text: it has zero bytes.", "Name its format with --format."
        )
    dialect = dialect_of(source, options)
    large = _read_large(pa, source, dialect)
    if large is not None:
        return large
    known = options.encoding is not None
    for encoding in (dialect.encoding,) if known else (dialect.encoding, *_OTHER_ENCODINGS):
        dialect = replace(dialect, encoding=encoding)
        try:
            table, bad = _parse(pa, source, dialect)
            len(table.column_names)  # decodes the names, which may fail as well
            break
        except UnicodeDecodeError:
            continue
    else:
        raise DataError(f"{source.name} is not text in {dialect.encoding}.", "Name its --encoding.")
    return _dataset(source, dialect, table, bad)


def dialect_of(source: Source, options: Any) -> Dialect:
    """How the table is written, as far as its first bytes and the user say."""
    told = options.encoding, options.separator, options.decimal, options.header
    found = find_dialect(source.head(), *told)
    return replace(found, missing=(*MISSING, *options.missing), stored=options.stored)


def stream_options(source: Source, dialect: Dialect, types: Any) -> dict[str, Any]:
    """Options of Arrow's reader for a table that is read block by block."""
    if dialect.separator == " ":
        raise DataError(
            f"{source.name} is separated by blanks, which cannot be read in a stream.",
            "Write it with commas or tabs.",
        )
    return _arrow_options(source, dialect, None, types)


def _read_large(pa: Any, source: Source, dialect: Dialect) -> Dataset | None:
    """A large table of numbers in little memory; None if it is not one, or not a tidy one."""
    if dialect.separator == " " or not is_utf8(dialect.encoding):
        return None
    notes: list[str] = []
    try:
        options = partial(_arrow_options, source, dialect, None)
        columns = read_large(source, options, notes)
    except (pa.ArrowInvalid, OSError):
        return None  # the careful way finds out what is wrong, and where
    if columns is None:
        return None
    return Dataset("table", "text table", columns=columns, notes=notes, dialect=_described(dialect))


def _described(dialect: Dialect) -> dict[str, Any]:
    return {
        "encoding": dialect.encoding,
        "separator": dialect.separator,
        "decimal": dialect.decimal,
        "header": dialect.header,
    }


def _dataset(source: Source, dialect: Dialect, table: Any, bad: list[Any]) -> Dataset:
    notes: list[str] = []
    names = unique_names(list(table.column_names), notes)
    rows = table.num_rows
    first = 1 + dialect.skip + int(dialect.header)  # the reader counts every line of the file
    dropped = [
        (row.number - first + 1, f"{row.actual_columns} fields instead of {row.expected_columns}")
        for row in bad
        if row.number is not None
    ]
    if len(dropped) > MANY_BAD * max(1, rows + len(dropped)) and len(dropped) > 1:
        worst = bad[0]
        raise DataError(
            f"{len(dropped)} of {rows + len(dropped)} rows of {source.name} have another number of "
            f"fields than the first; row {dropped[0][0]} has {worst.actual_columns} instead of "
            f"{worst.expected_columns}.",
            f"The separator was taken to be {dialect.separator!r}; name the right one with "
            "--separator.",
        )
    if len(names) == 1 and rows and dialect.separator == ",":
        notes.append("only one column was found; if that is wrong, name the --separator")
    chunks = list(table.columns)
    del table
    columns = take_columns(chunks, names, dialect.decimal, notes, dict(dialect.stored))
    if dialect.encoding not in ("utf-8", "utf-8-sig"):
        notes.append(f"the text was read as {dialect.encoding}")
    return Dataset(
        "table",
        "text table",
        columns=columns,
        dropped=dropped,
        notes=notes,
        dialect=_described(dialect),
    )


def _parse(pa: Any, source: Source, dialect: Dialect) -> tuple[Any, list[Any]]:
    """First quickly; if rows are misshapen, again on one thread, which knows their numbers."""
    try:
        return _read_csv(source, dialect, None), []
    except pa.ArrowInvalid as problem:
        words = str(problem)
    if "UTF8" in words or "utf-8" in words.lower():
        raise UnicodeDecodeError("utf-8", b"", 0, 1, words)
    _check_encoding(source, dialect.encoding)  # a row that is shown must be text
    bad: list[Any] = []

    def listed(row: Any) -> str:
        bad.append(row)
        return "skip"

    try:
        return _read_csv(source, dialect, listed), bad
    except pa.ArrowInvalid as problem:
        if "UTF8" in str(problem):
            raise UnicodeDecodeError("utf-8", b"", 0, 1, str(problem)) from None
        raise DataError(
            f"{source.name} cannot be read as a table: {_short(problem)}",
            f"The separator was taken to be {dialect.separator!r}.",
        ) from None


def _check_encoding(source: Source, encoding: str) -> None:
    decoder = codecs.getincrementaldecoder(encoding)()
    with source.open() as stream:
        while block := stream.read(1 << 20):
            decoder.decode(block)


def _short(problem: Exception) -> str:
    return " ".join(str(problem).split())[:300]


def _read_csv(source: Source, dialect: Dialect, handler: Any) -> Any:
    import pyarrow as pa
    from pyarrow import csv

    block = BLOCK
    while True:
        try:
            stream = _stream(source, dialect)
            return csv.read_csv(stream, **_arrow_options(source, dialect, handler, None, block))
        except pa.ArrowInvalid as problem:
            if "straddling object" not in str(problem) or block > min(1 << 30, 2 * source.size):
                raise
            block *= 8  # a row is longer than a block


def _stream(source: Source, dialect: Dialect) -> Any:
    """What Arrow reads, in UTF-8, counted; runs of blanks become tabs where blanks separate."""
    if dialect.separator == " ":
        text = source.read().decode(dialect.encoding).splitlines()
        lines = ("\t".join(split(line, " ")).encode() + b"\n" for line in text)
        return in_memory(_counted(lines, source.name, "\t"))
    plain = plain_file(source, dialect.encoding)
    with source.open() as stream:
        pieces = _counted(as_utf8(stream, dialect.encoding), source.name, dialect.separator)
        if plain is None:
            return in_memory(pieces)
        for _ in pieces:
            pass
    return plain


def _counted(pieces: Iterable[bytes], name: str, separator: str) -> Iterator[bytes]:
    """The bytes of a text table, refused when what is made of them would not fit.

    A file of a megabyte can unpack to a gigabyte of "0,0"; only what has come so far is known.
    """
    ends, allowed, needed = (b"\n", separator.encode()), _config.memory_limit(), 0
    for piece in pieces:
        needed += len(piece) + CELL * sum(piece.count(end) for end in ends)
        if needed > allowed:
            raise too_large(name, needed, allowed)
        yield piece


def _arrow_options(
    source: Source, dialect: Dialect, handler: Any = None, types: Any = None, block: int = BLOCK
) -> dict[str, Any]:
    import pyarrow
    from pyarrow import csv

    width = len(split(_first_line(source, dialect), dialect.separator))
    names = None if dialect.header else [f"column {i + 1}" for i in range(width)]
    separator = dialect.separator
    texts = {name: pyarrow.string() for name, kind in dialect.stored if kind == TEXT}
    return {
        "read_options": csv.ReadOptions(
            skip_rows=dialect.skip,
            column_names=names,
            use_threads=handler is None,
            block_size=block,
        ),
        "parse_options": csv.ParseOptions(
            delimiter="\t" if separator == " " else separator,
            newlines_in_values=b'"' in source.head(),
            invalid_row_handler=handler,
        ),
        "convert_options": csv.ConvertOptions(
            decimal_point=dialect.decimal,
            null_values=list(dialect.missing),
            strings_can_be_null=True,
            quoted_strings_can_be_null=True,
            column_types=types or texts,
        ),
    }


def _first_line(source: Source, dialect: Dialect) -> str:
    text = source.head().decode(dialect.encoding, errors="ignore").splitlines()
    return next(line for line in text[dialect.skip :] if line.strip())
