"""Whether labels came as if drawn: the runs in their order, tested exactly.

One pass over a file sorted by class makes hardly any mistakes, whatever the inputs say; what it
counted is then no evidence of the risk. A record is (rows of the first class, rows of the second,
runs, last label), four whole numbers, so that a stream can go on where it stopped.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, logsumexp

Floats = NDArray[np.float64]
Runs = tuple[int, int, int, int]

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


def as_drawn(runs: Runs) -> bool:
    """Whether the number of runs is usual for an order that does not depend on the labels."""
    return p_value(runs) >= LEVEL


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
