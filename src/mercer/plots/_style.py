"""Colours that colour-blind readers can tell apart, and a few touches shared by all pictures."""

from __future__ import annotations

from typing import Any

# Okabe and Ito's palette, in an order whose neighbours differ in lightness too.
CLASS_COLOURS = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#CC79A7",
    "#56B4E9",
    "#D55E00",
    "#8C8C00",
    "#555555",
)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
INK = "#222222"
FAINT = "#8a8a8a"

# Where a training point lies with respect to its margin, and how it is drawn.
CATEGORIES = ("outside", "on the margin", "inside the margin", "misclassified")
CATEGORY_COLOURS = {
    "outside": "#0072B2",
    "on the margin": "#009E73",
    "inside the margin": "#CC79A7",
    "misclassified": "#D55E00",
}


def class_colour(index: int) -> str:
    """Colour of the class with this number; repeats after eight."""
    return CLASS_COLOURS[index % len(CLASS_COLOURS)]


def class_marker(index: int) -> str:
    """Marker of the class with this number; repeats after eight."""
    return MARKERS[index % len(MARKERS)]


def paler(colour: str, strength: float) -> tuple[float, float, float]:
    """Mix a colour with white; ``strength=1`` leaves it as it is."""
    from matplotlib.colors import to_rgb

    red, green, blue = (1.0 - strength * (1.0 - part) for part in to_rgb(colour))
    return red, green, blue


def pyplot() -> Any:
    """Matplotlib's pyplot, or an error that says how to get it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as problem:
        raise ImportError(
            "pictures need matplotlib; install it with: pip install 'mercer[app]'"
        ) from problem
    return plt


def new_axes(ax: Any, size: tuple[float, float]) -> Any:
    """The given axes, or those of a new figure of this size."""
    if ax is not None:
        return ax
    _, ax = pyplot().subplots(figsize=size, layout="constrained")
    return ax


def tidy(ax: Any, title: str, xlabel: str = "", ylabel: str = "") -> None:
    """Title on the left, quiet frame."""
    ax.set_title(title, loc="left", fontsize=11, fontweight="bold", color=INK)
    ax.set_xlabel(xlabel, color=INK)
    ax.set_ylabel(ylabel, color=INK)
    ax.tick_params(colors=FAINT, labelcolor=INK, labelsize=9)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(FAINT)
