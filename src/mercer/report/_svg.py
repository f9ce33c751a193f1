"""Pictures as SVG text: small, sharp on paper, selectable words, colours from the page's style.

A chart holds drawing calls in the units of the data and writes itself as one element. Colours are
class names (``c0`` … ``c7``, ``good``, ``bad``, ``faint``), so light, dark and print styles of the
page apply to pictures too, and no picture carries a style of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import Any

import numpy as np

from mercer._clean import clean

SHAPES = ("circle", "square", "triangle", "diamond", "down", "plus", "cross", "star")
_OUTLINE = {
    "square": "M-.9-.9H.9V.9H-.9Z",
    "triangle": "M0-1.15L1.05.75H-1.05Z",
    "diamond": "M0-1.25L1.25 0L0 1.25L-1.25 0Z",
    "down": "M0 1.15L1.05-.75H-1.05Z",
    "plus": "M-.4-1.2H.4V-.4H1.2V.4H.4V1.2H-.4V.4H-1.2V-.4H-.4Z",
    "cross": "M-1.2-.65L-.65-1.2L0-.55L.65-1.2L1.2-.65L.55 0L1.2.65L.65 1.2L0 .55L-.65 1.2"
    "L-1.2.65L-.55 0Z",
    "star": "M0-1.4L.35-.45H1.35L.55.15L.85 1.15L0 .55L-.85 1.15L-.55.15L-1.35-.45H-.35Z",
}


def nice(low: float, high: float, about: int = 6) -> list[float]:
    """Round numbers inside the limits."""
    span = high - low
    step = 10.0 ** math.floor(math.log10(span / about))
    step *= next(m for m in (1, 2, 5, 10) if span / (m * step) <= about)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [k * step for k in range(first, last + 1)]


def short(value: float) -> str:
    """A tick's number."""
    size = abs(value)
    if size >= 1e5 or 0 < size < 1e-3:
        text = f"{value:.0e}"
    else:
        text = f"{value:.0f}" if size >= 1000 else f"{value:.3g}"
    return text.replace("e+0", "e").replace("e-0", "e-").replace("-", "−")


