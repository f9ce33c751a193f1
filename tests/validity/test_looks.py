"""Thirty seeds on one table of noise: the first look holds, later ones say so, a budget holds."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

import mercer
from helpers_validity import ACCEPT, REJECT, exact_p
from mercer.certification.core import looks

DELTA, SEEDS, TABLES = 0.1, 30, 25
STUMP = DecisionTreeClassifier(max_depth=1, random_state=0)


def thirty(table, **more):
    """Certificates of thirty divisions of the same coin flips; the truth is one half."""
    looks.forget()
    rng = np.random.default_rng(table)
    X, y = rng.normal(size=(200, 2)), rng.integers(0, 2, 200)
    options = {"mode": "holdout", "train_fraction": 0.9, **more}
    return [mercer.certified_fit(STUMP, X, y, random_state=seed, **options).certificate_
            for seed in range(SEEDS)]  # fmt: skip


@pytest.fixture(scope="module")
def plain():
    return [thirty(table, delta=DELTA) for table in range(TABLES)]


def test_the_first_look_holds_and_the_others_say_so(plain):
    first = sum(found[0].value < 0.5 for found in plain)
    assert exact_p(first, TABLES, DELTA) > ACCEPT
    for found in plain:
        clean = [c for c in found if not c.found]
        assert len(clean) == 1
        assert [c.about["look"]["k"] for c in found] == list(range(1, SEEDS + 1))


def test_the_smallest_of_thirty_is_caught(plain):
    """The broken twin: what a user who looks until it is good walks away with."""
    wrong = sum(min(c.value for c in found) < 0.5 for found in plain)
    assert exact_p(wrong, TABLES, DELTA) < REJECT, f"{wrong} of {TABLES}"


def test_with_a_budget_all_thirty_hold_together():
    budget = [thirty(table, budget=DELTA) for table in range(TABLES)]
    wrong = sum(min(c.value for c in found) < 0.5 for found in budget)
    assert exact_p(wrong, TABLES, DELTA) > ACCEPT, f"{wrong} of {TABLES}"
    assert all(c.found == () for found in budget for c in found)
