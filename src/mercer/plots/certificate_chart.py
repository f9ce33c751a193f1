"""Everything that is known about one model's error, on one axis."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from textwrap import fill
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.bounds import Certificate, names_a_rate
from mercer.bounds.numerics import clopper_lower, clopper_upper
from mercer.bounds.words import confidence
from mercer.plots import _style
from mercer.plots._margins import machine

BOUND, ESTIMATE, TRUTH, BAR = "#0072B2", "#009E73", "#D55E00", "#CC79A7"
GREY = "#b9b9b9"
_LABEL_WIDTH = 42
_TICKS = (0, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)


class CertificateDisplay:
    """Bounds as intervals, estimates as hollow diamonds, the test error as a line.

    Parameters
    ----------
    certificates : mapping or iterable of Certificate
        What to show; a mapping's keys are not used.
    chosen : str, optional
        Code of the certificate decided on in advance; it is set in bold.
    truth : float, optional
        Test error, or the true error where the law is known.
    test_rows : int, optional
        Number of test rows behind ``truth``; draws the exact 95 % interval around it.
    bar : float, optional
        The 80/20 hold-out limit on the same rows, the yardstick of every other number.
    """

    def __init__(
        self,
        certificates: Mapping[str, Certificate] | Iterable[Certificate],
        *,
        chosen: str | None = None,
        truth: float | None = None,
        test_rows: int | None = None,
        bar: float | None = None,
    ) -> None:
        given = certificates.values() if isinstance(certificates, Mapping) else certificates
        shown = list(given)
        if not shown:
            raise ValueError("there is no certificate to show")
        if len({names_a_rate(c.quantity) for c in shown}) > 1:
            raise ValueError("error rates and mean losses do not share an axis; show one of them")
        # the tightest on top; estimates, which promise nothing, below all bounds
        self.certificates = sorted(shown, key=lambda c: (c.kind == "estimate", c.unclipped))
        self.chosen, self.truth, self.test_rows, self.bar = chosen, truth, test_rows, bar

    @classmethod
    def from_estimator(cls, estimator: object, *, ax: Any = None, **options: Any) -> Any:
        """Draw ``certificates_`` of a fitted estimator (the last step of a pipeline will do).

        ``options`` are those of the class (``truth``, ``test_rows``, ``bar``) and of `plot`.
        """
        holder = estimator if hasattr(estimator, "certificates_") else machine(estimator)
        found = getattr(holder, "certificates_", None)
        if not found:
            raise TypeError(
                f"{type(holder).__name__} carries no certificates_; use mercer.certified_fit, or "
                "mercer.certify with fresh rows"
            )
        chosen = getattr(holder, "certificate_", None)
        own = {k: options.pop(k) for k in ("truth", "test_rows", "bar") if k in options}
        one = {names_a_rate(c.quantity) for c in ([chosen] if chosen else found.values())}.pop()
        shown = [c for c in found.values() if names_a_rate(c.quantity) == one]
        if chosen is not None and chosen.code not in {c.code for c in shown}:
            shown.append(chosen)
        code = None if chosen is None else chosen.code
        return cls(shown, chosen=code, **own).plot(ax=ax, **options)

    def frame(self) -> dict[str, NDArray[Any]]:
        """One entry per certificate, in the order drawn from the top."""
        facts = ("code", "title", "kind", "classifier", "value", "unclipped", "vacuous")
        data = {name: np.array([getattr(c, name) for c in self.certificates]) for name in facts}
        for name in ("lower", "observed", "delta"):
            column = [getattr(c, name) for c in self.certificates]
            data[name] = np.array([np.nan if v is None else v for v in column], dtype=float)
        return data

    def plot(
        self, ax: Any = None, *, title: str = "How wrong can it be?", limit: float | None = None
    ) -> CertificateDisplay:
        """Draw on ``ax`` (or on a new figure); sets ``ax_`` and ``figure_``.

        ``limit`` is the right end of the axis; values beyond it get an arrow.
        """
        rows = len(self.certificates)
        self.ax_ = _style.new_axes(ax, (9.6, 1.3 + 0.42 * rows))
        self.figure_ = self.ax_.figure
        self.limit_ = self._limit() if limit is None else limit
        for place, certificate in enumerate(self.certificates):
            self._draw_row(place, certificate)
        self._draw_lines()
        self._label_rows()
        _style.tidy(self.ax_, "", self._axis_label())
        self.ax_.set_title(title, loc="left", fontsize=11, fontweight="bold", pad=26)
        self._legend()
        return self

    # -- parts -------------------------------------------------------------------------------------

    def _limit(self) -> float:
        """Room for every informative number; the vacuous ones end in an arrow."""
        low, high = self.certificates[0].loss_range
        known = [c.value for c in self.certificates if not c.vacuous and c.value < high]
        known += [v for v in (self.truth, self.bar) if v is not None]
        return min(high, 1.15 * max(known)) if known and max(known) > low else high

    def _draw_row(self, place: int, c: Certificate) -> None:
        beyond = c.value > self.limit_ or c.vacuous
        end = self.limit_ if beyond else c.value
        if c.kind == "estimate":
            self.ax_.plot(
                end, place, "D", ms=6.5, mfc="white", mec=ESTIMATE, mew=1.6, zorder=4, clip_on=False
            )
        else:
            colour = GREY if c.vacuous else BOUND
            start = next(v for v in (c.lower, c.observed, c.loss_range[0]) if v is not None)
            dashes = (0, (2, 1.2)) if c.kind == "conditional" else "-"
            width = 6 if c.code == self.chosen else 3.6
            self.ax_.plot(
                [min(start, end), end],
                [place, place],
                color=_style.paler(colour, 0.45),
                lw=width,
                ls=dashes,
                solid_capstyle="butt",
                zorder=3,
            )
            if c.observed is not None and c.observed <= self.limit_:
                self.ax_.plot(c.observed, place, "o", ms=3.6, color=colour, zorder=4)
            mark = ">" if beyond else "|"
            size = 7 if beyond else 13
            self.ax_.plot(end, place, mark, ms=size, mew=2.4, color=colour, zorder=5, clip_on=False)
        self._write_value(place, c)

    def _write_value(self, place: int, c: Certificate) -> None:
        text = self._number(c.unclipped if c.vacuous else c.value)
        if c.vacuous:
            text = "vacuous" if c.unclipped <= c.loss_range[1] else f"vacuous ({text})"
        elif c.kind == "estimate":
            text = f"≈ {text}"
        self.ax_.annotate(
            text,
            (1.0, place),
            xycoords=("axes fraction", "data"),
            xytext=(14, 0),
            textcoords="offset points",
            va="center",
            fontsize=9,
            color=_style.FAINT if c.vacuous else _style.INK,
            fontweight="bold" if c.code == self.chosen else "normal",
        )

    def _draw_lines(self) -> None:
        if self.truth is not None:
            if self.test_rows:
                errors = round(self.truth * self.test_rows)
                ends = (
                    clopper_lower(errors, self.test_rows, 0.025),
                    clopper_upper(errors, self.test_rows, 0.025),
                )
                self.ax_.axvspan(*ends, color=TRUTH, alpha=0.12, lw=0, zorder=0)
            self.ax_.axvline(self.truth, color=TRUTH, lw=1.6, zorder=2)
        if self.bar is not None:
            self.ax_.axvline(self.bar, color=BAR, lw=1.4, ls=(0, (4, 2)), zorder=2)

    def _label_rows(self) -> None:
        places = range(len(self.certificates))
        self.ax_.set_yticks(places, [_name(c) for c in self.certificates])
        for label, c in zip(self.ax_.get_yticklabels(), self.certificates, strict=True):
            label.set_color(_style.FAINT if c.vacuous else _style.INK)
            label.set_fontweight("bold" if c.code == self.chosen else "normal")
        self.ax_.tick_params(axis="y", length=0)
        for place in places:
            self.ax_.axhline(place, color="#eeeeee", lw=0.8, zorder=0)
        split = sum(c.kind != "estimate" for c in self.certificates)
        if 0 < split < len(self.certificates):
            self.ax_.axhline(split - 0.5, color=GREY, lw=0.8, ls=":")
        self.ax_.set_ylim(len(self.certificates) - 0.4, -0.6)
        self.ax_.set_xlim(self.certificates[0].loss_range[0], self.limit_)
        if not self._loss():
            # the square root gives small rates, which are the interesting ones, the room they need
            self.ax_.set_xscale("function", functions=(_root, np.square))
            self.ax_.set_xticks(_ticks(self.limit_))
            self.ax_.set_xlim(0.0, self.limit_)
            self.ax_.xaxis.set_major_formatter(lambda value, _: f"{100 * value:g} %")

    def _legend(self) -> None:
        from matplotlib.lines import Line2D

        kinds = {c.kind for c in self.certificates}
        pale = _style.paler(BOUND, 0.45)
        handles = []
        if kinds - {"estimate"}:
            handles.append(Line2D([], [], color=pale, lw=4, marker="|", ms=11, mew=2.4, mec=BOUND))
            handles[-1].set_label("bound: seen (dot) to limit")
        if any(c.vacuous for c in self.certificates):
            grey = _style.paler(GREY, 0.45)
            handles.append(Line2D([], [], color=grey, lw=4, marker=">", ms=6, mec=GREY, mfc=GREY))
            handles[-1].set_label("vacuous")
        if "estimate" in kinds:
            handles.append(Line2D([], [], ls="", marker="D", mfc="white", mec=ESTIMATE, mew=1.6))
            handles[-1].set_label("estimate, no guarantee")
        if self.truth is not None:
            where = "test error" if self.test_rows else "true error"
            label = f"{where} {self._number(self.truth)}"
            handles.append(Line2D([], [], color=TRUTH, lw=1.6, label=label))
        if self.bar is not None:
            label = f"80/20 hold-out {self._number(self.bar)}"
            handles.append(Line2D([], [], color=BAR, lw=1.4, ls=(0, (4, 2)), label=label))
        self.ax_.legend(
            handles=handles,
            loc="lower left",
            bbox_to_anchor=(-0.01, 1.0),
            ncols=5,
            frameon=False,
            fontsize=8,
            handlelength=1.8,
            columnspacing=1.2,
            borderaxespad=0.1,
        )

    def _loss(self) -> bool:
        return not names_a_rate(self.certificates[0].quantity)

    def _number(self, value: float) -> str:
        return f"{value:.3g}" if self._loss() else f"{100 * value:.3g} %"

    def _axis_label(self) -> str:
        deltas = {c.delta for c in self.certificates if c.delta is not None}
        sure = f", each bound with confidence {confidence(deltas.pop())}" if deltas else ""
        return ("mean loss" if self._loss() else "error rate") + sure


def _root(values: ArrayLike) -> Any:
    return np.sqrt(np.maximum(values, 0.0))


def _ticks(limit: float) -> list[float]:
    """Round numbers up to ``limit`` that do not crowd each other under the square root."""
    kept = [0.0]
    for tick in _TICKS[1:]:
        if tick <= 1.001 * limit and _root(tick) - _root(kept[-1]) > 0.07 * _root(limit):
            kept.append(tick)
    return kept


def _name(c: Certificate) -> str:
    """The title, and whom it speaks about when that is not simply the model's error rate."""
    who = {"gibbs": "randomised", "mixture": "mixture", "vote": "vote", "one-of": "best model"}
    notes = [who[c.classifier]] if c.classifier in who else []
    if c.quantity not in ("error rate", "mean loss"):
        notes.append(c.quantity)
    if c.kind == "conditional":
        notes.append("under an assumption")
    if c.uncovered:
        notes.append("choices not covered")
    if c.found:
        notes.append("checks failed")
    title = c.title[0].upper() + c.title[1:] if c.title[0].isascii() else c.title
    fresh = [note for note in notes if note not in title]
    return fill(f"{title} ({', '.join(fresh)})" if fresh else title, _LABEL_WIDTH)
