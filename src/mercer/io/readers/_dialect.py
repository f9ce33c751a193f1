"""Find out how a text table is written: encoding, separator, decimal sign, header, comments."""

from __future__ import annotations

import contextlib
import csv
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from mercer.errors import DataError
from mercer.tables.text_values import MISSING

SEPARATORS = (",", ";", "\t", "|")
BYTE_ORDER_MARKS = {
    b"\xef\xbb\xbf": "utf-8-sig",
    b"\xff\xfe\x00\x00": "utf-32",
    b"\x00\x00\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
MANY_LINES = 200
LONGEST_FIELD = (1 << 31) - 1  # what a C long holds everywhere
_POINT = re.compile(r"^[+-]?\d*\.\d+([eE][+-]?\d+)?$")
_COMMA = re.compile(r"^[+-]?\d*,\d+([eE][+-]?\d+)?$")
_THOUSANDS = re.compile(r"^[+-]?[1-9]\d{0,2}(,\d{3})+$")  # a comma between thousands
_FIELD = re.compile(r'"[^"]*"|\S+')  # between blanks; quotes keep blanks together
_NUMBER = re.compile(r"^[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?$")


@dataclass(frozen=True)
class Dialect:
    """How a text table is written; ``skip`` lines come before it."""

    encoding: str
    separator: str  # " " stands for any run of blanks
    decimal: str
    header: bool
    skip: int
    missing: tuple[str, ...] = MISSING
    stored: tuple[tuple[str, str], ...] = ()  # columns that a model knows, and as what


def find_encoding(head: bytes) -> str:
    """By the byte-order mark, else UTF-8 if that is possible, else the Windows one."""
    for mark, name in BYTE_ORDER_MARKS.items():
        if head.startswith(mark):
            return name
    if head[1:40:2].count(0) > 10:
        return "utf-16-le"
    try:
        head[: len(head) - 4].decode("utf-8")  # the cut may go through a character
    except UnicodeDecodeError as problem:
        if problem.start < len(head) - 8:
            return "cp1252"
    return "utf-8"


def find_dialect(
    head: bytes, encoding: str | None, separator: str | None, decimal: str | None,
    header: bool | None,
) -> Dialect:  # fmt: skip
    """Look at the first bytes; what the caller knows is taken as given."""
    encoding = encoding or find_encoding(head)
    try:
        text = head.decode(encoding, errors="ignore")
    except LookupError:
        raise DataError(f"there is no encoding '{encoding}'.", "Try utf-8 or cp1252.") from None
    if "\x00" in text:
        raise DataError("this is not text: it has zero bytes.", "Name the format with --format.")
    lines = text.splitlines()
    if len(lines) > 1 and len(head) >= 1 << 17:
        lines = lines[:-1]  # may be cut
    skip = 0
    while skip < len(lines) and (not lines[skip].strip() or lines[skip].lstrip()[0] in "#%"):
        skip += 1
    lines = [line for line in lines[skip : skip + MANY_LINES] if line.strip()]
    if not lines:
        raise DataError("there are no rows of data in this file.")
    separator = _unescape(separator) if separator else find_separator(lines)
    fields = split_all(lines, separator)
    decimal = decimal or find_decimal(fields, separator)
    if header is None:
        header = has_header(fields)
    return Dialect(encoding, separator, decimal, header, skip)


def _unescape(separator: str) -> str:
    named = {"\\t": "\t", "tab": "\t", "comma": ",", "semicolon": ";", "space": " ", "pipe": "|"}
    separator = named.get(separator.lower(), separator)
    if len(separator) != 1:
        raise DataError(f"the separator must be one character, got '{separator}'.")
    return separator


def split(line: str, separator: str) -> list[str]:
    """The fields of one line."""
    return split_all([line], separator)[0]


def split_all(lines: list[str], separator: str) -> list[list[str]]:
    """The fields of each line by itself."""
    if separator == " ":
        return [[field.strip('"') for field in _FIELD.findall(line)] for line in lines]
    with long_fields():
        return [
            [field.strip() for field in next(csv.reader([line], delimiter=separator), [])]
            for line in lines
        ]


@contextlib.contextmanager
def long_fields() -> Iterator[None]:
    """Fields of any length; the module ``csv`` has one limit for the whole process."""
    before = csv.field_size_limit(LONGEST_FIELD)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def find_separator(lines: list[str]) -> str:
    """The one that cuts the lines into most fields, the same number almost everywhere."""
    best, best_score = ",", 0.0
    for separator in (*SEPARATORS, " "):
        counts = Counter(map(len, split_all(lines, separator)))
        width, often = counts.most_common(1)[0]
        if width < 2:
            continue
        # sentences also split at blanks and commas, but not into equally many parts
        agreement = often / len(lines)
        score = agreement**2 * min(width, 40) ** 0.25 * (0.5 if separator == " " else 1.0)
        if score > best_score + 1e-9 and agreement > 0.5:
            best, best_score = separator, score
    blanks = Counter(map(len, split_all(lines, " ")))
    width, often = blanks.most_common(1)[0]
    if best == "\t" and often == len(lines) and width >= 2 * len(split(lines[0], best)):
        return " "  # blanks and tabs mixed, all lines alike
    return best


def find_decimal(fields: list[list[str]], separator: str) -> str:
    """A comma only if it cannot be a separator, some numbers have one, and none has a point."""
    if separator == ",":
        cells = [cell for row in fields for cell in row]
    else:
        cells = [cell for row in fields[1:] or fields for cell in row]
    comma = sum(bool(_COMMA.match(cell)) and not _THOUSANDS.match(cell) for cell in cells)
    point = sum(bool(_POINT.match(cell)) for cell in cells)
    return "," if comma > point and comma > 0 else "."


def has_header(fields: list[list[str]]) -> bool:
    """The first line names the columns unless it looks like the lines below it."""
    first, rest = fields[0], [row for row in fields[1:] if len(row) == len(fields[0])]
    if any(_NUMBER.match(cell) for cell in first):
        return False
    if not rest:
        return len(fields) > 1 or all(first)
    for j in range(len(first)):
        if sum(bool(_NUMBER.match(row[j])) for row in rest) > 0.5 * len(rest):
            return True
    repeated = sum(any(row[j] == first[j] for row in rest) for j in range(len(first)))
    return repeated == 0 or repeated < 0.3 * len(first)
