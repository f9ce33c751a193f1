"""Losses as curves over the margin or the residual."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.losses import Loss, get_loss
from mercer.plots import _style

Floats = NDArray[np.float64]


class LossDisplay:
    """ℓ(f, y) of several losses: over the margin y f for labels, over f − y for numbers.

    Parameters
    ----------
    losses : sequence of str or Loss
        All for labels or all for numbers.
    at : array-like, default=None
        Margins or residuals; None takes 401 values from −2.5 to 2.5.
    """

    def __init__(
        self,
        *,
        losses: Sequence[str | Loss] = ("zero_one", "hinge", "squared_hinge", "logistic"),
        at: ArrayLike | None = None,
    ) -> None:
        self.losses = [get_loss(loss) for loss in losses]
        tasks = {loss.task for loss in self.losses}
        if len(tasks) != 1:
            raise ValueError("losses of labels and of numbers have no common axis: choose one kind")
        self.task = tasks.pop()
        self.at: Floats = np.linspace(-2.5, 2.5, 401) if at is None else np.asarray(at, dtype=float)

    def frame(self) -> dict[str, Floats]:
        """The curves, by their loss."""
        truth = 1.0 if self.task == "classification" else 0.0
        values = {str(loss): np.asarray(loss.value(self.at, truth)) for loss in self.losses}
        return {"margin" if truth else "residual": self.at} | values

    def plot(self, ax: Any = None, *, title: str = "Losses") -> LossDisplay:
        """Draw on ``ax`` (or on a new figure); sets ``ax_`` and ``figure_``."""
        self.ax_ = _style.new_axes(ax, (6.0, 4.0))
        self.figure_ = self.ax_.figure
        table = self.frame()
        for i, (name, curve) in enumerate(list(table.items())[1:]):
            self.ax_.plot(self.at, curve, color=_style.class_colour(i), lw=1.6, label=name)
        self.ax_.legend(frameon=False, fontsize=9)
        label = "margin y f" if self.task == "classification" else "residual f − y"
        _style.tidy(self.ax_, title, label, "loss")
        return self
