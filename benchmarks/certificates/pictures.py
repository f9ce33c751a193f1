"""A picture of the measured table."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib
import matplotlib.pyplot

from mercer.plots import CoverageDisplay

WAYS = (
    "80/20", "60/40", "50/50", "auto", "auto, tight", "progressive", "compress", "selective",
    "transfer", "pac-bayes", "recursive", "vote", "bound: declared set",
)  # fmt: skip


def coverage(result: Mapping[str, Any], path: Path) -> None:
    """Violations of every way, pooled over the rows whose risk is known."""
    matplotlib.use("Agg")
    known = [line["ways"] for line in result["rows"] if line["known"]]
    if not known:
        return
    counts = {
        way.removeprefix("bound: "): (
            sum(ways[way]["violations"] for ways in known),
            sum(ways[way]["draws"] for ways in known),
        )
        for way in WAYS
        if all(way in ways for ways in known)
    }
    display = CoverageDisplay(counts, delta=result["delta"])
    display.plot(title="Certificates below the true risk, laws with known risk")
    display.figure_.savefig(path, dpi=110)
    matplotlib.pyplot.close(display.figure_)
