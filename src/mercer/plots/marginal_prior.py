"""The prior of a relevance vector machine's weight with its variance integrated out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.learners.bayes.inference import weight_log_prior
from mercer.plots import _style

Floats = NDArray[np.float64]


class MarginalPriorDisplay:
    """ln p(w) for Gamma(a, scale b) priors on the precision: the sharper, the sparser.

    Parameters
    ----------
    w : ndarray
        Weights.
    settings : list of pairs (a, b)
    """

    def __init__(
        self,
        *,
        w: ArrayLike | None = None,
        settings: tuple[tuple[float, float], ...] = ((1e-2, 1e2), (1e-3, 1e3), (1e-4, 1e4)),
    ) -> None:
        self.w: Floats = np.linspace(-2, 2, 401) if w is None else np.asarray(w, dtype=float)
        self.settings = settings

    def frame(self) -> dict[str, Floats]:
        """The curves, by their setting."""
        table = {"w": self.w}
        for a, b in self.settings:
            table[f"a={a:g}, b={b:g}"] = weight_log_prior(self.w, a, b)
        return table

    def plot(
        self, ax: Any = None, *, title: str = "Marginal prior of a weight"
    ) -> MarginalPriorDisplay:
        """Draw on ``ax`` (or on a new figure); sets ``ax_`` and ``figure_``."""
        self.ax_ = _style.new_axes(ax, (6.0, 4.0))
        self.figure_ = self.ax_.figure
        table = self.frame()
        for i, (name, curve) in enumerate(list(table.items())[1:]):
            self.ax_.plot(self.w, curve, color=_style.class_colour(i), lw=1.6, label=name)
        self.ax_.legend(frameon=False, fontsize=9)
        _style.tidy(self.ax_, title, "w", "ln p(w)")
        return self
