"""How many rows have a class that was not known: the limit holds, classes counted late do not."""

import numpy as np
import pytest

from helpers_validity import ACCEPT, REJECT, exact_p
from mercer.certification.core.classes import missing_mass

DELTA, DRAWS = 0.1, 600


def laws():
    """Class probabilities: one rare class, several, and many of which most never occur."""
    yield np.array([0.6, 0.37, 0.03]), 60
    yield np.array([0.9, *[0.01] * 10]), 80
    yield np.full(400, 1 / 400), 100


def counted(law, n, rng, known_from):
    """Whether the limit at n rows is below the truth."""
    before, rows = rng.choice(len(law), n, p=law), rng.choice(len(law), n, p=law)
    known = known_from(before, rows)
    truth = 1.0 - law[np.unique(known)].sum()
    return missing_mass(known.tolist(), rows, DELTA) < truth - 1e-12


@pytest.mark.parametrize("which", range(3))
def test_classes_known_before(which, scale):
    law, n = list(laws())[which]
    rng = np.random.default_rng(which)
    draws = DRAWS * scale
    wrong = sum(counted(law, n, rng, lambda before, rows: before) for _ in range(draws))
    assert exact_p(wrong, draws, DELTA) > ACCEPT, f"{wrong} of {draws}"


def test_classes_known_from_the_counted_rows_are_caught(scale):
    """The textbook 1 − δ^{1/n} for a set that the counted rows chose."""
    law, n = list(laws())[2]
    rng = np.random.default_rng(9)
    draws = DRAWS * scale
    wrong = sum(counted(law, n, rng, lambda before, rows: rows) for _ in range(draws))
    assert exact_p(wrong, draws, DELTA) < REJECT, f"{wrong} of {draws}"
