"""A bound against the number of rows: from where does it say anything, and when is it enough?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.bounds import Bound, Certificate, Curve, Evidence, curve
from mercer.plots import _style

_POINTS = 60


class BoundCurveDisplay:
    """Several bounds as curves, with the point where each stops being vacuous and a target.

    Parameters
    ----------
    curves : sequence of Curve
        What to draw, all over the same quantity and with the same ceiling.
    labels : sequence of str, optional
        Names of the curves; their codes by default.
    target : float, optional
        A value to reach; the first point of each curve at or below it is marked.
    current : float, optional
        Where the certificates at hand are, as a vertical line.
    """

    def __init__(
        self,
        curves: Sequence[Curve],
        *,
        labels: Sequence[str] | None = None,
        target: float | None = None,
        current: float | None = None,
    ) -> None:
        self.curves = list(curves)
        if not self.curves:
            raise ValueError("there is no curve to draw")
        if len({c.over for c in self.curves}) > 1 or len({c.ceiling for c in self.curves}) > 1:
            raise ValueError("curves over different quantities, or of different losses, do not mix")
        self.labels = [c.code for c in self.curves] if labels is None else list(labels)
        if len(self.labels) != len(self.curves):
            raise ValueError(f"{len(self.labels)} labels for {len(self.curves)} curves")
        self.target, self.current = target, current

    @classmethod
    def from_certificates(
        cls,
        certificates: Mapping[str, Certificate] | Iterable[Certificate],
        *,
        n: Sequence[float] | None = None,
        target: float | None = None,
        ax: Any = None,
        **style: Any,
    ) -> BoundCurveDisplay:
        """Draw how each certificate would fall with more rows if the observed rates stayed.

        Estimates are left out: they promise nothing at any n. By default n runs from a tenth to a
        thousand times the rows at hand.
        """
        given = certificates.values() if isinstance(certificates, Mapping) else certificates
        bounds = [c for c in given if c.kind != "estimate" and c.inputs is not None]
        if not bounds:
            raise ValueError("none of the certificates is a bound with its inputs stored")
        rows = max(c.inputs.n for c in bounds if c.inputs is not None)
        grid = np.unique(np.geomspace(max(10, rows / 10), 1000 * rows, _POINTS).round())
        wanted = grid.tolist() if n is None else list(n)
        curves = []
        for c in bounds:
            assert c.inputs is not None
            # losses recorded row by row would have to be repeated in memory
            points = [v for v in wanted if v <= 1e6 or not c.inputs.repeats_rows]
            curves.append(curve(c.bound(), c.inputs, "n", points, c.own_delta))
        titles = [c.title for c in bounds]
        return cls(curves, labels=titles, target=target, current=rows).plot(ax=ax, **style)

    @classmethod
    def from_bounds(
        cls,
        bounds: Iterable[Bound],
        evidence: Evidence,
        *,
        over: str = "n",
        values: Sequence[float],
        delta: float = 0.05,
        target: float | None = None,
        ax: Any = None,
        **style: Any,
    ) -> BoundCurveDisplay:
        """Draw bounds over any number in the evidence: n, margin, delta, lam, a count."""
        chosen = list(bounds)
        curves = [curve(bound, evidence, over, values, delta) for bound in chosen]
        labels = [bound.title for bound in chosen]
        return cls(curves, labels=labels, target=target).plot(ax=ax, **style)

    def reached(self) -> list[float | None]:
        """For each curve the first point at or below the target; None if there is none."""
        found: list[float | None] = []
        for one in self.curves:
            below = one.values <= (np.nan if self.target is None else self.target)
            found.append(float(one.at[int(np.argmax(below))]) if below.any() else None)
        return found

    def frame(self) -> dict[str, NDArray[Any]]:
        """The points of all curves, one after another."""
        return {
            "code": np.concatenate([np.full(len(c.at), c.code) for c in self.curves]),
            "at": np.concatenate([c.at for c in self.curves]),
            "value": np.concatenate([c.values for c in self.curves]),
            "vacuous": np.concatenate([~(c.values < c.ceiling) for c in self.curves]),
        }

    def plot(
        self, ax: Any = None, *, title: str = "When does a bound say something?", log: bool = True
    ) -> BoundCurveDisplay:
        """Draw on ``ax`` (or on a new figure); sets ``ax_`` and ``figure_``.

        ``log=False`` makes the vertical axis linear.
        """
        self.ax_ = _style.new_axes(ax, (8.2, 5.0))
        self.figure_ = self.ax_.figure
        self.ceiling_ = self.curves[0].ceiling
        self.ax_.set_xscale("log")
        if log:
            self.ax_.set_yscale("log")
        for number, one in enumerate(self.curves):
            self._draw(number, one)
        self._frame_axes(log)
        self._draw_target()
        axis = "rows" if self.curves[0].over == "n" else self.curves[0].over
        _style.tidy(self.ax_, title, axis, "value of the bound")
        self._name_curves()
        return self

    def _draw(self, number: int, one: Curve) -> None:
        colour = _style.class_colour(number)
        useful = one.values < one.ceiling
        # the informative part carries the colour, the vacuous part only its shadow
        self.ax_.plot(one.at, one.values, color=_style.paler(colour, 0.35), lw=1.2, ls=":")
        self.ax_.plot(one.at, np.where(useful, one.values, np.nan), color=colour, lw=2.0, zorder=3)
        start = one.informative_from
        if start is not None and not useful[0]:
            at = self._crossing(one, one.ceiling)
            self.ax_.plot(at, one.ceiling, "o", ms=6, mfc="white", mec=colour, mew=1.8, zorder=6)

    @staticmethod
    def _crossing(one: Curve, level: float) -> float:
        """Where the curve passes ``level``, between two grid points, straight in log-log."""
        i = int(np.argmax(one.values < level))
        pair = slice(i - 1, i + 1)
        if i == 0 or not np.isfinite(one.values[pair]).all() or one.values[pair].min() <= 0:
            return float(one.at[i])
        x, y = np.log(one.at[pair]), np.log(one.values[pair])
        return float(np.exp(np.interp(-np.log(level), -y, x)))

    def _frame_axes(self, log: bool) -> None:
        values = np.concatenate([c.values for c in self.curves])
        values = values[np.isfinite(values) & (values > 0)]
        top = 3.0 * self.ceiling_ if log else 1.25 * self.ceiling_
        floor = [v for v in (values.min(initial=self.ceiling_), self.target) if v is not None]
        self.ax_.set_ylim(0.7 * min(floor) if log else 0.0, top)
        points = np.concatenate([c.at for c in self.curves])
        self.ax_.set_xlim(points.min(), points.max())
        self.ax_.axhspan(self.ceiling_, top, color="#f1f1f1", lw=0, zorder=0)
        self.ax_.axhline(self.ceiling_, color=_style.FAINT, lw=0.9, zorder=1)
        self.ax_.annotate(
            "vacuous: says nothing",
            (0.99, (self.ceiling_ * top) ** 0.5 if log else (self.ceiling_ + top) / 2),
            xycoords=("axes fraction", "data"),
            ha="right",
            va="center",
            fontsize=8.5,
            color=_style.FAINT,
        )
        self.ax_.xaxis.set_major_formatter(lambda value, _: _short(value))
        if self.ceiling_ == 1.0:
            self.ax_.yaxis.set_major_formatter(lambda value, _: f"{100 * value:g} %")
        if self.current is not None:
            self.ax_.axvline(self.current, color=_style.INK, lw=0.9, ls=(0, (1, 2)), zorder=1)
            self.ax_.annotate(
                f"now: {_short(self.current)}",
                (self.current, 0.02),
                xycoords=("data", "axes fraction"),
                xytext=(4, 0),
                textcoords="offset points",
                fontsize=8.5,
                color=_style.INK,
            )

    def _draw_target(self) -> None:
        if self.target is None:
            return
        self.ax_.axhline(self.target, color=_style.INK, lw=1.2, ls=(0, (4, 2)), zorder=2)
        for number, (one, at) in enumerate(zip(self.curves, self.reached(), strict=True)):
            if at is not None:
                at = self._crossing(one, self.target) if at != one.at[0] else at
                colour = _style.class_colour(number)
                self.ax_.plot(at, self.target, "s", ms=6, color=colour, mec="white", zorder=6)

    def _name_curves(self) -> None:
        """One legend line per curve: its name, where it wakes up, where it meets the target."""
        handles = []
        for number, (one, label, met) in enumerate(
            zip(self.curves, self.labels, self.reached(), strict=True)
        ):
            start = one.informative_from
            if start is None:
                note = "vacuous throughout"
            elif one.values[0] < one.ceiling:
                note = f"informative from {_short(one.at[0])} or fewer"
            else:
                note = f"informative from {_short(self._crossing(one, one.ceiling))}"
            if met is not None and self.target is not None:
                met = self._crossing(one, self.target) if met != one.at[0] else met
                note += f", target at {_short(met)}"
            (handle,) = self.ax_.plot([], [], color=_style.class_colour(number), lw=2.0)
            handle.set_label(f"{label}: {note}")
            handles.append(handle)
        if self.target is not None:
            (line,) = self.ax_.plot([], [], color=_style.INK, lw=1.2, ls=(0, (4, 2)))
            line.set_label(f"target {self.target:.3g}")
            handles.append(line)
        self.ax_.legend(
            handles=handles,
            loc="upper left",
            bbox_to_anchor=(-0.01, -0.17),
            frameon=False,
            fontsize=8.5,
            ncols=1,
            borderaxespad=0.0,
        )


def _short(value: float) -> str:
    """Three digits with k, M or G."""
    for unit, name in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= unit:
            return f"{value / unit:.3g}{name}"
    return f"{value:.3g}"
