"""Log evidence of a Gaussian process over two of its hyper-parameters."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.plots import _style

Floats = NDArray[np.float64]


class EvidenceSurfaceDisplay:
    """Contours of the log evidence; the maximum of the grid is marked.

    Parameters
    ----------
    first, second : ndarray
        Values of the two parameters.
    values : ndarray of shape (len(second), len(first))
    names : pair of str
    """

    def __init__(
        self, *, first: Floats, second: Floats, values: Floats, names: tuple[str, str]
    ) -> None:
        self.first = first
        self.second = second
        self.values = values
        self.names = names

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        first: ArrayLike,
        second: ArrayLike,
        *,
        names: tuple[str, str] | None = None,
        ax: Any = None,
        **style: Any,
    ) -> EvidenceSurfaceDisplay:
        """Evaluate the evidence of a fitted process over two entries of ``theta_names_``.

        All other parameters stay as learned. By default the first two are varied.
        """
        own = list(estimator.theta_names_)
        names = (own[0], own[1]) if names is None else names
        for name in names:
            if name not in own:
                raise ValueError(f"{name!r} is not a parameter of the model; it has {own}")
        x, y = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
        values = np.empty((len(y), len(x)))
        theta = np.array(estimator.theta_, dtype=float)
        for i, b in enumerate(y):
            for j, a in enumerate(x):
                theta[own.index(names[0])] = np.log(a)
                theta[own.index(names[1])] = np.log(b)
                values[i, j] = estimator.log_marginal_likelihood(theta)
        return cls(first=x, second=y, values=values, names=names).plot(ax=ax, **style)

    def frame(self) -> dict[str, Floats]:
        """The grid in long form."""
        a, b = np.meshgrid(self.first, self.second)
        return {self.names[0]: a.ravel(), self.names[1]: b.ravel(), "value": self.values.ravel()}

    def best(self) -> tuple[float, float, float]:
        """Both parameters and the log evidence at the largest value of the grid."""
        i, j = np.unravel_index(int(np.argmax(self.values)), self.values.shape)
        return float(self.first[j]), float(self.second[i]), float(self.values[i, j])

    def plot(
        self, ax: Any = None, *, levels: int = 20, depth: float = 10.0, title: str = "Log evidence"
    ) -> EvidenceSurfaceDisplay:
        """Draw on ``ax`` (or on a new figure); values more than ``depth`` below the best are cut.

        Sets ``ax_`` and ``figure_``.
        """
        self.ax_ = _style.new_axes(ax, (6.0, 4.4))
        self.figure_ = self.ax_.figure
        x, y, top = self.best()
        shown = np.maximum(self.values, top - depth)
        steps = np.linspace(top - depth, top, levels)
        filled = self.ax_.contourf(self.first, self.second, shown, levels=steps, cmap="Blues")
        self.ax_.contour(
            self.first, self.second, shown, levels=steps, colors=_style.FAINT, linewidths=0.4
        )
        self.ax_.plot(x, y, "*", ms=12, color=_style.class_colour(5))
        self.ax_.annotate(
            f"{top:.2f}", (x, y), xytext=(8, 6), textcoords="offset points", fontsize=9
        )
        self.figure_.colorbar(filled, ax=self.ax_, shrink=0.85)
        _style.tidy(self.ax_, title, self.names[0], self.names[1])
        return self
