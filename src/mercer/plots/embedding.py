"""Points of an embedding, and the spectrum behind it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.plots import _style


class EmbeddingDisplay:
    """Two coordinates of every row, coloured by group.

    Parameters
    ----------
    points : array-like of shape (n, 1 or more)
        Coordinates; the first two are drawn.
    groups : array-like of shape (n,), optional
        Colour.
    names : tuple of str, default=("first", "second")
        Of the axes.
    """

    def __init__(
        self,
        *,
        points: ArrayLike,
        groups: ArrayLike | None = None,
        names: tuple[str, str] = ("first coordinate", "second coordinate"),
    ) -> None:
        points = np.asarray(points, dtype=float)
        if points.ndim != 2 or points.shape[1] < 1:
            raise ValueError(f"points form a table, one row each; got shape {points.shape}")
        self.points = points
        self.groups = None if groups is None else np.asarray(groups)
        if self.groups is not None and len(self.groups) != len(points):
            raise ValueError(f"{len(self.groups)} groups for {len(points)} points")
        self.names = names

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any = None, groups: ArrayLike | None = None, *, ax: Any = None
    ) -> EmbeddingDisplay:
        """Of a fitted embedding; X only where it keeps no points of its own."""
        points = getattr(estimator, "embedding_", None)
        if points is None:
            if X is None:
                raise ValueError(f"{type(estimator).__name__} keeps no points: pass X")
            points = estimator.transform(X)
        display = cls(points=points, groups=groups)
        display.plot(ax)
        return display

    def plot(self, ax: Any = None) -> EmbeddingDisplay:
        """Draw."""
        self.ax_ = ax = _style.new_axes(ax, (5.5, 4.5))
        self.figure_ = ax.figure
        second = self.points[:, 1] if self.points.shape[1] > 1 else np.zeros(len(self.points))
        labels = np.zeros(len(self.points)) if self.groups is None else self.groups
        for i, name in enumerate(np.unique(labels)):
            rows = labels == name
            ax.scatter(
                self.points[rows, 0],
                second[rows],
                s=14,
                color=_style.class_colour(i),
                marker=_style.class_marker(i),
                alpha=0.8,
                label=str(name),
            )
        if self.groups is not None:
            ax.legend(frameon=False, fontsize=9)
        _style.tidy(ax, "Embedding", *self.names)
        return self

    def frame(self) -> dict[str, NDArray[Any]]:
        """Every number shown."""
        table: dict[str, NDArray[Any]] = {
            f"x{j + 1}": self.points[:, j] for j in range(min(2, self.points.shape[1]))
        }
        return table if self.groups is None else {**table, "group": self.groups}


class SpectrumDisplay:
    """Eigenvalues in order, with the gap that was used marked.

    Parameters
    ----------
    values : array-like
        Eigenvalues in the order of the method.
    used : int, optional
        How many of them were used.
    """

    def __init__(self, *, values: ArrayLike, used: int | None = None) -> None:
        self.values = np.asarray(values, dtype=float)
        if self.values.ndim != 1 or not len(self.values):
            raise ValueError("a spectrum is a list of numbers")
        self.used = used

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> SpectrumDisplay:
        """Of anything with ``eigenvalues_``."""
        used = getattr(estimator, "n_clusters_", None)
        display = cls(values=estimator.eigenvalues_, used=used)
        display.plot(ax)
        return display

    def plot(self, ax: Any = None) -> SpectrumDisplay:
        """Draw."""
        self.ax_ = ax = _style.new_axes(ax, (5.0, 3.5))
        self.figure_ = ax.figure
        place = np.arange(1, len(self.values) + 1)
        ax.plot(place, self.values, "o-", color=_style.class_colour(0), markersize=5)
        if self.used is not None and self.used < len(self.values):
            ax.axvspan(self.used, self.used + 1, color=_style.FAINT, alpha=0.25)
            ax.annotate("gap", (self.used + 0.5, ax.get_ylim()[1]), ha="center", va="top")
        _style.tidy(ax, "Spectrum", "number", "eigenvalue")
        return self

    def frame(self) -> dict[str, NDArray[Any]]:
        """Every number shown."""
        return {"number": np.arange(1, len(self.values) + 1), "eigenvalue": self.values}