class Chart:
    """A plot area with two axes.

    Parameters
    ----------
    label : str
        What a screen reader says instead of the picture.
    x, y : (low, high)
        Limits of the data.
    transform_x : callable, optional
        Applied before the horizontal scale, for example a logarithm.
    """

    def __init__(
        self,
        label: str,
        x: tuple[float, float],
        y: tuple[float, float],
        *,
        width: int = 640,
        height: int = 340,
        left: int = 56,
        right: int = 16,
        top: int = 14,
        bottom: int = 46,
        transform_x: Callable[[float], float] = float,
        transform_y: Callable[[float], float] = float,
    ) -> None:
        self.label, self.width, self.height = label, width, height
        self.left, self.right, self.top, self.bottom = left, width - right, top, height - bottom
        self.x_limits, self.y_limits = _widen(x), _widen(y)
        self._tx, self._ty = transform_x, transform_y
        self.parts: list[str] = []

    def px(self, x: float) -> float:
        """Horizontal position of a value."""
        low, high = (self._tx(v) for v in self.x_limits)
        return self.left + (self._tx(x) - low) / (high - low) * (self.right - self.left)

    def py(self, y: float) -> float:
        """Vertical position of a value."""
        low, high = (self._ty(v) for v in self.y_limits)
        return self.bottom - (self._ty(y) - low) / (high - low) * (self.bottom - self.top)

    # -- marks, in the units of the data ------------------------------------------------------

    def line(self, xs: Iterable[float], ys: Iterable[float], css: str) -> None:
        """A polygonal line."""
        points = " ".join(f"{_r(self.px(a))},{_r(self.py(b))}" for a, b in zip(xs, ys, strict=True))
        self.parts.append(f'<polyline class="line {css}" points="{points}"/>')

    def segments(self, ends: Iterable[tuple[float, float, float, float]], css: str) -> None:
        """Many short lines in one path."""
        path = "".join(
            f"M{_r(self.px(a))} {_r(self.py(b))}L{_r(self.px(c))} {_r(self.py(d))}"
            for a, b, c, d in ends
        )
        if path:
            self.parts.append(f'<path class="line {css}" d="{path}"/>')

    def area(self, xs: Sequence[float], low: Any, high: Any, css: str) -> None:
        """The region between two curves."""
        there = [f"{_r(self.px(a))},{_r(self.py(b))}" for a, b in zip(xs, high, strict=True)]
        back = [f"{_r(self.px(a))},{_r(self.py(b))}" for a, b in zip(xs, low, strict=True)]
        self.parts.append(f'<polygon class="area {css}" points="{" ".join(there + back[::-1])}"/>')

    def box(
        self, x0: float, x1: float, y0: float, y1: float, css: str, tip: str = "", least: float = 0
    ) -> None:
        """A rectangle with two corners at the data; ``least`` is its smallest width in pixels."""
        a, b = sorted((self.px(x0), self.px(x1)))
        c, d = sorted((self.py(y0), self.py(y1)))
        self.parts.append(
            f'<rect class="{css}" x="{_r(a)}" y="{_r(c)}" width="{_r(max(b - a, least))}" '
            f'height="{_r(d - c)}">{_tip(tip)}</rect>'
        )

    def mark(
        self, x: float, y: float, css: str, shape: str = "circle", size: float = 3.5, tip: str = ""
    ) -> None:
        """A symbol at a point."""
        where = f'transform="translate({_r(self.px(x))} {_r(self.py(y))}) scale({_r(size)})"'
        if shape == "circle":
            self.parts.append(f'<circle class="mark {css}" r="1" {where}>{_tip(tip)}</circle>')
        else:
            self.parts.append(
                f'<path class="mark {css}" d="{_OUTLINE[shape]}" {where}>{_tip(tip)}</path>'
            )

    def vertical(self, x: float, css: str = "rule", text: str = "", at: float = 0) -> None:
        """A line from bottom to top, named at its upper end."""
        place = _r(self.px(x))
        self.parts.append(
            f'<line class="{css}" x1="{place}" x2="{place}" y1="{self.top}" y2="{self.bottom}"/>'
        )
        if text:
            self.words(self.px(x) + 4, self.top + 11 + at, text, "small")

    def horizontal(self, y: float, css: str = "rule") -> None:
        """A line from left to right."""
        place = _r(self.py(y))
        self.parts.append(
            f'<line class="{css}" x1="{self.left}" x2="{self.right}" y1="{place}" y2="{place}"/>'
        )

    # -- words and axes, in pixels ------------------------------------------------------------

    def words(self, x: float, y: float, text: str, css: str = "", anchor: str = "start") -> None:
        """Text at a place of the picture."""
        self.parts.append(
            f'<text class="{css}" x="{_r(x)}" y="{_r(y)}" text-anchor="{anchor}">'
            f"{escape(clean(text, 120))}</text>"
        )

    def axis_x(
        self, label: str, ticks: Sequence[float] | None = None, show: Callable[[float], str] = short
    ) -> None:
        """Ticks and a name below."""
        self.parts.append(
            f'<line class="axis" x1="{self.left}" x2="{self.right}" '
            f'y1="{self.bottom}" y2="{self.bottom}"/>'
        )
        for tick in ticks if ticks is not None else nice(*self.x_limits):
            place = self.px(tick)
            self.parts.append(
                f'<line class="axis" x1="{_r(place)}" x2="{_r(place)}" y1="{self.bottom}" '
                f'y2="{self.bottom + 4}"/>'
            )
            self.words(place, self.bottom + 17, show(tick), "small", "middle")
        middle = (self.left + self.right) / 2
        self.words(middle, self.height - 6, label, "label", "middle")

    def axis_y(
        self, label: str, ticks: Sequence[float] | None = None, show: Callable[[float], str] = short
    ) -> None:
        """Ticks on the left, quiet lines across, and a name on top of the axis."""
        for tick in ticks if ticks is not None else nice(*self.y_limits, 5):
            self.horizontal(tick, "grid")
            self.words(self.left - 6, self.py(tick) + 4, show(tick), "small", "end")
        if label:
            x, y = 13, (self.top + self.bottom) / 2
            self.parts.append(
                f'<text class="label" text-anchor="middle" '
                f'transform="translate({x} {_r(y)}) rotate(-90)">{escape(clean(label))}</text>'
            )

    def svg(self) -> str:
        """The element."""
        size = f'width="{self.width}" viewBox="0 0 {self.width} {self.height}"'
        label = escape(clean(self.label, 300))
        content = "".join(self.parts)
        return f'<svg class="chart" role="img" aria-label="{label}" {size}>{content}</svg>'


def _widen(limits: tuple[float, float]) -> tuple[float, float]:
    """An interval of positive length, whatever came in."""
    low, high = (float(v) for v in limits)
    if not (math.isfinite(low) and math.isfinite(high)):
        return 0.0, 1.0
    if high > low:
        return low, high
    room = 0.5 * max(abs(low), 1.0)
    return low - room, high + room


def _r(value: float) -> str:
    """A coordinate, short."""
    text = f"{np.clip(value, -1e5, 1e5):.1f}"
    return text.removesuffix(".0")


def _tip(text: str) -> str:
    return f"<title>{escape(clean(text, 200))}</title>" if text else ""
