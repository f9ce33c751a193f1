"""The hashed mixture where inputs repeat: its own risk, not the mean of its models."""

import warnings

import numpy as np
import pytest
from sklearn.linear_model import Perceptron

import mercer
from helpers_validity import ACCEPT, REJECT, exact_p
from mercer.bounds.numerics.collisions import collision_upper
from mercer.certification.core import repeats
from mercer.certification.core.task import Refused

DELTA, DRAWS = 0.1, 400


def spikes(*heavy):
    """Probabilities of some inputs; the rest is spread over a million others."""
    return np.array(heavy)


LAWS = {
    "one": (spikes(0.05), 150),
    "two": (spikes(0.9, 0.1), 80),
    "many": (np.full(200, 1 / 200), 300),
    "rare": (np.full(3000, 1 / 3000), 200),
}


def counted(law, n, rng):
    """Rows that repeat an earlier one, and equal pairs."""
    rest = 1.0 - law.sum()
    drawn = rng.choice(len(law) + 1, n, p=[*law, max(0.0, rest)])
    _, sizes = np.unique(drawn[drawn < len(law)], return_counts=True)
    return int((sizes - 1).sum()), int((sizes * (sizes - 1) // 2).sum())


@pytest.mark.parametrize("name", LAWS)
def test_the_limit_on_collisions(name, scale):
    law, n = LAWS[name]
    rng, truth = np.random.default_rng(0), float(np.sum(law**2))
    draws = DRAWS * scale
    found = [counted(law, n, rng) for _ in range(draws)]
    wrong = sum(collision_upper(n, r, pairs, DELTA) < truth for r, pairs in found)
    assert exact_p(wrong, draws, DELTA) > ACCEPT, f"{wrong} of {draws}"
    observed = sum(2 * pairs / (n * (n - 1)) < truth for _, pairs in found)
    assert exact_p(observed, draws, DELTA) < REJECT, "the observed share is no limit"


def audit_law(rng, n):
    """One binary feature: the risk of any rule is a sum of two numbers."""
    x = (rng.random(n) < 0.1).astype(float)
    y = (rng.random(n) < np.where(x > 0, 0.7, 0.3)).astype(int)
    says = lambda model: model.predict(np.array([[0.0], [1.0]]))  # noqa: E731
    return (
        x[:, None],
        y,
        lambda model: np.dot([0.9, 0.1], np.where(says(model) == 1, [0.7, 0.3], [0.3, 0.7])),
    )


def grid_law(cells):
    """Inputs on a grid, labels with noise; risks are sums over the grid."""

    def law(rng, n):
        grid = np.arange(cells, dtype=float)[:, None] / cells
        share = np.where(grid[:, 0] < 0.5, 0.35, 0.65)
        at = rng.integers(0, cells, n)
        y = (rng.random(n) < share[at]).astype(int)
        return grid[at], y, lambda m: np.where(m.predict(grid) == 1, 1 - share, share).mean()

    return law


def violations(law, n, delta, draws, seed=0):
    rng, wrong, issued = np.random.default_rng(seed), 0, 0
    for _ in range(draws):
        X, y, risk = law(rng, n)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                model = mercer.certified_fit(
                    Perceptron(), X, y, mode="progressive", delta=delta, blocks=10,
                    random_state=int(rng.integers(10**6)),
                )  # fmt: skip
            except Refused:
                continue
        issued += 1
        wrong += model.certificate_.value < risk(model) - 1e-12
    return wrong, issued


def test_one_binary_feature_is_refused(scale):
    wrong, issued = violations(audit_law, 80, 0.01, 40 * scale)
    assert (wrong, issued) == (0, 0)


def test_without_the_price_of_the_hash_it_is_caught(monkeypatch, scale):
    none = repeats.Repeats(80, 0, 0)
    monkeypatch.setattr(repeats.Repeats, "among", classmethod(lambda cls, X: none))
    wrong, issued = violations(audit_law, 80, 0.01, 300 * scale)
    assert issued == 300 * scale
    assert exact_p(wrong, issued, 0.01) < REJECT, f"{wrong} of {issued}"


def test_inputs_that_repeat_now_and_then_are_paid_for(scale):
    wrong, issued = violations(grid_law(4000), 300, 0.1, 60 * scale)
    assert issued == 60 * scale
    assert exact_p(wrong, issued, 0.1) > ACCEPT, f"{wrong} of {issued}"
