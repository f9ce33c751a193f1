"""A Gram matrix as a heat map: do examples of one class look alike to this kernel?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.learners.describe import answering
from mercer.plots import _style
from mercer.plots._margins import Array, machine


def _by_class(gram: Array, y: NDArray[Any]) -> NDArray[np.intp]:
    """Order of the rows: by class, then by mean similarity to the class."""
    typical = np.array([row[y == label].mean() for row, label in zip(gram, y, strict=True)])
    return np.lexsort((-typical, np.unique(y, return_inverse=True)[1]))


class GramDisplay:
    """Heat map of kernel values, sorted by class, with the spectrum beside it if asked for.

    Parameters
    ----------
    gram : ndarray of shape (n, n)
        Kernel values.
    y : ndarray of shape (n,), optional
        Class of each row. Rows are then sorted by class, and within a class by how similar they
        are to it on average, the most typical first.
    name : str, default=""
        The kernel, for the title.
    """

    def __init__(self, *, gram: Array, y: NDArray[Any] | None = None, name: str = "") -> None:
        values = np.asarray(gram, dtype=float)
        if values.ndim != 2 or values.shape[0] != values.shape[1]:
            raise ValueError(f"a Gram matrix is square, got shape {values.shape}")
        if y is not None and len(y) != len(values):
            raise ValueError(f"y has {len(y)} labels for a Gram matrix of {len(values)} rows")
        order = np.arange(len(values)) if y is None else _by_class(values, np.asarray(y))
        self.order = order
        self.gram = values[np.ix_(order, order)]
        self.y = None if y is None else np.asarray(y)[order]
        self.name = name

    @classmethod
    def from_kernel(
        cls,
        kernel: Any,
        X: ArrayLike,
        y: ArrayLike | None = None,
        *,
        max_points: int = 400,
        random_state: int | None = 0,
        ax: Any = None,
        **style: Any,
    ) -> GramDisplay:
        """Evaluate ``kernel`` (called as ``kernel(X)``) and draw it.

        Of more than ``max_points`` rows a random part is shown: a finer picture could not be seen.
        """
        rows = np.arange(len(X))  # type: ignore[arg-type]
        if len(rows) > max_points:
            rng = np.random.default_rng(random_state)
            rows = np.sort(rng.choice(len(rows), size=max_points, replace=False))
        labels = None if y is None else np.asarray(y)[rows]
        gram = np.asarray(kernel(np.asarray(X)[rows]))
        return cls(gram=gram, y=labels, name=str(kernel)).plot(ax=ax, **style)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: ArrayLike, y: ArrayLike | None = None, **options: Any
    ) -> GramDisplay:
        """Draw the kernel a fitted Mercer estimator uses (its ``kernel_``).

        In a pipeline the earlier steps are applied to ``X`` first.
        """
        estimator = answering(estimator)
        fitted = machine(estimator)
        kernel = getattr(fitted, "kernel_", None)
        if not callable(kernel):
            raise TypeError(
                f"{type(fitted).__name__} has no fitted kernel_; use GramDisplay.from_kernel, "
                "or GramDisplay(gram=...) for a matrix you have"
            )
        if fitted is not estimator and len(estimator.steps) > 1:
            X = estimator[:-1].transform(X)
        return cls.from_kernel(kernel, X, y, **options)

    def spectrum(self) -> Array:
        """Eigenvalues of the Gram matrix shown, largest first."""
        return np.linalg.eigvalsh((self.gram + self.gram.T) / 2.0)[::-1]

    def frame(self) -> dict[str, NDArray[Any]]:
        """The sorted matrix, the order of its rows, their classes, and the eigenvalues."""
        data: dict[str, NDArray[Any]] = {
            "gram": self.gram,
            "order": self.order,
            "eigenvalues": self.spectrum(),
        }
        return data if self.y is None else data | {"y": self.y}

    def plot(
        self, ax: Any = None, *, spectrum: bool = False, title: str = "Gram matrix"
    ) -> GramDisplay:
        """Draw on ``ax`` (or on a new figure); sets ``ax_`` and ``figure_``.

        ``spectrum=True`` adds the eigenvalues beside the matrix; ``ax`` is then a pair of axes.
        """
        if spectrum:
            if ax is None:
                _, ax = _style.pyplot().subplots(1, 2, figsize=(9.4, 4.2), layout="constrained")
            self.ax_, self.spectrum_ax_ = ax
            self._draw_spectrum()
        else:
            self.ax_ = _style.new_axes(ax, (5.4, 4.6))
        self.figure_ = self.ax_.figure
        low = min(self.gram.min(), 0.0)
        image = self.ax_.imshow(
            self.gram,
            cmap="cividis" if low >= 0.0 else "PuOr",
            vmin=low if low >= 0.0 else -np.abs(self.gram).max(),
            vmax=np.abs(self.gram).max() or 1.0,
            aspect="equal",
        )
        self.figure_.colorbar(image, ax=self.ax_, shrink=0.85, label="kernel value")
        _style.tidy(self.ax_, title)
        if self.y is None:
            self.ax_.set_xlabel("example")
            self.ax_.set_ylabel("example")
        else:
            self._mark_classes()
        return self

    def _mark_classes(self) -> None:
        assert self.y is not None
        names, starts = np.unique(self.y, return_index=True)
        ends = [*starts[1:], len(self.y)]
        for start in starts[1:]:
            for line in (self.ax_.axhline, self.ax_.axvline):
                line(start - 0.5, color="white", lw=1.2)
        middles = [(a + b - 1) / 2 for a, b in zip(starts, ends, strict=True)]
        self.ax_.set_xticks(middles, [str(name) for name in names])
        self.ax_.set_yticks(middles, [str(name) for name in names])
        self.ax_.tick_params(length=0)
        self.ax_.set_xlabel("examples, sorted by class")

    def _draw_spectrum(self) -> None:
        values = self.spectrum()
        floor = values[0] * 1e-12
        rank = np.arange(1, len(values) + 1)
        kept = values > floor
        self.spectrum_ax_.semilogy(rank[kept], values[kept], ".", color="#0072B2", ms=4)
        share = np.cumsum(values) / values.sum()
        for level in (0.9, 0.99):
            at = int(np.searchsorted(share, level)) + 1
            self.spectrum_ax_.axvline(at, color=_style.FAINT, lw=0.9, ls="--")
            self.spectrum_ax_.annotate(
                f"{level:.0%} by {at}",
                (at, 1.0),
                xycoords=("data", "axes fraction"),
                xytext=(3, -12 if level == 0.9 else -26),
                textcoords="offset points",
                fontsize=8,
                color=_style.INK,
            )
        _style.tidy(self.spectrum_ax_, "Spectrum", "eigenvalue number", "eigenvalue")
