"""The probability of a class over the plane."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.plots import _style
from mercer.plots._planes import draw_points, plane_mesh

Floats = NDArray[np.float64]


class ProbabilityDisplay:
    """Shades of P(class | x) with its contours, and the rows.

    Parameters
    ----------
    x, y : ndarray of shape (m,)
        The axes of the mesh.
    probability : ndarray of shape (m, m)
        Of one class, rows along ``y``.
    points, labels : arrays, default=None
        Rows to draw on it.
    name : str, default=""
        Of the class.
    """

    def __init__(
        self,
        *,
        x: ArrayLike,
        y: ArrayLike,
        probability: ArrayLike,
        points: ArrayLike | None = None,
        labels: ArrayLike | None = None,
        name: str = "",
    ) -> None:
        self.x, self.y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
        self.probability: Floats = np.asarray(probability, dtype=float)
        self.points = None if points is None else np.asarray(points, dtype=float)
        self.labels = labels
        self.name = name

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: ArrayLike,
        y: ArrayLike | None = None,
        *,
        target: ArrayLike | None = None,
        resolution: int = 120,
        ax: Any = None,
        **style: Any,
    ) -> ProbabilityDisplay:
        """Draw ``predict_proba`` of a fitted classifier of two columns.

        ``target`` is the class shown; the second one by default.
        """
        if not hasattr(estimator, "predict_proba"):
            raise ValueError(f"{type(estimator).__name__} states no probabilities")
        points = np.asarray(X, dtype=float)
        across, up, mesh = plane_mesh(points, resolution)
        classes = list(estimator.classes_)
        target = classes[1] if target is None else target
        if target not in classes:
            raise ValueError(f"target must be one of {classes}, got {target!r}")
        values = estimator.predict_proba(mesh)[:, classes.index(target)]
        display = cls(
            x=across,
            y=up,
            probability=values.reshape(resolution, resolution),
            points=points,
            labels=y,
            name=str(target),
        )
        return display.plot(ax=ax, **style)

    def frame(self) -> dict[str, Floats]:
        """The mesh and the probabilities, as columns."""
        across, up = np.meshgrid(self.x, self.y)
        return {"x": across.ravel(), "y": up.ravel(), "probability": self.probability.ravel()}

    def plot(self, ax: Any = None, *, title: str = "") -> ProbabilityDisplay:
        """Draw on ``ax`` (or on a new figure); sets ``ax_`` and ``figure_``."""
        self.ax_ = _style.new_axes(ax, (5.6, 4.4))
        self.figure_ = self.ax_.figure
        extent = (self.x[0], self.x[-1], self.y[0], self.y[-1])
        shades = self.ax_.imshow(
            self.probability, extent=extent, origin="lower", vmin=0, vmax=1, cmap="cividis",
            aspect="auto",
        )  # fmt: skip
        levels = [0.1, 0.25, 0.5, 0.75, 0.9]
        if np.ptp(self.probability) > 0:
            lines = self.ax_.contour(
                self.x, self.y, self.probability, levels, colors="white", linewidths=0.8
            )
            self.ax_.clabel(lines, fontsize=7)
        if self.points is not None:
            draw_points(self.ax_, self.points, self.labels)
        self.figure_.colorbar(shades, ax=self.ax_, label=f"P({self.name or 'class'} | x)")
        _style.tidy(self.ax_, title or "Probability", "", "")
        return self
