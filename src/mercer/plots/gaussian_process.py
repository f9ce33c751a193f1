"""A Gaussian process over one input: error bars and functions drawn from it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.plots import _style

Floats = NDArray[np.float64]


class GaussianProcessDisplay:
    """Mean, error bars and sample paths along one input.

    Parameters
    ----------
    x, mean, std : ndarray of shape (n,)
    samples : ndarray of shape (n, n_samples), optional
    data : pair of arrays, optional
        Inputs and targets of the training rows.
    width : float, default=1.0
        Error bars of so many standard deviations; the text draws one.
    """

    def __init__(
        self,
        *,
        x: Floats,
        mean: Floats,
        std: Floats,
        samples: Floats | None = None,
        data: tuple[Floats, Floats] | None = None,
        width: float = 1.0,
    ) -> None:
        self.x = x
        self.mean = mean
        self.std = std
        self.samples = samples
        self.data = data
        self.width = width

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        x: ArrayLike,
        *,
        y: ArrayLike | None = None,
        n_samples: int = 3,
        latent: bool = False,
        width: float = 1.0,
        random_state: int = 0,
        ax: Any = None,
        **style: Any,
    ) -> GaussianProcessDisplay:
        """Draw a process along ``x``: the posterior, or the prior before ``fit``.

        ``y`` are the training targets in their own units; without them no points are drawn.
        """
        line = np.asarray(x, dtype=float).reshape(-1, 1)
        fitted = hasattr(estimator, "X_train_")
        more = {"latent": latent} if fitted else {}
        mean, std = estimator.predict(line, return_std=True, **more)
        samples = None
        if n_samples:
            samples = estimator.sample_y(line, n_samples, random_state=random_state)
        data = None
        if fitted and y is not None:
            data = (np.asarray(estimator.X_train_)[:, 0], np.asarray(y, dtype=float))
        display = cls(x=line[:, 0], mean=mean, std=std, samples=samples, data=data, width=width)
        return display.plot(ax=ax, **style)

    def frame(self) -> dict[str, Floats]:
        """Every number shown, by column."""
        table = {
            "x": self.x,
            "mean": self.mean,
            "low": self.mean - self.width * self.std,
            "high": self.mean + self.width * self.std,
        }
        if self.samples is not None:
            table |= {f"sample {i + 1}": path for i, path in enumerate(self.samples.T)}
        return table

    def plot(self, ax: Any = None, *, title: str = "Gaussian process") -> GaussianProcessDisplay:
        """Draw on ``ax`` (or on a new figure); sets ``ax_`` and ``figure_``."""
        self.ax_ = _style.new_axes(ax, (6.4, 4.0))
        self.figure_ = self.ax_.figure
        table = self.frame()
        bar = "standard deviation" if self.width == 1 else f"{self.width:g} standard deviations"
        self.ax_.fill_between(
            self.x,
            table["low"],
            table["high"],
            color=_style.paler(_style.class_colour(0), 0.25),
            lw=0,
            label=f"± {bar}",
        )
        if self.samples is not None:
            for i, path in enumerate(self.samples.T):
                label = "functions drawn" if i == 0 else None
                self.ax_.plot(self.x, path, color=_style.class_colour(1), lw=0.9, label=label)
        self.ax_.plot(self.x, self.mean, color=_style.class_colour(0), lw=2, label="mean")
        if self.data is not None:
            self.ax_.plot(*self.data, "o", ms=4, color=_style.INK, label="observed")
        self.ax_.legend(frameon=False, fontsize=8)
        _style.tidy(self.ax_, title, "x", "f(x)")
        return self
