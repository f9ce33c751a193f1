"""How many balls cover a finite metric space."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from mercer._types import Samples
from mercer.metrics._axioms import Floats, as_square


def farthest_first(D: Samples, start: int = 0) -> tuple[NDArray[np.intp], Floats]:
    """Objects in the order of the farthest-first traversal, and the radius each one ends.

    ``radii[k]`` is the distance of object ``order[k]`` to those before it, so the first k objects
    cover all others within ``radii[k]`` and are at least ``radii[k-1]`` apart (Gonzalez 1985).
    """
    D = as_square(D)
    n = len(D)
    order, radii = np.empty(n, dtype=np.intp), np.empty(n)
    near, current, radius = np.full(n, np.inf), start, np.inf
    for k in range(n):
        order[k], radii[k] = current, radius
        near = np.minimum(near, D[:, current])
        near[current] = -np.inf
        current = int(near.argmax())
        radius = float(near[current])
    return order, radii


def greedy_count(radii: Floats, epsilon: float) -> int:
    """Centres of the traversal that are more than ``epsilon`` from those before them."""
    return int(np.count_nonzero(radii > epsilon))


def covering_number(D: Samples, epsilon: float) -> tuple[int, int]:
    """Limits on N(X, ε), the fewest balls of radius ε around objects that cover all of them.

    The greedy centres at ε cover; the greedy centres at 2ε are so far apart that no ball holds two.
    The number itself, for small spaces: `mercer.theory.covers.covering_number`.
    """
    radii = farthest_first(D)[1]
    return greedy_count(radii, 2.0 * epsilon), greedy_count(radii, epsilon)


def packing_number(D: Samples, epsilon: float) -> tuple[int, int]:
    """Limits on the most objects with mutual distances above ε: N(ε) ≤ M(ε) ≤ N(ε/2).

    The number itself, for small spaces: `mercer.theory.covers.packing_number`.
    """
    radii = farthest_first(D)[1]
    return greedy_count(radii, epsilon), greedy_count(radii, epsilon / 2.0)


def chain_step(D: Samples) -> float:
    """The smallest ε such that any two objects are linked by steps of at most ε.

    Of a connected space sampled ever more densely it goes to zero: the longest edge of a minimum
    spanning tree.
    """
    D = as_square(D)
    if len(D) < 2:
        return 0.0
    steps = np.unique(D)
    low, high = 0, len(steps) - 1
    while low < high:
        middle = (low + high) // 2
        joined = connected_components(csr_array(steps[middle] >= D), directed=False)[0] == 1
        low, high = (low, middle) if joined else (middle + 1, high)
    return float(steps[low])


def center_defect(D: Samples) -> float:
    """How far the worst pair is from having a midpoint: 0 in a centred space.

    max over x, y of min over z of max(d(z, x), d(z, y)) - d(x, y)/2. Necessary for a space to be
    centred (every set of diameter 2r has a point within r of all of it), not sufficient; on a
    sample it cannot fall below the gaps between the objects.
    """
    D = as_square(D)
    worst = 0.0
    for row in D:
        nearest = np.maximum(row[None, :], D).min(axis=1)
        worst = max(worst, float((nearest - row / 2.0).max()))
    return worst


def discrepancy(D: Samples) -> float:
    """The largest mean difference of 1-Lipschitz functions between two samples of one size.

    (1/n) times the cheapest matching, which is the Wasserstein distance of the samples; its mean
    over pairs of samples is the maximum discrepancy of the thesis, III.8.

    Parameters
    ----------
    D : array of shape (n, n)
        Distances from the objects of one sample to those of the other.
    """
    D = as_square(D)
    rows, columns = linear_sum_assignment(D)
    return float(D[rows, columns].mean())
