"""Criteria against one parameter, and what a criterion is made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.plots import _style

Floats = NDArray[np.float64]


class ComponentsDisplay:
    """The parts of a criterion stacked over a parameter, for instance the bits of C3 over C.

    Parameters
    ----------
    x : ndarray
        Values of the parameter, ascending.
    components : dict of str to ndarray
        The parts at each of them.
    total : ndarray, optional
        The criterion itself; by default the sum of the parts.
    xlabel, ylabel : str
    """

    def __init__(
        self,
        *,
        x: Floats,
        components: Mapping[str, Floats],
        total: Floats | None = None,
        xlabel: str = "C",
        ylabel: str = "bits per label",
    ) -> None:
        self.x = np.asarray(x, dtype=float)
        self.components = {k: np.asarray(v, dtype=float) for k, v in components.items()}
        parts = np.sum(list(self.components.values()), axis=0)
        self.total: Floats = parts if total is None else np.asarray(total, dtype=float)
        self.xlabel = xlabel
        self.ylabel = ylabel

    @classmethod
    def from_search(cls, search: Any, *, ax: Any = None, **style: Any) -> ComponentsDisplay:
        """Parts at the best bandwidth of every cost, of a search by a criterion with parts."""
        table = search.results_
        names = [n.removeprefix("component_") for n in table if n.startswith("component_")]
        paths = [n for n in table if n.split("__")[-1].removeprefix("param_") in ("C", "alpha")]
        if not names or not paths:
            raise ValueError(
                f"criterion={search.criterion_!r} has no parts to stack over a cost; try "
                "criterion='C3'"
            )
        cost = np.array([np.nan if v is None else float(v) for v in table[paths[0]].data])
        value = np.where(table["status"] == "done", table["value"], np.inf)
        best = []
        for one in np.unique(cost[np.isfinite(cost)]):
            here = np.flatnonzero(cost == one)
            winner = int(here[np.argmin(value[here])])
            if np.isfinite(value[winner]):
                best.append(winner)
        display = cls(
            x=cost[best],
            components={n: table[f"component_{n}"][best] for n in names},
            total=table["value"][best],
            xlabel=paths[0].split("__")[-1].removeprefix("param_"),
            ylabel=search.criterion_,
        )
        return display.plot(ax=ax, **style)

    def frame(self) -> dict[str, Floats]:
        """The parameter, every part and the total."""
        return {self.xlabel: self.x, **self.components, "total": self.total}

    def plot(self, ax: Any = None, *, title: str = "What the criterion is made of") -> Any:
        """Draw on ``ax`` (or on a new figure); sets ``ax_`` and ``figure_``."""
        self.ax_ = _style.new_axes(ax, (6.2, 4.0))
        self.figure_ = self.ax_.figure
        names = list(self.components)
        self.ax_.stackplot(
            self.x,
            *self.components.values(),
            labels=names,
            colors=[_style.paler(_style.class_colour(k), 0.75) for k in range(len(names))],
        )
        self.ax_.plot(self.x, self.total, color=_style.INK, lw=1.4, label="total")
        self.ax_.set_xscale("log")
        _style.tidy(self.ax_, title, self.xlabel, self.ylabel)
        self.ax_.legend(loc="best", fontsize=8, framealpha=0.9, edgecolor="none")
        return self


class CriterionCurvesDisplay:
    """Criteria, each brought to the range 0 to 1, beside the test error, over a parameter.

    Parameters
    ----------
    x : ndarray
        Values of the parameter.
    curves : dict of str to ndarray
        One curve per criterion; values that are not finite are left out.
    test : ndarray, optional
        The test error, drawn as it is on a second axis.
    """

    def __init__(
        self,
        *,
        x: Floats,
        curves: Mapping[str, Floats],
        test: Floats | None = None,
        xlabel: str = "sigma",
    ) -> None:
        self.x = np.asarray(x, dtype=float)
        self.curves = {k: np.asarray(v, dtype=float) for k, v in curves.items()}
        self.test = None if test is None else np.asarray(test, dtype=float)
        self.xlabel = xlabel

    def scaled(self) -> dict[str, Floats]:
        """The curves between 0 and 1."""
        found = {}
        for name, curve in self.curves.items():
            fine = np.isfinite(curve)
            low, high = curve[fine].min(), curve[fine].max()
            found[name] = np.where(fine, (curve - low) / max(high - low, 1e-300), np.nan)
        return found

    def frame(self) -> dict[str, Floats]:
        """The parameter, the curves as they are, and the test error."""
        extra = {} if self.test is None else {"test error": self.test}
        return {self.xlabel: self.x, **self.curves, **extra}

    def plot(self, ax: Any = None, *, title: str = "Criteria and test error") -> Any:
        """Draw on ``ax`` (or on a new figure); sets ``ax_`` and ``figure_``."""
        self.ax_ = _style.new_axes(ax, (6.2, 4.0))
        self.figure_ = self.ax_.figure
        for k, (name, curve) in enumerate(self.scaled().items()):
            colour = _style.class_colour(k)
            self.ax_.plot(self.x, curve, color=colour, lw=1.3, marker=_style.class_marker(k),
                          ms=3.5, label=name)  # fmt: skip
            if np.isfinite(curve).any():
                low = int(np.nanargmin(curve))
                self.ax_.plot(self.x[low], curve[low], "o", ms=9, mfc="none", color=colour)
        if self.test is not None:
            right = self.ax_.twinx()
            right.plot(self.x, self.test, color=_style.INK, lw=2.2, label="test error")
            right.set_ylabel("test error (thick line)", color=_style.INK)
            right.tick_params(colors=_style.FAINT, labelcolor=_style.INK, labelsize=9)
            right.spines["top"].set_visible(False)
        self.ax_.set_xscale("log")
        _style.tidy(self.ax_, title, self.xlabel, "criterion, its range brought to 0 to 1")
        self.ax_.legend(loc="best", fontsize=8, framealpha=0.9, edgecolor="none")
        return self
