"""A law: a joint distribution of inputs and labels whose best possible error is known."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Labels = NDArray[np.int64]
Sample = tuple[Array, Labels]
BLOCK = 20_000  # rows drawn at a time, so that a huge sample never sits in memory


class Law(ABC):
    r"""A distribution of :math:`(x, y)` that can be sampled and whose Bayes risk is known.

    A law answers three questions that data alone cannot: how wrong the best rule is
    (:attr:`bayes_risk`), what that rule is (:meth:`bayes_predict`), and how wrong any given rule is
    (:meth:`risk`).
    """

    classes: Labels = np.array([-1, 1])

    @property
    @abstractmethod
    def bayes_risk(self) -> float:
        """Smallest probability of error that any rule can have."""

    @abstractmethod
    def posterior(self, X: ArrayLike) -> Array:
        """Probability of each class at each row of ``X``; shape (rows, classes)."""

    @abstractmethod
    def _draw(self, n: int, rng: np.random.Generator) -> Sample:
        """Draw ``n`` examples."""

    def sample(self, n: int, random_state: int | np.random.Generator | None = None) -> Sample:
        """Draw ``n`` independent examples; an integer ``random_state`` makes it repeatable."""
        if n < 1:
            raise ValueError(f"n must be at least 1, got {n}")
        return self._draw(int(n), np.random.default_rng(random_state))

    def bayes_predict(self, X: ArrayLike) -> Labels:
        """The rule nobody can beat: the most probable class at each row."""
        return self.classes[np.argmax(self.posterior(X), axis=1)]

    def risk(
        self,
        predict: Callable[[Array], NDArray[Any]],
        *,
        n: int = 200_000,
        random_state: int | np.random.Generator | None = 0,
    ) -> float:
        """Probability that ``predict`` errs, from ``n`` fresh inputs."""
        return self.risk_and_error(predict, n=n, random_state=random_state)[0]

    def risk_and_error(
        self,
        predict: Callable[[Array], NDArray[Any]],
        *,
        n: int = 200_000,
        random_state: int | np.random.Generator | None = 0,
    ) -> tuple[float, float]:
        """Risk of ``predict`` and the standard error of that number.

        Averages the *conditional* probability of error at fresh inputs instead of counting errors:
        the same expectation with less noise, because the labels are integrated out exactly.
        """
        total = squares = 0.0
        for X, _ in self._blocks(n, random_state):
            wrong = 1.0 - self._mass(X, np.asarray(predict(X)))
            total += wrong.sum()
            squares += (wrong**2).sum()
        mean = total / n
        return mean, float(np.sqrt(max(squares / n - mean**2, 0.0) / n))

    def _mass(self, X: Array, chosen: NDArray[Any]) -> Array:
        """Posterior probability of the chosen label; a label outside the law has none."""
        if chosen.shape != (len(X),):
            raise ValueError(
                f"predict must return one label per row: expected shape ({len(X)},), "
                f"got {chosen.shape}"
            )
        return np.sum(self.posterior(X) * (chosen[:, None] == self.classes[None, :]), axis=1)

    def _blocks(self, n: int, random_state: int | np.random.Generator | None) -> Iterator[Sample]:
        rng = np.random.default_rng(random_state)
        for start in range(0, n, BLOCK):
            yield self._draw(min(BLOCK, n - start), rng)


def check_probability(value: float, name: str, low: float = 0.0, high: float = 1.0) -> float:
    """Return ``value`` if ``low <= value < high``, and say what is wrong otherwise."""
    if not low <= value < high:
        raise ValueError(f"{name} must be in [{low:g}, {high:g}), got {value}")
    return float(value)


def flip(y: Labels, noise: float, rng: np.random.Generator) -> Labels:
    """Turn each ±1 label over with probability ``noise``."""
    return np.where(rng.random(len(y)) < noise, -y, y)


def noisy(clean: float, noise: float) -> float:
    """Bayes risk after labels are flipped with probability ``noise`` (below one half)."""
    return noise + (1.0 - 2.0 * noise) * clean


def two_columns(positive: Array, noise: float = 0.0) -> Array:
    """Posterior table of (-1, +1) from the clean probability of +1."""
    mixed = noise + (1.0 - 2.0 * noise) * positive
    return np.column_stack([1.0 - mixed, mixed])
