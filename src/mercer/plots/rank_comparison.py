"""Ways to choose compared over data sets: mean ranks, and differences that chance explains."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata, studentized_range

from mercer.plots import _style

Floats = NDArray[np.float64]


class RankComparisonDisplay:
    """Mean rank of every method over data sets, with Nemenyi's critical difference.

    Parameters
    ----------
    excess : ndarray of shape (n_sets, n_methods)
        Excess error; smaller is better. Ties share their ranks.
    methods : list of str
    level : float, default=0.05
        Of the test that two mean ranks differ.
    """

    def __init__(self, *, excess: Floats, methods: list[str], level: float = 0.05) -> None:
        excess = np.asarray(excess, dtype=float)
        if excess.ndim != 2 or excess.shape[1] != len(methods):
            raise ValueError(
                f"excess has shape {excess.shape}: one row per set and {len(methods)} columns "
                "are needed"
            )
        self.excess = excess
        self.methods = list(methods)
        self.level = level

    @property
    def ranks(self) -> Floats:
        """Mean rank of every method, 1 for the best."""
        return np.mean([rankdata(np.round(row, 9)) for row in self.excess], axis=0)

    @property
    def critical_difference(self) -> float:
        """Two mean ranks that differ by less may differ by chance (Nemenyi 1963)."""
        sets, methods = self.excess.shape
        q = float(studentized_range.ppf(1 - self.level, methods, np.inf)) / np.sqrt(2.0)
        return q * float(np.sqrt(methods * (methods + 1) / (6.0 * sets)))

    def frame(self) -> dict[str, Any]:
        """Methods from best to worst: mean rank and mean excess."""
        order = np.argsort(self.ranks, kind="stable")
        return {
            "method": [self.methods[i] for i in order],
            "mean rank": self.ranks[order],
            "mean excess": self.excess.mean(axis=0)[order],
        }

    def plot(self, ax: Any = None, *, title: str = "Ways to choose, ranked") -> Any:
        """Draw on ``ax`` (or on a new figure); sets ``ax_`` and ``figure_``."""
        table = self.frame()
        count = len(self.methods)
        self.ax_ = _style.new_axes(ax, (6.4, 1.2 + 0.3 * count))
        self.figure_ = self.ax_.figure
        place = np.arange(count)[::-1]
        ranks = table["mean rank"]
        near = ranks - ranks[0] < self.critical_difference
        self.ax_.axvspan(ranks[0], ranks[0] + self.critical_difference, color="#56B4E9", alpha=0.2)
        self.ax_.hlines(place, 1, ranks, color=_style.FAINT, lw=0.8)
        colours = np.where(near, _style.class_colour(0), _style.class_colour(5))
        self.ax_.scatter(ranks, place, c=list(colours), s=60, zorder=3)
        for y, rank, excess in zip(place, ranks, table["mean excess"], strict=True):
            self.ax_.annotate(f"{excess:.4f}", (rank, y), (7, 0), textcoords="offset points",
                              va="center", fontsize=8, color=_style.INK)  # fmt: skip
        self.ax_.set_yticks(place, table["method"])
        self.ax_.set_xlim(0.8, count + 0.7)
        _style.tidy(self.ax_, title, "mean rank (mean excess error beside it)")
        self.ax_.set_ylim(-1.2, count - 0.4)  # a line below the last method for the words
        self.ax_.text(
            ranks[0] + 0.05, -0.95, "not told apart from the best", fontsize=8, color=_style.INK
        )
        return self
