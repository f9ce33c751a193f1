"""Rows seen along the direction that a machine decides by."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.plots import _style
from mercer.plots._planes import draw_points

Floats = NDArray[np.float64]


class ProjectionDisplay:
    """Outputs of a two-class machine across, and what they do not see upwards.

    Upwards is the principal direction of the rows after what a line in the outputs explains was
    taken out of every column: two classes that overlap across but not upwards are not told apart
    by the machine though they could be.

    Parameters
    ----------
    across, up : ndarray of shape (n,)
        Coordinates of the rows.
    labels : array-like of shape (n,), default=None
        Their classes.
    """

    def __init__(
        self, *, across: ArrayLike, up: ArrayLike, labels: ArrayLike | None = None
    ) -> None:
        self.across, self.up = np.asarray(across, dtype=float), np.asarray(up, dtype=float)
        self.labels = None if labels is None else np.asarray(labels)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: ArrayLike,
        y: ArrayLike | None = None,
        *,
        ax: Any = None,
        **style: Any,
    ) -> ProjectionDisplay:
        """Draw ``decision_function`` of a fitted two-class model against the rest of the rows."""
        rows = np.asarray(X, dtype=float)
        outputs = np.asarray(estimator.decision_function(X), dtype=float)
        if outputs.ndim != 1:
            raise ValueError("a projection has one output: ask about one class against the rest")
        return cls(across=outputs, up=residual_direction(rows, outputs), labels=y).plot(
            ax=ax, **style
        )

    def frame(self) -> dict[str, NDArray[Any]]:
        """The coordinates, and the classes if there are."""
        table: dict[str, NDArray[Any]] = {"output": self.across, "rest": self.up}
        return table if self.labels is None else table | {"class": self.labels}

    def plot(self, ax: Any = None, *, title: str = "Along the decision") -> ProjectionDisplay:
        """Draw on ``ax`` (or on a new figure); sets ``ax_`` and ``figure_``."""
        self.ax_ = _style.new_axes(ax, (5.6, 4.2))
        self.figure_ = self.ax_.figure
        draw_points(self.ax_, np.column_stack([self.across, self.up]), self.labels)
        self.ax_.axvline(0.0, color=_style.INK, lw=1.0)
        for place in (-1.0, 1.0):
            self.ax_.axvline(place, color=_style.FAINT, lw=0.8, ls="--")
        if self.labels is not None:
            self.ax_.legend(frameon=False, fontsize=8)
        _style.tidy(self.ax_, title, "output f(x)", "what f does not see")
        return self


def residual_direction(X: Floats, outputs: Floats) -> Floats:
    """First principal scores of the columns less their regression on the outputs."""
    centred = X - X.mean(axis=0)
    f = outputs - outputs.mean()
    size = float(f @ f)
    rest = centred - np.outer(f, f @ centred) / size if size > 0 else centred
    left, singular, _ = np.linalg.svd(rest, full_matrices=False)
    found: Floats = left[:, 0] * singular[0]
    return found if found[int(np.argmax(np.abs(found)))] > 0 else -found
