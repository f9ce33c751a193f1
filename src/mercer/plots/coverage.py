"""Do certificates hold at their stated rate? Violations counted, with exact intervals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from mercer.bounds.numerics import clopper_lower, clopper_upper
from mercer.plots import _style

FINE, BROKEN, ALLOWED = "#0072B2", "#D55E00", "#222222"


class CoverageDisplay:
    """Share of repeated draws in which a certificate was below the truth, one row per bound.

    Parameters
    ----------
    counts : mapping of str to (violations, draws)
        What was counted.
    delta : float, default=0.05
        The stated failure probability.
    confidence : float, default=0.95
        Of the exact binomial interval around each share.
    """

    def __init__(
        self,
        counts: Mapping[str, tuple[int, int]],
        *,
        delta: float = 0.05,
        confidence: float = 0.95,
    ) -> None:
        if not counts:
            raise ValueError("there is nothing to show")
        if not (0 < delta < 1 and 0 < confidence < 1):
            raise ValueError("delta and confidence must lie strictly between 0 and 1")
        for name, (wrong, draws) in counts.items():
            if not 0 <= wrong <= draws or draws < 1:
                raise ValueError(f"{name}: {wrong} violations in {draws} draws cannot be")
        self.counts = dict(counts)
        self.delta, self.confidence = delta, confidence

    @classmethod
    def from_counts(
        cls,
        counts: Mapping[str, tuple[int, int]],
        *,
        delta: float = 0.05,
        ax: Any = None,
        **style: Any,
    ) -> CoverageDisplay:
        """Draw counts of violations."""
        return cls(counts, delta=delta).plot(ax=ax, **style)

    @classmethod
    def from_values(
        cls,
        values: Mapping[str, Any],
        truth: Any,
        *,
        delta: float = 0.05,
        ax: Any = None,
        **style: Any,
    ) -> CoverageDisplay:
        """Count violations: ``values[name]`` holds one certificate per draw, ``truth`` the risk.

        ``truth`` is one array for all, or a mapping with one array per name.
        """
        counts = {}
        for name, column in values.items():
            risk = np.asarray(truth[name] if isinstance(truth, Mapping) else truth, dtype=float)
            limit = np.asarray(column, dtype=float)
            if limit.shape != risk.shape:
                raise ValueError(f"{name}: {limit.shape} values for {risk.shape} risks")
            counts[name] = int(np.sum(limit < risk - 1e-12)), int(limit.size)
        return cls(counts, delta=delta).plot(ax=ax, **style)

    def frame(self) -> dict[str, NDArray[Any]]:
        """Counts, shares, exact intervals, and P(so many violations or more) at rate δ."""
        wrong, draws = (np.array(v) for v in zip(*self.counts.values(), strict=True))
        tail = (1 - self.confidence) / 2
        pairs = list(zip(wrong.tolist(), draws.tolist(), strict=True))
        return {
            "name": np.array(list(self.counts)),
            "violations": wrong,
            "draws": draws,
            "share": wrong / draws,
            "lower": np.array([clopper_lower(k, m, tail) for k, m in pairs]),
            "upper": np.array([clopper_upper(k, m, tail) for k, m in pairs]),
            "p_value": binom.sf(wrong - 1, draws, self.delta),
        }

    def plot(self, ax: Any = None, *, title: str = "Do the certificates hold?") -> CoverageDisplay:
        """Draw on ``ax`` (or on a new figure); sets ``ax_`` and ``figure_``."""
        data = self.frame()
        rows = len(data["name"])
        self.ax_ = _style.new_axes(ax, (8.0, 1.4 + 0.34 * rows))
        self.figure_ = self.ax_.figure
        reach = 1.08 * max(data["upper"].max(), 1.6 * self.delta)
        self.ax_.axvspan(0, self.delta, color="#eef4f8", lw=0, zorder=0)
        self.ax_.axvline(self.delta, color=ALLOWED, lw=1.2, zorder=1)
        for place in range(rows):
            broken = data["lower"][place] > self.delta
            colour = BROKEN if broken else FINE
            self.ax_.plot(
                [data["lower"][place], data["upper"][place]],
                [place, place],
                color=_style.paler(colour, 0.5),
                lw=3.2,
                solid_capstyle="round",
                zorder=2,
            )
            mark = "X" if broken else "o"
            self.ax_.plot(data["share"][place], place, mark, ms=6.5, color=colour, zorder=3)
            self.ax_.annotate(
                f"{data['violations'][place]} of {data['draws'][place]}",
                (1.0, place),
                xycoords=("axes fraction", "data"),
                xytext=(8, 0),
                textcoords="offset points",
                va="center",
                fontsize=9,
                color=colour if broken else _style.INK,
            )
        self._dress(data, reach, title)
        return self

    def _dress(self, data: dict[str, NDArray[Any]], reach: float, title: str) -> None:
        rows = len(data["name"])
        self.ax_.set_yticks(range(rows), data["name"])
        self.ax_.set_ylim(rows - 0.4, -0.6)
        self.ax_.set_xlim(-0.012 * reach, min(reach, 1.02))
        self.ax_.xaxis.set_major_formatter(lambda value, _: f"{100 * value:g} %")
        self.ax_.annotate(
            f"allowed: δ = {100 * self.delta:g} %",
            (self.delta, 1.0),
            xycoords=("data", "axes fraction"),
            xytext=(4, 3),
            textcoords="offset points",
            fontsize=8.5,
            color=_style.INK,
        )
        _style.tidy(
            self.ax_,
            "",
            f"draws with the truth above the limit ({100 * self.confidence:g} % intervals)",
        )
        self.ax_.tick_params(axis="y", length=0)
        self.ax_.set_title(title, loc="left", fontsize=11, fontweight="bold", pad=18)
