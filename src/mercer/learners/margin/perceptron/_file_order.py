"""Whether rows came as if drawn: the runs of their labels, tested exactly, and their inputs.

One pass over a file sorted by class makes hardly any mistakes, whatever the inputs say, and a rule
that meets a file sorted by an input is judged only where it has just been; what was counted is then
no evidence of the risk. Both records are sums, so that a stream can go on where it stopped.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, logsumexp

from mercer._types import Samples
from mercer.learners._as_drawn import chance_of, signals_of

Floats = NDArray[np.float64]
Runs = tuple[int, int, int, int]  # rows of the first class, of the second, runs, last label

NOTHING: Runs = (0, 0, 0, 0)
LEVEL = 0.01  # so often the evidence of a file in random order is kept back


def then(runs: Runs | None, sign: Floats) -> Runs | None:
    """The record after more rows, with labels -1 and 1; what was not known stays unknown."""
    if runs is None or not len(sign):
        return runs
    first, second, count, last = runs
    labels = np.sign(sign).astype(int)
    changes = int(np.count_nonzero(np.diff(labels, prepend=last)))
    second_more = int(np.count_nonzero(labels > 0))
    return (
        first + len(labels) - second_more,
        second + second_more,
        count + changes,
        int(labels[-1]),
    )


@dataclass(frozen=True)
class InputOrder:
    """Sums over the rows met, for the correlation of each signal with that of the row before.

    Signals are distances from the first row on a scale that does not let a few large values
    decide, hence its inverse hyperbolic sine.
    """

    n: int = 0
    first: Any = None
    last: Any = None
    total: Any = 0.0
    squares: Any = 0.0
    products: Any = 0.0

    def then(self, X: Samples) -> InputOrder:
        """The record after more rows; rows that are no table of numbers leave no signals."""
        signals = signals_of(X)
        if not len(signals):
            return self
        first = signals[0] if self.first is None else self.first
        z = np.arcsinh(signals - first)
        before = z[:-1] if self.last is None else np.vstack([self.last, z[:-1]])
        return InputOrder(
            self.n + len(z),
            first,
            z[-1],
            self.total + z.sum(axis=0),
            self.squares + (z**2).sum(axis=0),
            self.products + (z[len(z) - len(before) :] * before).sum(axis=0),
        )

    def p_value(self) -> float:
        """How likely neighbours so much alike, or unlike, are in a random order."""
        if self.first is None:
            return 1.0
        mean = self.total / self.n
        square = self.squares - self.n * mean**2
        ends = 2.0 * self.total - self.last  # the first signal is zero
        product = self.products - mean * ends + (self.n - 1) * mean**2
        told = square > 1e-9 * self.squares  # constant otherwise, up to rounding
        return chance_of(product[told] / square[told], self.n)


def as_drawn(runs: Runs, inputs: InputOrder) -> bool:
    """Whether both records are usual for rows in a random order."""
    return 2.0 * min(p_value(runs), inputs.p_value()) >= LEVEL


def p_value(runs: Runs) -> float:
    """Twice the smaller tail of the number of runs given how many rows each class has.

    Wald and Wolfowitz: all arrangements of the labels are equally probable.
    """
    first, second, count, _ = runs
    if not first or not second:
        return 1.0
    weights = _log_probabilities(first, second)  # of 2, 3, ... runs
    at = count - 2
    fewer, more = logsumexp(weights[: at + 1]), logsumexp(weights[at:])
    return float(min(1.0, 2.0 * np.exp(min(fewer, more))))


def _log_probabilities(a: int, b: int) -> Floats:
    """Ln P(2 runs), ln P(3 runs), ...: 2k runs need k − 1 cuts in both classes."""
    most = min(2 * min(a, b) + (a != b), a + b)
    runs = np.arange(2, most + 1)
    k = runs // 2
    even = np.log(2.0) + _log_choose(a - 1, k - 1) + _log_choose(b - 1, k - 1)
    odd = np.logaddexp(
        _log_choose(a - 1, k) + _log_choose(b - 1, k - 1),
        _log_choose(a - 1, k - 1) + _log_choose(b - 1, k),
    )
    return np.where(runs % 2 == 0, even, odd) - _log_choose(a + b, np.array(a))


def _log_choose(n: int, k: NDArray[np.intp]) -> Floats:
    inside = (k >= 0) & (k <= n)
    safe = np.where(inside, k, 0)
    value = gammaln(n + 1.0) - gammaln(safe + 1.0) - gammaln(n - safe + 1.0)
    return np.where(inside, value, -np.inf)
