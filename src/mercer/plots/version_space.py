"""The sphere of linear classifiers, cut by the rows into cells of equal answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.plots import _style

Floats = NDArray[np.float64]


class VersionSpaceDisplay:
    """Normal vectors in three dimensions as points of a disc: errors, version space, classifiers.

    A row is a great circle: on one side of it lie the vectors that classify it rightly. Where no
    row is wrong lies the version space. The hemisphere around ``pole`` is mapped to a disc that
    keeps areas, so a cell's size is its share of the classifiers.

    Parameters
    ----------
    X : ndarray of shape (n, 3)
        Rows of three numbers; for planes with an offset two numbers and a one, see `lifted`.
    signs : ndarray of shape (n,)
        −1 and +1.
    marks : mapping from str to vector, default={}
        Classifiers to show.
    pole : vector, default=None
        The middle of the picture; the mean of the marks, or of the rows times their signs.
    """

    def __init__(
        self,
        *,
        X: ArrayLike,
        signs: ArrayLike,
        marks: Mapping[str, ArrayLike] | None = None,
        pole: ArrayLike | None = None,
    ) -> None:
        self.X, self.signs = np.asarray(X, dtype=float), np.asarray(signs, dtype=float)
        if self.X.ndim != 2 or self.X.shape[1] != 3:
            raise ValueError(
                f"the picture is of vectors in three dimensions, X has shape {self.X.shape}: two "
                "columns and an offset are three, see VersionSpaceDisplay.lifted"
            )
        if len(self.signs) != len(self.X) or not np.all(np.abs(self.signs) == 1):
            raise ValueError("signs must be -1 or +1, one for every row")
        self.marks = {name: _unit(w) for name, w in (marks or {}).items()}
        if pole is None:
            pole = np.mean(list(self.marks.values()), axis=0) if self.marks else self.signs @ self.X
        self.pole = _unit(pole)

    @staticmethod
    def lifted(X: ArrayLike) -> Floats:
        """Rows of two numbers with a one behind them: the offset becomes a coordinate."""
        rows = np.asarray(X, dtype=float)
        return np.column_stack([rows, np.ones(len(rows))])

    @classmethod
    def from_estimator(
        cls, *estimators: Any, X: ArrayLike, y: ArrayLike, ax: Any = None, **style: Any
    ) -> VersionSpaceDisplay:
        """Fitted linear classifiers of two columns with an offset, or of three without."""
        rows = np.asarray(X, dtype=float)
        classes = np.unique(np.asarray(y))
        if len(classes) != 2:
            raise ValueError(f"a version space has two classes, y has {len(classes)}")
        lift = rows.shape[1] == 2
        marks = {}
        for model in estimators:
            weights = np.ravel(model.coef_)
            offset = np.ravel(getattr(model, "intercept_", 0.0))[:1]
            marks[type(model).__name__] = np.concatenate([weights, offset]) if lift else weights
        display = cls(
            X=cls.lifted(rows) if lift else rows,
            signs=np.where(np.asarray(y) == classes[1], 1.0, -1.0),
            marks=marks,
        )
        return display.plot(ax=ax, **style)

    # -- numbers -----------------------------------------------------------------------------------

    def errors(self, w: ArrayLike) -> NDArray[np.intp]:
        """Rows on the wrong side of vectors (a vector per row of ``w``)."""
        outputs = np.atleast_2d(np.asarray(w, dtype=float)) @ self.X.T
        return np.asarray(np.count_nonzero(outputs * self.signs <= 0, axis=1), dtype=np.intp)

    def to_disc(self, w: ArrayLike) -> Floats:
        """Lambert's projection: |p| = √2 sin(angle/2), at most 1 on the hemisphere of the pole."""
        vectors = np.atleast_2d(np.asarray(w, dtype=float))
        vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        first, second = self._frame()
        height = vectors @ self.pole
        stretch = 1.0 / np.sqrt(np.maximum(1.0 + height, 1e-12))
        return np.column_stack([vectors @ first, vectors @ second]) * stretch[:, None]

    def from_disc(self, p: ArrayLike) -> Floats:
        """The unit vectors of points of the disc."""
        points = np.atleast_2d(np.asarray(p, dtype=float))
        square = np.sum(points**2, axis=1)
        flat = points * np.sqrt(np.maximum(2.0 - square, 0.0))[:, None]
        first, second = self._frame()
        plane = flat[:, :1] * first + flat[:, 1:] * second
        found: Floats = plane + (1.0 - square)[:, None] * self.pole
        return found

    def _frame(self) -> tuple[Floats, Floats]:
        axis = np.eye(3)[int(np.argmin(np.abs(self.pole)))]
        first = _unit(axis - (axis @ self.pole) * self.pole)
        return first, np.cross(self.pole, first)

    def frame(self, resolution: int = 200) -> dict[str, Floats]:
        """The mesh of the disc: coordinates and errors, nan outside of it."""
        side = np.linspace(-1.0, 1.0, resolution)
        mesh = np.column_stack([part.ravel() for part in np.meshgrid(side, side)])
        inside = np.sum(mesh**2, axis=1) <= 1.0
        errors = np.full(len(mesh), np.nan)
        errors[inside] = self.errors(self.from_disc(mesh[inside]))
        return {"x": mesh[:, 0], "y": mesh[:, 1], "errors": errors}

    def volume(self, resolution: int = 400) -> float:
        """Share of the hemisphere on which no row is wrong; areas are true in the picture."""
        errors = self.frame(resolution)["errors"]
        known = errors[~np.isnan(errors)]
        return float(np.mean(known == 0))

    def circle(self, row: int, count: int = 200) -> Floats:
        """The great circle of one row, in the disc: vectors that give it the output zero."""
        normal = _unit(self.X[row])
        axis = np.eye(3)[int(np.argmin(np.abs(normal)))]
        first = _unit(axis - (axis @ normal) * normal)
        second = np.cross(normal, first)
        t = np.linspace(0.0, 2.0 * np.pi, count)
        vectors = np.cos(t)[:, None] * first + np.sin(t)[:, None] * second
        front = vectors @ self.pole >= 0
        found = self.to_disc(vectors)
        found[~front] = np.nan
        return found

    # -- picture -----------------------------------------------------------------------------------

    def plot(self, ax: Any = None, *, title: str = "Version space") -> VersionSpaceDisplay:
        """Draw on ``ax`` (or on a new figure); sets ``ax_`` and ``figure_``."""
        self.ax_ = _style.new_axes(ax, (5.2, 4.8))
        self.figure_ = self.ax_.figure
        errors = self.frame()["errors"].reshape(200, 200)
        shades = self.ax_.imshow(
            errors, extent=(-1, 1, -1, 1), origin="lower", cmap="Greys", vmin=0,
            vmax=max(float(np.nanmax(errors)), 1.0),
        )  # fmt: skip
        if np.any(errors == 0):
            self.ax_.contourf(
                np.linspace(-1, 1, 200), np.linspace(-1, 1, 200), np.where(errors == 0, 1.0, 0.0),
                levels=[0.5, 1.5], colors=[_style.class_colour(2)], alpha=0.6,
            )  # fmt: skip
        for row in range(len(self.X)):
            colour = _style.class_colour(int(self.signs[row] > 0))
            self.ax_.plot(*self.circle(row).T, color=colour, lw=0.6, alpha=0.7)
        for k, (name, w) in enumerate(self.marks.items()):
            place = self.to_disc(w)[0]
            self.ax_.plot(*place, _style.class_marker(k), color=_style.class_colour(5), label=name)
        if self.marks:
            self.ax_.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(0, 0))
        self.ax_.set(xticks=[], yticks=[], aspect="equal", xlim=(-1.02, 1.02), ylim=(-1.02, 1.02))
        self.figure_.colorbar(shades, ax=self.ax_, label="rows on the wrong side", shrink=0.8)
        _style.tidy(self.ax_, title)
        return self


def _unit(w: ArrayLike) -> Floats:
    vector = np.ravel(np.asarray(w, dtype=float))
    size = float(np.linalg.norm(vector))
    if not (len(vector) == 3 and size > 0):
        raise ValueError(f"a classifier here is a vector of three numbers, not all zero; got {w!r}")
    return vector / size
