"""The second moments behind `hypothesis_width`, exactly, for arbitrary learners on few outcomes.

A learner that ignores the order of its rows is a table: from the counts of each outcome to the loss
at each outcome. All samples are enumerated, so risk, leave-one-out error, training error and both
stabilities are exact (docs/theory/own-proofs.md, 7).
"""

import math
from itertools import product

import numpy as np
import pytest

LAW = np.array([0.5, 0.3, 0.2])


def counts(m):
    return [c for c in product(range(m + 1), repeat=len(LAW)) if sum(c) == m]


def chance(c):
    ways = math.factorial(sum(c)) / math.prod(math.factorial(k) for k in c)
    return ways * math.prod(p**k for p, k in zip(LAW, c, strict=True))


def less(c, z):
    return tuple(k - (i == z) for i, k in enumerate(c))


def moments(m, full, fewer):
    """Second moments around both errors, and the changes at new points and at rows left out."""
    around_loo = around_training = new = own = 0.0
    for c in counts(m):
        share = np.array(c) / m
        left = {z: fewer[less(c, z)] for z in range(len(LAW)) if c[z]}
        risk = LAW @ full[c]
        loo = sum(share[z] * losses[z] for z, losses in left.items())
        p = chance(c)
        around_loo += p * (risk - loo) ** 2
        around_training += p * (risk - share @ full[c]) ** 2
        new += p * sum(share[z] * (LAW @ np.abs(full[c] - losses)) for z, losses in left.items())
        own += p * sum(share[z] * abs(full[c][z] - losses[z]) for z, losses in left.items())
    return around_loo, around_training, new, own


@pytest.mark.parametrize("m", [1, 2, 3, 5])
@pytest.mark.parametrize("steady", [0.0, 0.8])
def test_the_theorem_for_arbitrary_learners(m, steady):
    """``steady``: the share of entries that no row changes."""
    rng = np.random.default_rng(m)
    tightest = 0.0
    for trial in range(300):
        full, fewer = (
            {c: (rng.random(3) if trial % 2 else rng.integers(0, 2, 3).astype(float))
             for c in counts(size)}
            for size in (m, m - 1)
        )  # fmt: skip
        common = rng.integers(0, 2, 3).astype(float)
        for table in (full, fewer):
            for c in table:
                table[c] = np.where(rng.random(3) < steady, common, table[c])
        loo, training, new, own = moments(m, full, fewer)
        assert loo <= 1 / (2 * m) + 3 * new + 1e-12
        assert training <= 1 / (2 * m) + 3 * new + 2 * own + 1e-12
        assert training <= 1 / (2 * m) + 6 * max(new, own) + 1e-12
        tightest = max(tightest, loo / (1 / (2 * m) + 3 * new))
    assert tightest > 0.2  # the inequality is about the right quantity
