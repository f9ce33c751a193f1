"""How one column becomes coordinates. Each encoder learns from training rows and is plain data."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.murmurhash import murmurhash3_32

from mercer.tables._last import forget, recall, remember

Floats = NDArray[np.float64]
DAY, WEEK, YEAR = 86_400.0, 7 * 86_400.0, 365.2425 * 86_400.0
FAR = 8.0  # standard deviations beyond which a column counts as heavy-tailed


class Encoder(BaseEstimator):
    """Base of the encoders: ``fit(values)`` and ``transform(values)`` of one column."""

    kind: ClassVar[str] = ""

    def fit(self, values: NDArray[Any]) -> Encoder:
        """Learn from the training rows."""
        raise TypeError("an encoder defines fit")

    def transform(self, values: NDArray[Any]) -> Floats:
        """Coordinates, one row per value."""
        raise TypeError("an encoder defines transform")

    def words(self) -> str:
        """What became of the column, for people."""
        return self.kind


class NumberEncoder(Encoder):
    """A number at mean 0 and spread 1; heavy tails are drawn in; a gap is a level of its own."""

    kind = "number"

    def fit(self, values: NDArray[Any]) -> NumberEncoder:
        """Centre, spread, and whether there are gaps and heavy tails."""
        x = as_floats(values)
        seen = x[np.isfinite(x)]
        self.gaps_ = bool(len(seen) < len(x))
        self.middle_ = float(np.median(seen)) if len(seen) else 0.0
        self.unit_ = _unit(seen)
        self.squash_ = bool(len(seen)) and self._far(seen)
        z = self._raw(seen)
        self.mean_ = float(z.mean()) if len(z) else 0.0
        self.spread_ = float(z.std()) or 1.0 if len(z) else 1.0
        return self

    def _far(self, seen: Floats) -> bool:
        deviation = np.abs(seen - seen.mean())
        spread = float(seen.std())
        return spread > 0 and float(deviation.max()) > FAR * spread

    def _raw(self, x: Floats) -> Floats:
        z = np.clip((x - self.middle_) / self.unit_, -1e150, 1e150)
        return np.arcsinh(z) if self.squash_ else z

    def transform(self, values: NDArray[Any]) -> Floats:
        """One coordinate, and one for gaps if the training rows had any."""
        x = as_floats(values)
        gap = ~np.isfinite(x)
        z = (self._raw(np.where(gap, self.middle_, x)) - self.mean_) / self.spread_
        z[gap] = 0.0
        if not self.gaps_:
            return z[:, None]
        return np.column_stack([z, np.where(gap, np.sqrt(2.0), 0.0)])

    def words(self) -> str:
        """Say what was done about tails and gaps."""
        extra = ["large values drawn in"] * self.squash_ + ["gaps are a level"] * self.gaps_
        return ", ".join(["number, scaled", *extra])


class DateEncoder(Encoder):
    """A date as a number, and as places on the circles of the year, the week and the day."""

    kind = "date"

    def fit(self, values: NDArray[Any]) -> DateEncoder:
        """Which circles the training rows go round."""
        x = as_floats(values)
        seen = x[np.isfinite(x)]
        span = float(np.ptp(seen)) if len(seen) else 0.0
        self.number_ = NumberEncoder().fit(values)
        clock = len(seen) > 0 and len(np.unique(np.mod(seen, DAY))) > 1
        wanted = ((YEAR, span > 1.5 * YEAR), (WEEK, span > 3 * WEEK), (DAY, bool(clock)))
        self.periods_ = [period for period, use in wanted if use]
        return self

    def transform(self, values: NDArray[Any]) -> Floats:
        """The number, then cosine and sine of each circle; a gap is at the centres."""
        x = as_floats(values)
        gap = ~np.isfinite(x)
        parts = [self.number_.transform(values)]
        for period in self.periods_:
            angle = 2.0 * np.pi * np.mod(np.where(gap, 0.0, x), period) / period
            parts.append(
                np.where(gap[:, None], 0.0, np.column_stack([np.cos(angle), np.sin(angle)]))
            )
        return np.hstack(parts)

    def words(self) -> str:
        """Name the circles."""
        names = {YEAR: "year", WEEK: "week", DAY: "day"}
        circles = [names.get(p, "period") for p in self.periods_]
        return "date" + (f", with the time of {', '.join(circles)}" if circles else "")


class CategoryEncoder(Encoder):
    """Indicators of the levels; gaps are a level, and so are all rare and new values together."""

    kind = "category"

    def __init__(self, max_levels: int = 200) -> None:
        self.max_levels = max_levels

    def fit(self, values: NDArray[Any]) -> CategoryEncoder:
        """The levels that occur at least twice, most frequent first."""
        texts = as_texts(values)
        levels, counts = np.unique(texts, return_counts=True)
        order = np.lexsort((levels, -counts))
        often = [str(levels[i]) for i in order if counts[i] > 1 or len(levels) <= 2]
        self.levels_ = (often or [str(levels[i]) for i in order])[: self.max_levels]
        self.others_ = len(levels) - len(self.levels_)
        return self

    def transform(self, values: NDArray[Any]) -> Floats:
        """One coordinate per level; rows of rare and new values are zero in all of them."""
        place = {level: j for j, level in enumerate(self.levels_)}
        found = np.array([place.get(text, -1) for text in as_texts(values)], dtype=np.intp)
        out = np.zeros((len(found), len(self.levels_)))
        rows = np.flatnonzero(found >= 0)
        out[rows, found[rows]] = 1.0
        return out

    def words(self) -> str:
        """Number of levels."""
        rare = f", {self.others_} rare ones taken together" if self.others_ else ""
        return f"category, {len(self.levels_)} levels{rare}"


class OrdinalEncoder(Encoder):
    """Ordered levels as a staircase: the squared distance of two levels is their number of steps.

    Inner products of staircases are the min kernel. Gaps and new values get a direction of their
    own.
    """

    kind = "ordinal"

    def __init__(self, levels: list[str] | None = None) -> None:
        self.levels = levels

    def fit(self, values: NDArray[Any]) -> OrdinalEncoder:
        """The given order, or the one that the names tell."""
        found = sorted(set(as_texts(values)) - {GAP})
        order = self.levels or natural_order(found)
        self.levels_ = list(order) if order else found
        return self

    def transform(self, values: NDArray[Any]) -> Floats:
        """Steps climbed, scaled so that the whole staircase has length 2."""
        place = {level: j for j, level in enumerate(self.levels_)}
        rank = np.array([place.get(text, -1) for text in as_texts(values)])
        steps = max(1, len(self.levels_) - 1)
        climbed = (rank[:, None] > np.arange(steps)[None, :]) * np.sqrt(4.0 / steps)
        return np.column_stack([climbed, np.where(rank < 0, np.sqrt(2.0), 0.0)])

    def words(self) -> str:
        """The order."""
        shown = " < ".join(self.levels_[:6]) + (" < ..." if len(self.levels_) > 6 else "")
        return f"ordinal, {shown}"


class TextEncoder(Encoder):
    """Short text as hashed counts of three letters in a row, at length one; nothing is learned."""

    kind = "text"

    def __init__(self, size: int = 256) -> None:
        self.size = size

    def fit(self, values: NDArray[Any]) -> TextEncoder:
        """Nothing to learn: the hash is fixed."""
        self.size_ = int(self.size)
        forget(self)
        return self

    def transform(self, values: NDArray[Any]) -> Floats:
        """Hashed 3-grams with signs, divided by their length; a gap is zero."""
        texts = as_texts(values)
        known: Floats | None = recall(self, texts)
        if known is not None:
            return known
        out = np.zeros((len(texts), self.size_))
        cache: dict[str, Floats] = {}
        for i, text in enumerate(texts):
            if text != GAP:
                if text not in cache:
                    cache[text] = self._row(text)
                out[i] = cache[text]
        remember(self, texts, out)
        return out

    def _row(self, text: str) -> Floats:
        padded = f" {' '.join(text.casefold().split())} "
        codes = np.array([_code(padded[k : k + 3]) for k in range(max(1, len(padded) - 2))])
        signs = np.where(codes >= 0, 1.0, -1.0)
        row = np.zeros(self.size_)
        np.add.at(row, np.abs(codes) % self.size_, signs)
        length = float(np.linalg.norm(row))
        return np.sqrt(2.0) * row / length if length else row

    def words(self) -> str:
        """Say how it is compared."""
        return "text, compared by letters in a row"


@lru_cache(1 << 16)
def _code(letters: str) -> int:
    """A hash; a language has some thousand groups of three letters, however many texts."""
    return int(murmurhash3_32(letters, seed=0))


GAP = "\x00gap"
ORDERS = (
    ("very low", "low", "medium", "high", "very high"),
    ("low", "mid", "high"),
    ("low", "moderate", "high"),
    ("low", "normal", "high"),
    ("xs", "s", "m", "l", "xl", "xxl"),
    ("small", "medium", "large"),
    ("never", "rarely", "sometimes", "often", "always"),
    ("poor", "fair", "good", "very good", "excellent"),
    ("bad", "average", "good"),
    ("strongly disagree", "disagree", "neutral", "agree", "strongly agree"),
    ("first", "second", "third", "fourth", "fifth"),
    ("beginner", "intermediate", "advanced", "expert"),
    ("mild", "moderate", "severe"),
    ("fair", "good", "very good", "premium", "ideal"),
)
_NUMBERED = re.compile(
    r"^[<>≤≥~ ]*(-?\d+(?:\.\d+)?)(\s*(-|–|to)\s*\d+(\.\d+)?|\+|st|nd|rd|th| ?[a-z%€$]{1,8})?$"
)


def natural_order(levels: list[str]) -> list[str] | None:
    """The order of names such as low < medium < high or 10-19 < 20-29, if they tell one."""
    if not 3 <= len(levels) <= 30:
        return None
    folded = {level.strip().casefold(): level for level in levels}
    if len(folded) < len(levels):
        return None
    for order in ORDERS:
        if set(folded) <= set(order):
            return [folded[name] for name in order if name in folded]
    found = {level: _NUMBERED.match(level.strip().casefold()) for level in levels}
    if not all(found.values()):
        return None
    starts = {level: float(match[1]) for level, match in found.items() if match}
    lead = {level: 0 if level.strip()[:1] in "<≤" else 2 if level.strip()[:1] in ">≥" else 1
            for level in levels}  # fmt: skip
    keys = {level: (starts[level], lead[level]) for level in levels}
    return (
        sorted(levels, key=lambda level: keys[level])
        if len(set(keys.values())) == len(levels)
        else None
    )


def as_floats(values: NDArray[Any]) -> Floats:
    """Numbers with NaN for everything else."""
    if values.dtype.kind == "f":
        return values.astype(np.float64, copy=True)
    try:
        return values.astype(np.float64)
    except (TypeError, ValueError):
        return np.array([_float(v) for v in values], dtype=np.float64)


def _float(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return np.nan


def as_texts(values: NDArray[Any]) -> list[str]:
    """Text of every value; numbers as they are written, gaps as one special text."""
    return [_text(v) for v in values.tolist()]


def _text(value: object) -> str:
    if value is None or value != value:
        return GAP
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


def _unit(seen: Floats) -> float:
    """A robust spread: the interquartile range, else the standard deviation, else one."""
    if not len(seen):
        return 1.0
    low, high = np.quantile(seen, (0.25, 0.75))
    for unit in (float(high - low), float(seen.std()), float(np.max(np.abs(seen)))):
        if np.isfinite(unit) and unit > 0:
            return unit
    return 1.0


ENCODERS: dict[str, type[Encoder]] = {
    cls.kind: cls
    for cls in (NumberEncoder, DateEncoder, CategoryEncoder, OrdinalEncoder, TextEncoder)
}
