"""What a search saw: the criterion over bandwidth and cost, and the way through it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.plots import _style

Floats = NDArray[np.float64]


class SearchMapDisplay:
    """Every candidate of a search as a dot over (bandwidth, cost), coloured by its value.

    Parameters
    ----------
    bandwidth, cost : ndarray of shape (n_candidates,)
        Where the candidates lie.
    value : ndarray of shape (n_candidates,)
        What was minimised.
    status : ndarray of str
        "done", or "pruned" (drawn hollow: the value is what it would have at best).
    best : int
        The winner.
    cost_name, criterion : str
        What the axes and the colours are called.
    """

    def __init__(
        self,
        *,
        bandwidth: Floats,
        cost: Floats,
        value: Floats,
        status: NDArray[Any],
        best: int,
        cost_name: str = "C",
        criterion: str = "criterion",
    ) -> None:
        self.bandwidth = bandwidth
        self.cost = cost
        self.value = value
        self.status = status
        self.best = best
        self.cost_name = cost_name
        self.criterion = criterion

    @classmethod
    def from_search(cls, search: Any, *, ax: Any = None, **style: Any) -> SearchMapDisplay:
        """Draw a fitted `KernelSearch`."""
        table = search.results_
        names = [n for n in table if n.startswith("param_") and n.split("__")[-1] != "kernel"]
        path = [
            n for n in names if n.split("__")[-1].removeprefix("param_") in ("C", "alpha", "nu")
        ]
        if not path or not np.isfinite(table["bandwidth"]).any():
            raise ValueError(
                "a map needs a bandwidth and a cost: this search varied "
                f"{[n.removeprefix('param_') for n in names] or 'nothing'}; see results_"
            )
        cost = np.array([np.nan if v is None else float(v) for v in table[path[0]].data])
        shown = np.isfinite(table["bandwidth"]) & np.isfinite(cost) & np.isfinite(table["value"])
        if not shown[search.best_index_]:
            raise ValueError("the best candidate has no single bandwidth: it cannot be drawn")
        order = np.argsort(table["tried"], kind="stable")
        order = order[shown[order]]
        display = cls(
            bandwidth=table["bandwidth"][order],
            cost=cost[order],
            value=table["value"][order],
            status=table["status"][order],
            best=int(np.flatnonzero(order == search.best_index_)[0]),
            cost_name=path[0].split("__")[-1].removeprefix("param_"),
            criterion=search.criterion_,
        )
        return display.plot(ax=ax, **style)

    from_estimator = from_search

    def frame(self) -> dict[str, NDArray[Any]]:
        """All dots, in the order in which they were tried."""
        return {
            "bandwidth": self.bandwidth,
            self.cost_name: self.cost,
            "value": self.value,
            "status": self.status,
        }

    def path(self) -> NDArray[np.intp]:
        """The candidates that were the best so far, in turn, and the winner (of equals, one)."""
        done = self.status == "done"
        value = np.where(done, self.value, np.inf)
        falling = np.minimum.accumulate(value)
        first = np.append(True, falling[1:] < falling[:-1])
        way = np.flatnonzero(first & done)
        return way if way[-1] == self.best else np.append(way, self.best)

    def plot(
        self, ax: Any = None, *, title: str = "Search", show_path: bool = True
    ) -> SearchMapDisplay:
        """Draw on ``ax`` (or on a new figure); sets ``ax_`` and ``figure_``."""
        self.ax_ = _style.new_axes(ax, (6.2, 4.6))
        self.figure_ = self.ax_.figure
        done = self.status == "done"
        low = float(np.min(self.value[done]))
        high = float(np.quantile(self.value[done], 0.9)) if done.sum() > 1 else low + 1e-9
        colours = {"vmin": low, "vmax": max(high, low + 1e-9), "cmap": "viridis_r"}
        if self._is_grid():
            self._draw_cells(colours)
        dots = self.ax_.scatter(
            self.bandwidth[done], self.cost[done], c=self.value[done], s=58, zorder=3,
            edgecolor="white", linewidth=0.6, **colours,
        )  # fmt: skip
        self.ax_.scatter(
            self.bandwidth[~done], self.cost[~done], s=34, facecolor="none", zorder=2,
            edgecolor=_style.FAINT, linewidth=0.8,
            label=None if done.all() else "left early: could not win",
        )  # fmt: skip
        if show_path:
            way = self.path()
            self.ax_.plot(
                self.bandwidth[way], self.cost[way], color=_style.INK, lw=1.1, zorder=4,
                label="best so far",
            )  # fmt: skip
        self.ax_.scatter(
            [self.bandwidth[self.best]], [self.cost[self.best]], marker="*", s=230, zorder=5,
            color="#D55E00", edgecolor="white", linewidth=0.8, label="chosen",
        )  # fmt: skip
        self.ax_.set_xscale("log")
        self.ax_.set_yscale("log")
        bar = self.figure_.colorbar(dots, ax=self.ax_, pad=0.02)
        bar.set_label(self.criterion, color=_style.INK)
        bar.outline.set_visible(False)
        _style.tidy(self.ax_, title, "bandwidth", self.cost_name)
        self.ax_.legend(loc="best", fontsize=8, framealpha=0.9, edgecolor="none")
        return self

    def _is_grid(self) -> bool:
        cells = len(np.unique(self.bandwidth)) * len(np.unique(self.cost))
        return cells == len(self.value) and cells >= 9

    def _draw_cells(self, colours: dict[str, Any]) -> None:
        x, y = np.unique(self.bandwidth), np.unique(self.cost)
        cells = np.full((len(y), len(x)), np.nan)
        cells[np.searchsorted(y, self.cost), np.searchsorted(x, self.bandwidth)] = self.value
        self.ax_.pcolormesh(x, y, cells, shading="nearest", alpha=0.45, zorder=1, **colours)
