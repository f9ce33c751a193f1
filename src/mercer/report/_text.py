"""Words and numbers as a report shows them: safe to print, short, and readable."""

from __future__ import annotations

import math
import re

from mercer._clean import clean

_LONG_NUMBER = re.compile(r"\d+\.\d{4,}(?:[eE][-+]?\d+)?")


def number(value: object) -> str:
    """Whole numbers in full, others to four digits, words as they are."""
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "–"}[value]
    if isinstance(value, int):
        return f"{value:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")
    if isinstance(value, float):
        if not math.isfinite(value):
            return "–" if math.isnan(value) else ("∞" if value > 0 else "−∞")
        if value == int(value) and abs(value) < 1e6:
            return number(int(value))
        return f"{value:.4g}".replace("-", "−")
    return clean(value)


def rounded(text: str, limit: int = 200) -> str:
    """The numbers inside a text to four digits: ``length_scale=3.8729833462`` is no help."""
    return clean(_LONG_NUMBER.sub(lambda found: f"{float(found[0]):.4g}", text), limit)


def percent(value: float) -> str:
    """A rate in per cent, to three digits."""
    return f"{100 * value:.3g} %"


def amount(value: float, rate: bool) -> str:
    """A rate in per cent, or a loss as it is."""
    return percent(value) if rate else number(float(value))


def sentence(text: str) -> str:
    """With a capital letter and a full stop."""
    text = text.strip()
    if not text:
        return text
    return text[0].upper() + text[1:] + ("" if text[-1] in ".!?…" else ".")


def counted(count: int, noun: str) -> str:
    """``3 rows``, ``1 row``."""
    return f"{number(int(count))} {noun}{'' if count == 1 else 's'}"
