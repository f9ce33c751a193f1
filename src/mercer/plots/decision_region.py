"""The plane as a classifier sees it: regions, decision line, margins, support vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.ndimage import gaussian_filter

from mercer.plots import _style
from mercer.plots._margins import (
    Array,
    accuracy,
    categorise,
    class_index,
    margins,
    outputs,
    right_or_wrong,
    support_mask,
)


class DecisionRegionDisplay:
    """Decision regions of a classifier of points in the plane.

    With two classes the shading is the decision value, the solid line is f = 0 and the dashed lines
    are the margins f = ±1. A ring around a point tells where it lies with respect to its margin.

    Parameters
    ----------
    xx, yy : ndarray of shape (rows, columns)
        Grid of the plane.
    response : ndarray of shape (rows, columns)
        Decision value (two classes) or number of the predicted class (more).
    X : ndarray of shape (n, 2)
        The points shown.
    y : ndarray of shape (n,)
        Number of each point's class.
    classes : sequence
        Names of the classes.
    category : ndarray of str of shape (n,)
        Where each point lies with respect to its margin; with several classes, whether it is
        classified correctly.
    support : ndarray of bool of shape (n,)
        Which points are support vectors.
    feature_names : tuple of str
        Names of the two axes.
    """

    def __init__(
        self,
        *,
        xx: Array,
        yy: Array,
        response: Array,
        X: Array,
        y: NDArray[np.intp],
        classes: tuple[Any, ...],
        category: NDArray[np.str_],
        support: NDArray[np.bool_],
        feature_names: tuple[str, str] = ("first feature", "second feature"),
    ) -> None:
        self.xx, self.yy, self.response = xx, yy, response
        self.X, self.y, self.classes = X, y, classes
        self.category, self.support = category, support
        self.feature_names = feature_names

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: ArrayLike,
        y: ArrayLike,
        *,
        grid: int = 250,
        border: float = 0.12,
        feature_names: tuple[str, str] = ("first feature", "second feature"),
        ax: Any = None,
        **style: Any,
    ) -> DecisionRegionDisplay:
        """Evaluate a fitted classifier on a grid around ``X`` and draw it.

        Pass the training data: support vectors are looked up by their row number.
        """
        points = np.asarray(X, dtype=float)
        if points.ndim != 2 or points.shape[1] != 2:
            raise ValueError(
                f"regions are drawn in the plane: X must be (n, 2), got {points.shape}"
            )
        low, high = points.min(axis=0), points.max(axis=0)
        pad = border * np.where(high > low, high - low, 1.0)
        axes = [np.linspace(a, b, grid) for a, b in zip(low - pad, high + pad, strict=True)]
        xx, yy = np.meshgrid(*axes)
        plane = np.column_stack([xx.ravel(), yy.ravel()])
        if len(estimator.classes_) == 2:
            response = outputs(estimator, plane)
        else:
            response = class_index(estimator, estimator.predict(plane)).astype(float)
        display = cls(
            xx=xx,
            yy=yy,
            response=response.reshape(xx.shape),
            X=points,
            y=class_index(estimator, y),
            classes=tuple(np.asarray(estimator.classes_).tolist()),
            category=(
                categorise(margins(estimator, points, y), accuracy(estimator))
                if len(estimator.classes_) == 2
                else right_or_wrong(estimator, points, y)
            ),
            support=support_mask(estimator, len(points)),
            feature_names=feature_names,
        )
        return display.plot(ax=ax, **style)

    def plot(
        self, ax: Any = None, *, title: str = "Decision regions", legend: bool = True
    ) -> DecisionRegionDisplay:
        """Draw on ``ax`` (or on a new figure); sets ``ax_`` and ``figure_``."""
        self.ax_ = _style.new_axes(ax, (7.0, 5.2))
        self.figure_ = self.ax_.figure
        if len(self.classes) == 2:
            self._draw_two_classes()
        else:
            self._draw_many_classes()
        self._draw_points()
        _style.tidy(self.ax_, title, *self.feature_names)
        if legend:
            self.ax_.legend(
                loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=8.5
            )
        return self

    def frame(self) -> dict[str, NDArray[Any]]:
        """Everything shown, as arrays."""
        return {
            "xx": self.xx,
            "yy": self.yy,
            "response": self.response,
            "X": self.X,
            "y": np.asarray(self.classes)[self.y],
            "category": self.category,
            "support": self.support,
        }

    def _draw_two_classes(self) -> None:
        from matplotlib.colors import LinearSegmentedColormap

        ends = [_style.paler(_style.class_colour(number), 0.42) for number in (0, 1)]
        shades = LinearSegmentedColormap.from_list("two", [ends[0], (1.0, 1.0, 1.0), ends[1]])
        # Beyond one and a half margins every point is certain enough to look the same.
        self._fill(self.response, "bilinear", cmap=shades, vmin=-1.5, vmax=1.5)
        lines = {0.0: ("-", 1.8, "decision line, f = 0"), 1.0: ("--", 1.0, "margins, f = ±1")}
        for level, (dashes, width, label) in lines.items():
            levels = sorted({-level, level})
            if self.response.min() < levels[-1] and self.response.max() > levels[0]:
                self.ax_.contour(
                    self.xx,
                    self.yy,
                    self.response,
                    levels=levels,
                    colors=_style.INK,
                    linestyles=dashes,
                    linewidths=width,
                )
                self.ax_.plot([], [], dashes, color=_style.INK, lw=width, label=label)

    def _fill(self, values: Array, interpolation: str, **colours: Any) -> None:
        extent = (self.xx.min(), self.xx.max(), self.yy.min(), self.yy.max())
        self.ax_.imshow(
            values,
            origin="lower",
            extent=extent,
            aspect="auto",
            interpolation=interpolation,
            zorder=0,
            **colours,
        )

    def _draw_many_classes(self) -> None:
        from matplotlib.colors import ListedColormap

        numbers = range(len(self.classes))
        shades = ListedColormap([_style.paler(_style.class_colour(i), 0.25) for i in numbers])
        self._fill(self.response, "nearest", cmap=shades, vmin=-0.5, vmax=len(self.classes) - 0.5)
        for number in numbers:
            # A step from 0 to 1 would give a line with teeth; a little blur makes it smooth.
            member = gaussian_filter((self.response == number).astype(float), 1.5)
            if 0.0 < member.mean() < 1.0:
                self.ax_.contour(
                    self.xx, self.yy, member, levels=[0.5], colors=_style.INK, linewidths=0.9
                )

    def _draw_points(self) -> None:
        for number, name in enumerate(self.classes):
            here = self.y == number
            self.ax_.scatter(
                *self.X[here].T,
                s=20,
                marker=_style.class_marker(number),
                color=_style.class_colour(number),
                edgecolors="white",
                linewidths=0.4,
                zorder=3,
                label=f"class {name} ({here.sum()})",
            )
        for kind in _style.CATEGORIES[1:]:
            here = self.category == kind
            if here.any():
                self._ring(here, _style.CATEGORY_COLOURS[kind], f"{kind} ({here.sum()})")
        if self.support.any():
            self.ax_.scatter(
                *self.X[self.support].T,
                s=3.5,
                color=_style.INK,
                linewidths=0,
                zorder=5,
                label=f"support vector ({self.support.sum()})",
            )

    def _ring(self, here: NDArray[np.bool_], colour: str, label: str) -> None:
        self.ax_.scatter(
            *self.X[here].T,
            s=58,
            facecolors="none",
            edgecolors=colour,
            linewidths=1.5,
            zorder=4,
            label=label,
        )
