"""Cells of single points: which training point is nearest, and where its class changes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial import Voronoi, cKDTree

from mercer.plots import _style
from mercer.plots._planes import draw_points, plane_mesh


class VoronoiDisplay:
    """The plane cut into cells, each nearer to its point than to any other.

    Borders between cells of different classes, where the nearest neighbour changes its answer, are
    drawn heavier.

    Parameters
    ----------
    points : ndarray of shape (n, 2)
        One cell each; points that coincide share one.
    labels : array-like of shape (n,), default=None
        Their classes.
    """

    def __init__(self, *, points: ArrayLike, labels: ArrayLike | None = None) -> None:
        self.points = np.asarray(points, dtype=float)
        plane_mesh(self.points, 2)
        self.labels = None if labels is None else np.asarray(labels)
        if self.labels is not None and len(self.labels) != len(self.points):
            raise ValueError(f"{len(self.labels)} labels for {len(self.points)} points")

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: ArrayLike,
        y: ArrayLike | None = None,
        *,
        ax: Any = None,
        **style: Any,
    ) -> VoronoiDisplay:
        """Cells of the rows; without ``y`` with the classes that a fitted model gives them."""
        labels = estimator.predict(X) if y is None else y
        return cls(points=X, labels=labels).plot(ax=ax, **style)

    def frame(self) -> dict[str, NDArray[Any]]:
        """Borders: the ends of each, the two points it separates, whether their classes differ.

        Unbounded borders end at a distance of ten times the extent of the points.
        """
        distinct, first = np.unique(self.points, axis=0, return_index=True)
        segments, pairs = [], []
        if len(distinct) >= 4 and np.linalg.matrix_rank(distinct - distinct.mean(axis=0)) == 2:
            found = Voronoi(distinct)
            far = 10.0 * float(np.ptp(distinct, axis=0).max())
            centre = distinct.mean(axis=0)
            for (a, b), ridge in zip(found.ridge_points, found.ridge_vertices, strict=True):
                corners = [found.vertices[v] for v in ridge if v >= 0]
                if len(corners) == 1:  # leaves the picture, away from the middle
                    across = distinct[b] - distinct[a]
                    normal = np.array([-across[1], across[0]]) / np.linalg.norm(across)
                    middle = 0.5 * (distinct[a] + distinct[b])
                    corners.append(
                        corners[0] + far * normal * np.sign((middle - centre) @ normal or 1.0)
                    )
                segments.append(np.concatenate(corners))
                pairs.append((first[a], first[b]))
        places = np.array(pairs, dtype=int).reshape(-1, 2)
        lines = np.array(segments, dtype=float).reshape(-1, 4)
        differ = np.zeros(len(places), dtype=bool)
        if self.labels is not None and len(places):
            differ = self.labels[places[:, 0]] != self.labels[places[:, 1]]
        return {
            "x0": lines[:, 0], "y0": lines[:, 1], "x1": lines[:, 2], "y1": lines[:, 3],
            "point": places[:, 0], "other": places[:, 1], "classes differ": differ,
        }  # fmt: skip

    def nearest(self, X: ArrayLike) -> NDArray[np.intp]:
        """In whose cell rows lie."""
        return np.asarray(cKDTree(self.points).query(np.asarray(X, dtype=float))[1], dtype=np.intp)

    def plot(self, ax: Any = None, *, title: str = "Cells", shade: bool = True) -> VoronoiDisplay:
        """Draw on ``ax`` (or on a new figure); sets ``ax_`` and ``figure_``."""
        from matplotlib.collections import LineCollection

        self.ax_ = _style.new_axes(ax, (5.6, 4.6))
        self.figure_ = self.ax_.figure
        x, y, mesh = plane_mesh(self.points, 240)
        if shade and self.labels is not None:
            names, codes = np.unique(self.labels, return_inverse=True)
            colours = np.array(
                [_style.paler(_style.class_colour(k), 0.3) for k in range(len(names))]
            )
            picture = colours[codes[self.nearest(mesh)]].reshape(240, 240, 3)
            extent = (x[0], x[-1], y[0], y[-1])
            self.ax_.imshow(picture, extent=extent, origin="lower", aspect="auto")
        table = self.frame()
        lines = np.stack(
            [
                np.column_stack([table["x0"], table["y0"]]),
                np.column_stack([table["x1"], table["y1"]]),
            ],
            axis=1,
        )
        for heavy, width, colour in ((False, 0.5, _style.FAINT), (True, 1.8, _style.INK)):
            chosen = lines[table["classes differ"] == heavy]
            self.ax_.add_collection(LineCollection(chosen, linewidths=width, colors=colour))
        draw_points(self.ax_, self.points, self.labels)
        self.ax_.set(xlim=(x[0], x[-1]), ylim=(y[0], y[-1]))
        _style.tidy(self.ax_, title)
        return self
