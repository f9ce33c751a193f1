"""Text that is really something else: numbers, thousands signs, per cents, local dates, gaps."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.tables.dataset import BOOL, DATE, NUMBER, TEXT, Column

MISSING = ("", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "?", "-", ".", "#N/A")
EPOCH = datetime(1970, 1, 1)
_THOUSANDS = {
    ".": re.compile(r"^[+-]?\d{1,3}([, '\u00a0\u202f]\d{3})*(\.\d+)? ?%?$"),
    ",": re.compile(r"^[+-]?\d{1,3}([. '\u00a0\u202f]\d{3})*(,\d+)? ?%?$"),
}
_PLAIN = re.compile(r"^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$")
_OF_THE_DAY = re.compile(r"^([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d(?:\.\d+)?))?$")
_CLOCK = ("", " %H:%M", " %H:%M:%S", "T%H:%M:%S", "T%H:%M", " %H:%M:%S.%f", "T%H:%M:%S.%f",
          "T%H:%M:%SZ", "T%H:%M:%S.%fZ", " %I:%M %p", " %I:%M:%S %p")  # fmt: skip
_DAYS = ("%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%Y/%m/%d", "%d-%m-%Y", "%d %b %Y",
         "%d-%b-%Y", "%b %d, %Y", "%b %d %Y", "%d %B %Y", "%B %d, %Y", "%B %d %Y", "%b %Y", "%B %Y",
         "%a, %d %b %Y", "%a %b %d %Y", "%d.%m.%y", "%m/%d/%y", "%d-%b-%y", "%Y%m%d")  # fmt: skip
_LONGEST = 32  # letters of a date and a time in words
_FRACTION = 7  # letters of a fraction of a second, its point included
_TRY = 60


def text_column(
    name: str, values: NDArray[Any], decimal: str, notes: list[str], stored: str = ""
) -> Column:
    """A column of text, or of what all its values turn out to be.

    ``stored`` is what a model knows the column as: its text stays text, and its dates are read as
    they were written when it was trained, wherever that is possible.
    """
    kind, _, written = stored.partition(":")
    if kind == TEXT:
        return Column(name, TEXT, values)
    present = np.array([v is not None for v in values.tolist()], dtype=bool)
    distinct = list(dict.fromkeys(values[present].tolist()))
    if not distinct:
        return Column(name, NUMBER, np.full(len(values), np.nan))
    coded = kind != NUMBER and _coded(distinct)
    if decimal == "." and pattern_of_all(distinct, _PLAIN) and not coded:
        return Column(name, NUMBER, _mapped(values, {text: float(text) for text in distinct}))
    if {text.casefold() for text in distinct} <= {"true", "false"}:
        truth = {text: float(text.casefold() == "true") for text in distinct}
        return Column(name, BOOL, _mapped(values, truth))
    if pattern_of_all(distinct, _THOUSANDS[decimal]) and not coded:
        found = {text: plain_number(text, decimal) for text in distinct}
        notes.append(f"column '{name}': numbers written like '{distinct[0]}' were read as numbers")
        return Column(name, NUMBER, _mapped(values, found))
    if pattern_of_all(distinct, _OF_THE_DAY):
        return Column(name, NUMBER, _mapped(values, {text: _of_the_day(text) for text in distinct}))
    known = bool(written) and all(_reads(text, written) for text in distinct)
    shape = written if known else date_format(distinct)
    if shape is not None:
        found = {text: seconds(text, shape) for text in distinct}
        either = shape.startswith(("%m/%d", "%d/%m"))
        if not known and either and date_format(distinct, skip=shape) is not None:
            notes.append(f"column '{name}': dates such as '{distinct[0]}' were read as {shape}")
        return Column(name, DATE, _mapped(values, found), shape)
    return Column(name, TEXT, values)


def _of_the_day(text: str) -> float:
    """``14:50`` in seconds, as times of the day are in files that know them."""
    hours, minutes, seconds = _OF_THE_DAY.match(text).groups("0")  # type: ignore[union-attr]
    return 3600.0 * int(hours) + 60.0 * int(minutes) + float(seconds)


def _coded(texts: list[str]) -> bool:
    """Whether zeros in front say that these are codes rather than amounts."""
    return any(re.match(r"[+-]?0\d", text) for text in texts)


def pattern_of_all(texts: list[str], pattern: re.Pattern[str]) -> bool:
    """Whether every text matches; plain digits alone are left to the reader, which saw them."""
    return all(pattern.match(text) for text in texts[:_TRY]) and all(
        pattern.match(text) for text in texts
    )


def plain_number(text: str, decimal: str) -> float:
    """``1,234.5`` or ``12 %`` as a number."""
    share = text.endswith("%")
    digits = re.sub(r"[ '\u00a0\u202f%" + ("," if decimal == "." else ".") + "]", "", text)
    value = float(digits.replace(",", "."))
    return value / 100.0 if share else value


def date_format(texts: list[str], skip: str = "") -> str | None:
    """The format that all texts have, or None."""
    sample = texts[:_TRY]
    if not all(any(c.isdigit() for c in t) and 6 <= len(t) <= _LONGEST for t in sample):
        return None
    for day in _DAYS:
        for clock in _CLOCK:
            shape = day + clock
            other_order = bool(skip) and shape[:2] == skip[:2]
            if other_order or not all(_reads(text, shape) for text in sample):
                continue
            if all(_reads(text, shape) for text in texts[_TRY:]):
                return shape
    return None


def _reads(text: str, shape: str) -> bool:
    try:
        return 1800 <= _moment(text, shape).year <= 2200
    except ValueError:
        return False


def seconds(text: str, shape: str) -> float:
    """Seconds since 1970."""
    return (_moment(text, shape) - EPOCH).total_seconds()


def _moment(text: str, shape: str) -> datetime:
    """A text as a moment; where fractions of seconds are written, whole seconds may stand alone."""
    if shape.endswith(".%f") and "." not in text[-_FRACTION:]:
        shape = shape.removesuffix(".%f")
    return datetime.strptime(text, shape)


def _mapped(values: NDArray[Any], found: dict[str, float]) -> NDArray[np.float64]:
    return np.array([np.nan if v is None else found[v] for v in values], dtype=np.float64)
