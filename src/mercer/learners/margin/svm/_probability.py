r"""Class probabilities that agree with ``predict``.

Platt's sigmoid :math:`1/(1+\exp(Af+B))` crosses ½ at :math:`f = -B/A`, so its most probable class
need not be the predicted one. Here each binary machine gets two slopes instead,

.. math:: P(+1 \mid f) = \sigma(a_+ f)\ \text{if}\ f > 0, \qquad \sigma(a_- f)\ \text{if}\ f < 0,

fitted by penalised likelihood (Platt's smoothed targets) to cross-validated outputs. The curve is
monotone, continuous and passes through ½ where the machine changes its mind. Pairwise
probabilities are coupled as in Wu, Lin and Weng (2004, second method); one-versus-rest ones are
normalised. With more than two classes the coupled vector can still prefer another class than
the votes do; it is then replaced by the nearest distribution in which no class is more probable
than the predicted one.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit

Floats = NDArray[np.float64]

FOLDS = 5
CERTAIN = 1e-12  # no finite sample justifies more certainty; keeps logarithms finite
FLATTEST, STEEPEST = 1e-3, 1e3  # slopes, relative to the typical output


@dataclass(frozen=True)
class Calibration:
    """Slopes below and above zero, one of each per binary machine."""

    below: Floats
    above: Floats

    def probabilities(self, values: Floats) -> Floats:
        """P(+1) of every machine, from outputs of shape (n, n_machines)."""
        slope = np.where(values > 0, self.above, self.below)
        return np.clip(expit(slope * values), CERTAIN, 1 - CERTAIN)


def fit_slopes(output: Floats, label: Floats, weight: Floats) -> tuple[float, float]:
    """The two slopes that suit held-out outputs and labels best."""
    positive = label > 0
    heavy, light = weight[positive].sum(), weight[~positive].sum()
    target = np.where(positive, (heavy + 1) / (heavy + 2), 1 / (light + 2))
    size = float(np.abs(output).mean()) or 1.0
    slopes = [
        _slope(output[side], target[side], weight[side], size) for side in (output < 0, output > 0)
    ]
    below, above = (slopes[0] or slopes[1]), (slopes[1] or slopes[0])
    return below or 1.0, above or 1.0


def _slope(output: Floats, target: Floats, weight: Floats, size: float) -> float | None:
    """Maximise the likelihood of one side, a convex problem in one positive number."""
    if len(output) == 0:
        return None

    def derivative(slope: float) -> float:
        return float(np.sum(weight * output * (expit(slope * output) - target)))

    flattest, steepest = FLATTEST / size, STEEPEST / size
    if derivative(flattest) >= 0:
        return flattest  # this side is wrong as often as right: hardly more than a guess
    if derivative(steepest) <= 0:
        return steepest
    return float(brentq(derivative, flattest, steepest, rtol=1e-10))


def stratified_folds(
    label: Floats, rng: np.random.RandomState, count: int = FOLDS
) -> NDArray[np.intp] | None:
    """Fold number of each sample, both classes spread evenly; None if a class has one sample."""
    smallest = min(np.sum(label > 0), np.sum(label < 0))
    count = min(count, int(smallest))
    if count < 2:
        return None
    fold = np.empty(len(label), dtype=np.intp)
    for side in (label > 0, label < 0):
        members = rng.permutation(np.flatnonzero(side))
        fold[members] = np.arange(len(members)) % count
    return fold


def couple(pairs: Floats, n_classes: int) -> Floats:
    """Class probabilities from pairwise ones (shape (n, K(K-1)/2)) by Wu, Lin and Weng."""
    r = np.zeros((len(pairs), n_classes, n_classes))
    for column, (i, j) in enumerate(combinations(range(n_classes), 2)):
        r[:, i, j] = np.clip(pairs[:, column], 1e-7, 1 - 1e-7)
        r[:, j, i] = 1 - r[:, i, j]
    system = np.ones((len(pairs), n_classes + 1, n_classes + 1))
    system[:, :-1, :-1] = -r.transpose(0, 2, 1) * r
    diagonal = np.arange(n_classes)
    system[:, diagonal, diagonal] = np.sum(r**2, axis=1)
    system[:, -1, -1] = 0.0
    right = np.zeros((n_classes + 1, 1))
    right[-1] = 1.0
    solved = np.linalg.solve(system, np.broadcast_to(right, (len(pairs), *right.shape)))
    probability = np.clip(solved[:, :-1, 0], 0.0, None)
    return probability / probability.sum(axis=1, keepdims=True)


def agree(probability: Floats, winner: NDArray[np.intp]) -> Floats:
    """The nearest distributions whose most probable class is ``winner``."""
    result = probability.copy()
    for row in np.flatnonzero(result.argmax(axis=1) != winner):
        p, w = result[row], winner[row]
        rivals = np.array([k for k in np.argsort(-p, kind="stable") if k != w])
        pooled = p[w] + np.cumsum(p[rivals])
        means = pooled / np.arange(2, len(rivals) + 2)
        # Pool the winner with its strongest rivals until the next rival is below the mean.
        following = np.append(p[rivals[1:]], -np.inf)
        size = int(np.argmax(means >= following)) + 1
        p[rivals[:size]] = means[size - 1]
        p[w] = np.nextafter(means[size - 1], 2.0)
    return result
