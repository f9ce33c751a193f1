"""Scripts of examples/ run for the values that they draw."""

import runpy
import sys
from pathlib import Path

import numpy as np

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def draw(name, folder):
    """Run a script as ``python examples/NAME.py FOLDER`` does; the names it leaves."""
    kept, sys.argv = sys.argv, [name, str(folder)]
    try:
        return runpy.run_path(str(EXAMPLES / f"{name}.py"))
    finally:
        sys.argv = kept


def curves(ax):
    """Points of every line with a name."""
    return {
        line.get_label(): line.get_xydata().T
        for line in ax.lines
        if not line.get_label().startswith("_")
    }


def seen(ax, number=0):
    """Rows of a scatter plot, in the plane or in space."""
    found = ax.collections[number]
    deep = getattr(found, "_offsets3d", None)
    return np.asarray(found.get_offsets()) if deep is None else np.column_stack(deep)


def region(ax):
    """Points of the plane behind a `DecisionRegionDisplay`, and the values painted there."""
    image = ax.images[0]
    values = np.asarray(image.get_array())
    left, right, low, high = image.get_extent()
    rows, columns = values.shape
    mesh = np.meshgrid(np.linspace(left, right, columns), np.linspace(low, high, rows))
    return np.column_stack([side.ravel() for side in mesh]), values.ravel()


def told(ax, before):
    """The number that follows these words in a title."""
    text = "".join(ax.get_title(where) for where in ("left", "center", "right"))
    return float(text.split(before)[1].replace(",", " ").replace(":", " ").split()[0])
