"""Which inputs matter: 1 / length scale of every column."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.plots import _style


class RelevanceDisplay:
    """Bars of the relevance that automatic relevance determination gave to each input.

    Parameters
    ----------
    relevance : ndarray of shape (n_features,)
        How much the function varies over one standard deviation of the column.
    names : list of str, optional
    """

    def __init__(self, *, relevance: ArrayLike, names: list[str] | None = None) -> None:
        self.relevance: NDArray[np.float64] = np.asarray(relevance, dtype=float)
        count = len(self.relevance)
        self.names = [f"x{i}" for i in range(count)] if names is None else list(names)
        if len(self.names) != count:
            raise ValueError(f"{len(self.names)} names for {count} inputs")

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: ArrayLike | None = None,
        *,
        names: list[str] | None = None,
        ax: Any = None,
        **style: Any,
    ) -> RelevanceDisplay:
        """Draw ``relevance_`` of a fitted Gaussian process, times the spread of X's columns."""
        relevance = np.asarray(estimator.relevance_, dtype=float)
        if X is not None:
            relevance = relevance * np.asarray(X, dtype=float).std(axis=0)
        if names is None and hasattr(estimator, "feature_names_in_"):
            names = [str(name) for name in estimator.feature_names_in_]
        return cls(relevance=relevance, names=names).plot(ax=ax, **style)

    def frame(self) -> dict[str, NDArray[Any]]:
        """Inputs and their relevance, the most relevant first."""
        order = np.argsort(-self.relevance, kind="stable")
        return {"input": np.asarray(self.names)[order], "relevance": self.relevance[order]}

    def plot(self, ax: Any = None, *, title: str = "Relevance of the inputs") -> RelevanceDisplay:
        """Draw on ``ax`` (or on a new figure); sets ``ax_`` and ``figure_``."""
        table = self.frame()
        self.ax_ = _style.new_axes(ax, (6.4, 0.8 + 0.32 * len(self.names)))
        self.figure_ = self.ax_.figure
        places = np.arange(len(self.names))[::-1]
        self.ax_.barh(places, table["relevance"], color=_style.class_colour(0), height=0.65)
        self.ax_.set_yticks(places, table["input"])
        for place, value in zip(places, table["relevance"], strict=True):
            self.ax_.annotate(
                f"{value:.2g}",
                (value, place),
                xytext=(4, 0),
                textcoords="offset points",
                va="center",
                fontsize=8,
                color=_style.INK,
            )
        _style.tidy(self.ax_, title, "1 / length scale", "")
        self.ax_.set_xmargin(0.12)
        self.ax_.autoscale_view()
        return self
