"""Which letters of a sequence speak for a prediction."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.kernels import contributions
from mercer.plots import _style
from mercer.plots._margins import machine

LETTERS = 80  # in a row


class SequenceContributionsDisplay:
    """Bars over the symbols of one sequence: their shares in the output of a machine.

    Parameters
    ----------
    sequence : str or sequence of tokens
    shares : ndarray of shape (len(sequence),)
        From `mercer.kernels.contributions`.
    classes : pair of labels, optional
        Whom negative and positive shares speak for.
    """

    def __init__(self, *, sequence: Any, shares: NDArray[Any], classes: Any = None) -> None:
        self.sequence = [str(symbol) for symbol in sequence]
        self.shares = np.asarray(shares, dtype=float)
        if len(self.shares) != len(self.sequence):
            raise ValueError(f"{len(self.shares)} shares for {len(self.sequence)} symbols")
        self.classes = classes

    @classmethod
    def from_estimator(
        cls, estimator: object, sequence: Any, *, ax: Any = None, **style: Any
    ) -> SequenceContributionsDisplay:
        """Draw the shares of one sequence in the output of a fitted two-class machine."""
        fitted = machine(estimator)
        if len(getattr(fitted, "classes_", [0, 1])) > 2:
            raise ValueError("shares are drawn for two classes: fit one class against the rest")
        coef = np.asarray(fitted.dual_coef_, dtype=float).ravel()
        shares = contributions(fitted.kernel_, fitted.support_vectors_, coef, sequence)
        classes = getattr(fitted, "classes_", None)
        return cls(sequence=sequence, shares=shares, classes=classes).plot(ax=ax, **style)

    def plot(self, ax: Any = None) -> SequenceContributionsDisplay:
        """Draw on ``ax``, or on a new figure."""
        import matplotlib.pyplot as plt

        if ax is None:
            width = min(12.0, 1.5 + 0.16 * len(self.sequence))
            _, ax = plt.subplots(figsize=(width, 2.2), layout="constrained")
        places = np.arange(len(self.sequence))
        colours = [_style.class_colour(int(share > 0)) for share in self.shares]
        ax.bar(places, self.shares, color=colours, width=0.9)
        ax.axhline(0.0, color=_style.INK, lw=0.6)
        if len(self.sequence) <= LETTERS:
            ax.set_xticks(places, self.sequence, fontsize=8, family="monospace")
            ax.tick_params(axis="x", length=0)
        else:
            ax.set_xlabel("position")
        ax.set_ylabel("share")
        if self.classes is not None:
            ax.set_title(
                f"below: {self.classes[0]}, above: {self.classes[1]}", fontsize=9, loc="left"
            )
        self.ax_ = ax
        return self

    def frame(self) -> dict[str, list[Any]]:
        """Every number shown."""
        return {"symbol": self.sequence, "share": self.shares.tolist()}
