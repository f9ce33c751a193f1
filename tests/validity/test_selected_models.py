"""Certificates of selected models hold at their rate, over grids of 1, 10, 100 and 1000 candidates.

Labels are noise around a weak signal, so candidates differ mostly by luck: the case in which an
unpaid choice shows. Small samples and a one-step kernel machine keep a draw at milliseconds.
"""

from itertools import product

import numpy as np
import pytest

from helpers_validity import ACCEPT, REJECT, exact_p
from mercer import SVC, KernelSearch, certified_fit
from mercer.bounds.numerics import clopper_upper
from mercer.datasets import make_twonorm

DELTA = 0.2  # a large δ shows violations in few draws


def noisy(n, seed):
    """Twonorm with a fifth of the labels flipped; the true error of f follows from its risk."""
    X, y, law = make_twonorm(n, random_state=seed)
    rng = np.random.default_rng(seed + 10_000)
    flip = rng.random(n) < 0.2
    labels = np.where(flip, -y, y)
    return X, labels, lambda predict: 0.2 + 0.6 * law.risk(predict, n=2000)


def grid(count):
    costs = {1: [1.0], 10: [1.0, 30.0], 100: 10.0 ** np.linspace(-1, 2, 5)}
    scales = {1: 1, 10: 5, 100: 20}
    if count == 1000:
        return {"C": 10.0 ** np.linspace(-1, 2, 10), "length_scale": np.geomspace(0.5, 20, 100)}
    return {"C": costs[count], "length_scale": np.geomspace(0.5, 20, scales[count])}


def wrong(mode, count, draws, first=0):
    total = 0
    for seed in range(first, first + draws):
        X, y, truth = noisy(60, seed)
        options = {"param_grid": grid(count), "criterion": "span", "random_state": seed}
        if mode in ("union", "occam"):
            search = KernelSearch(SVC(), certify=mode, delta=DELTA, **options).fit(X, y)
        else:
            plain = KernelSearch(SVC(), **options)
            search = certified_fit(plain, X, y, mode=mode, delta=DELTA, random_state=seed)
        total += search.certificate_.value < truth(search.predict)
    return total


def best_on_held_out_rows(draws):
    """Choose among 40 machines by the rows that are counted: draws wrong with δ undivided, divided.

    Labels are coin tosses, so every machine errs on half of the future rows; machines that look at
    one column each are nearly independent.
    """
    unpaid = paid = 0
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(60, 20)), np.where(rng.random(60) < 0.5, 1, -1)
        errors = []
        for column, cost in product(range(20), (0.1, 10.0)):
            one = X[:, [column]]
            model = SVC(C=cost, gamma=1.0, certify=None).fit(one[:30], y[:30])
            errors.append(int(np.sum(model.predict(one[30:]) != y[30:])))
        unpaid += clopper_upper(min(errors), 30, DELTA) < 0.5
        paid += clopper_upper(min(errors), 30, DELTA / 40) < 0.5
    return unpaid, paid


@pytest.mark.parametrize("count", [1, 10, 100, 1000])
def test_the_selected_model_is_covered(count):
    draws = {1: 30, 10: 25, 100: 12, 1000: 5}[count]  # all wrong would be beyond chance
    found = wrong("holdout", count, draws)
    assert exact_p(found, draws, DELTA) > ACCEPT, f"{found} of {draws}"


@pytest.mark.parametrize("mode", ["shortlist", "union"])
def test_paid_choices_are_covered(mode):
    found = wrong(mode, 10, 25)
    assert exact_p(found, 25, DELTA) > ACCEPT, f"{found} of 25"


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["holdout", "shortlist", "union"])
@pytest.mark.parametrize("count", [1, 10, 100, 1000])
def test_the_selected_model_is_covered_in_many_draws(mode, count):
    draws = {1: 300, 10: 300, 100: 300, 1000: 100}[count]
    found = wrong(mode, count, draws, first=50_000)
    assert exact_p(found, draws, DELTA) > ACCEPT, f"{mode} {count}: {found} of {draws}"


def test_an_unpaid_choice_is_caught():
    """The broken twin: the best of many on the rows that are counted, at full δ."""
    broken, mended = best_on_held_out_rows(30)
    assert exact_p(broken, 30, DELTA) < REJECT, f"{broken} of 30"
    assert exact_p(mended, 30, DELTA) > ACCEPT, f"{mended} of 30"


def best_half_space(count, draws, paid):
    """The same with any number of candidates: half-spaces that no row had a say in."""
    total = 0
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(30, 10)), np.where(rng.random(30) < 0.5, 1.0, -1.0)
        normals = rng.normal(size=(10, count))
        errors = int(np.sum(np.sign(X @ normals) != y[:, None], axis=0).min())
        total += clopper_upper(errors, 30, DELTA / (count if paid else 1)) < 0.5
    return total


@pytest.mark.parametrize("count", [1, 10, 100, 1000])
def test_an_unpaid_choice_is_caught_at_every_size(count):
    """With one candidate there is nothing to pay for, with more the full δ is wrong."""
    broken = exact_p(best_half_space(count, 60, paid=False), 60, DELTA)
    assert broken > ACCEPT if count == 1 else broken < REJECT
    assert exact_p(best_half_space(count, 60, paid=True), 60, DELTA) > ACCEPT
