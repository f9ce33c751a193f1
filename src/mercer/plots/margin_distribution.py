"""How far from the decision line the examples lie, and on which side."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.plots import _style
from mercer.plots._margins import TOLERANCE, Array, accuracy, categorise, margins


class MarginDistributionDisplay:
    """Histogram and cumulative share of the margins y f(x).

    Parameters
    ----------
    margin : ndarray of shape (n,)
        Margin of each example: negative if misclassified, at least 1 if beyond the margin.
    tolerance : float, default=1e-3
        A margin that differs from 1 by no more than this counts as on the margin.
    """

    def __init__(self, *, margin: Array, tolerance: float = TOLERANCE) -> None:
        self.margin = margin
        self.tolerance = tolerance

    @classmethod
    def from_estimator(
        cls, estimator: object, X: ArrayLike, y: ArrayLike, *, ax: Any = None, **style: Any
    ) -> MarginDistributionDisplay:
        """Compute and draw the margins of a fitted classifier.

        With several classes the margin is the score of the true class minus the best other score.
        """
        display = cls(margin=margins(estimator, X, y), tolerance=accuracy(estimator))
        return display.plot(ax=ax, **style)

    @classmethod
    def from_predictions(
        cls, y_true: ArrayLike, decision: ArrayLike, *, ax: Any = None, **style: Any
    ) -> MarginDistributionDisplay:
        """Draw the margins of labels -1/+1 and their decision values."""
        labels, values = np.asarray(y_true), np.asarray(decision, dtype=float)
        if labels.shape != values.shape or not np.isin(labels, (-1, 1)).all():
            raise ValueError("y_true must hold -1 and +1 only, one label per decision value")
        return cls(margin=labels * values).plot(ax=ax, **style)

    def shares(self) -> dict[str, float]:
        """Share of the examples in each category, from the wrong side to well outside."""
        category = categorise(self.margin, self.tolerance)
        return {kind: float(np.mean(category == kind)) for kind in reversed(_style.CATEGORIES)}

    def frame(self) -> dict[str, NDArray[Any]]:
        """Sorted margins, and the share of examples at or below each."""
        ordered = np.sort(self.margin)
        return {"margin": ordered, "share": np.arange(1, len(ordered) + 1) / len(ordered)}

    def plot(
        self, ax: Any = None, *, bins: int = 40, title: str = "Margin distribution"
    ) -> MarginDistributionDisplay:
        """Draw on ``ax`` (or on a new figure); sets ``ax_`` and ``figure_``."""
        self.ax_ = _style.new_axes(ax, (6.4, 4.0))
        self.figure_ = self.ax_.figure
        self._draw_bars(bins)
        self._draw_cumulative()
        for position, dashes in ((0.0, "-"), (1.0, "--")):
            self.ax_.axvline(position, color=_style.INK, lw=1.2, ls=dashes)
        _style.tidy(self.ax_, title, "margin  y f(x)", "examples")
        self.ax_.set_title(title, pad=24, loc="left", fontsize=11, fontweight="bold")
        self.ax_.legend(
            loc="lower left",
            bbox_to_anchor=(-0.015, 1.0),
            ncols=4,
            frameon=False,
            fontsize=8,
            handlelength=1.0,
            columnspacing=1.2,
        )
        return self

    def _draw_bars(self, bins: int) -> None:
        category = categorise(self.margin, self.tolerance)
        # Free support vectors lie on the margin up to the solver's tolerance: count them at 1.
        shown = np.where(category == "on the margin", 1.0, self.margin)
        kinds = self.shares()
        self.ax_.hist(
            [shown[category == kind] for kind in kinds],
            bins=self._edges(bins),
            stacked=True,
            color=[_style.CATEGORY_COLOURS[kind] for kind in kinds],
            edgecolor="white",
            linewidth=0.5,
            label=[f"{kind} {share:.1%}" for kind, share in kinds.items()],
        )

    def _edges(self, bins: int) -> Array:
        """Equal bins laid so that 0 and 1 are edges: no bar mixes two zones."""
        low, high = min(self.margin.min(), 0.0), max(self.margin.max(), 1.0)
        width = 1.0 / max(1, round(bins / (high - low)))
        return np.arange(np.floor(low / width), np.ceil(high / width) + 1) * width

    def _draw_cumulative(self) -> None:
        data = self.frame()
        self.cumulative_ax_ = self.ax_.twinx()
        self.cumulative_ax_.step(
            data["margin"], data["share"], where="post", color=_style.INK, lw=1.3
        )
        self.cumulative_ax_.set_ylim(0.0, 1.05)
        self.cumulative_ax_.set_yticks(
            [0, 0.25, 0.5, 0.75, 1.0], ["0", "25 %", "50 %", "75 %", "100 %"]
        )
        self.cumulative_ax_.set_ylabel("cumulative share (line)", color=_style.INK)
        self.cumulative_ax_.tick_params(colors=_style.FAINT, labelcolor=_style.INK, labelsize=9)
        for side in ("top", "left"):
            self.cumulative_ax_.spines[side].set_visible(False)
