"""Checks of rows: quiet on independent rows, loud on the trouble they are for, twins caught.

An alarm about independent rows may come in one draw of a hundred, all checks together.
"""

import numpy as np
import pytest

from helpers_validity import ACCEPT, COUNTED, REJECT, exact_p
from mercer._marks import row_marks
from mercer.certification.checks import gate, order
from mercer.certification.checks.case import Case
from mercer.certification.checks.copies import agreement_p
from mercer.certification.checks.finding import FIRST_LINE
from mercer.certification.checks.near_copies import close_to
from mercer.certification.checks.numbering import runs_p
from mercer.certification.checks.seen import chance


def _normal(rng, n=150):
    X = rng.normal(size=(n, 3))
    return X, (X[:, 0] + rng.normal(size=n) > 0) * 1


def _three_levels(rng, n=200):
    """Equal rows by nature, labels that differ between the cells in any way."""
    X = rng.integers(0, 3, (n, 3))
    rate = np.random.default_rng(5).random(27)[X @ [9, 3, 1]]
    return X, (rng.random(n) < rate) * 1


def _three_levels_that_decide(rng, n=200):
    X = rng.integers(0, 3, (n, 4))
    return X, (X.sum(axis=1) > 4) * 1


def _rates_at_random(rng, n=500):
    """Cells that are mostly of one class, whatever their neighbours are."""
    X = rng.integers(0, 5, (n, 3))
    mostly = np.random.default_rng(5).integers(0, 2, 125)[X @ [25, 5, 1]]
    return X, np.where(rng.random(n) < 0.1, 1 - mostly, mostly)


def _rounded(rng, n=200):
    X, y = _normal(rng, n)
    return X[:, :2].round(1), y


def _skewed(rng, n=200):
    X = rng.geometric(0.3, (n, 2))
    return X, (rng.random(n) < 0.2 + 0.1 * np.minimum(X[:, 0], 4)) * 1


def _sorted(rng, n=150):
    X, y = _normal(rng, n)
    return X[np.argsort(y, kind="stable")], np.sort(y)


LAWS = (
    _normal, _three_levels, _three_levels_that_decide, _rates_at_random, _rounded, _skewed, _sorted
)  # fmt: skip


def _alarm(X, y):
    return any(f.level == FIRST_LINE for f in gate.look_at(Case(X, y)).findings)


def _count(law, draws, seed, alarm=_alarm):
    rng = np.random.default_rng(seed)
    return sum(alarm(*law(rng)) for _ in range(draws))


@pytest.mark.parametrize("law", LAWS)
def test_independent_rows_raise_no_alarm(law, scale):
    draws = 60 * scale
    wrong = _count(law, draws, seed=scale)
    COUNTED.append(("alarms", wrong, draws, gate.LEVEL, False))
    assert exact_p(wrong, draws, gate.LEVEL) > ACCEPT, f"{wrong} alarms in {draws} clean tables"


@pytest.mark.parametrize("law", [_three_levels, _rounded])
def test_a_check_that_takes_every_repeat_for_a_copy_is_caught(law):
    """The broken twin: equal rows of a table of few values occur by nature."""

    def every_repeat(X, y):
        case = Case(X, y)
        return case.n - len(case.firsts) > 0.01 * case.n

    wrong = _count(law, 60, 0, every_repeat)
    COUNTED.append(("alarms", wrong, 60, gate.LEVEL, True))
    assert exact_p(wrong, 60, gate.LEVEL) < REJECT


def test_labels_of_equal_rows_are_compared_with_a_margin():
    """Without it, cells whose rates differ would look like copies."""

    def without_margin(X, y):
        case = Case(X, y)
        return agreement_p(case, case.cells, share=1.0) <= gate.LEVEL

    wrong = _count(_rates_at_random, 60, 0, without_margin)
    COUNTED.append(("alarms", wrong, 60, gate.LEVEL, True))
    assert exact_p(wrong, 60, gate.LEVEL) < REJECT


def _five_of_each(table, rng, noise=0.0):
    X, y = table
    i = rng.permutation(np.repeat(np.arange(len(y)), 5))
    X = X[i]
    return (X + noise * rng.normal(size=X.shape) if noise else X), y[i]


def _coin_flips(rng, n):
    return rng.integers(0, 10, (n, 6)), rng.integers(0, 2, n)


POWER = {
    "copies of numbers": lambda rng: _five_of_each(_normal(rng, 60), rng),
    "copies of whole numbers": lambda rng: _five_of_each(_coin_flips(rng, 60), rng),
    "copies with noise": lambda rng: _five_of_each(_normal(rng, 60), rng, 1e-5),
    "walk": lambda rng: (
        np.cumsum(rng.normal(size=(200, 3)), axis=0),
        (np.cumsum(rng.normal(size=200)) > 0) * 1,
    ),
    "row numbers": lambda rng: (
        np.column_stack([np.arange(200.0), rng.normal(size=200)]),
        np.repeat(rng.integers(0, 2, 20), 10),
    ),
}


@pytest.mark.parametrize("name", POWER)
def test_the_trouble_they_are_for_is_found(name):
    assert _count(POWER[name], 20, 0) >= 19


def test_patients_by_number_are_found():
    def visits(rng):
        who, y = rng.permutation(np.repeat(np.arange(40), 8)), rng.integers(0, 2, 40)
        return np.column_stack([who, rng.normal(size=(320, 3))]), y[who]

    assert _count(visits, 20, 0) >= 19


@pytest.mark.parametrize("draw", [_three_levels, _rounded, _skewed])
def test_fresh_rows_that_repeat_by_nature_are_not_seen_rows(draw, scale):
    rng, draws, level = np.random.default_rng(scale), 80 * scale, 0.05
    wrong = sum(
        chance(row_marks(draw(rng, 80)[0]), row_marks(draw(rng, 120)[0])) <= level
        for _ in range(draws)
    )
    COUNTED.append(("seen", wrong, draws, level, False))
    assert exact_p(wrong, draws, level) > ACCEPT


def test_a_fixed_share_of_repeats_as_limit_is_caught():
    """The broken twin: more than one fresh row in ten equals an old one."""
    rng = np.random.default_rng(0)
    wrong = sum(
        np.isin(row_marks(_skewed(rng, 80)[0]), row_marks(_skewed(rng, 120)[0])).mean() > 0.1
        for _ in range(60)
    )
    COUNTED.append(("seen", wrong, 60, 0.05, True))
    assert exact_p(wrong, 60, 0.05) < REJECT


def test_other_rows_are_not_near_old_ones_and_the_same_with_fewer_digits_are():
    rng = np.random.default_rng(0)
    wrong = sum(
        close_to(rng.normal(size=(80, 3)), rng.normal(size=(120, 3)))[1] <= 0.01 for _ in range(100)
    )
    assert exact_p(wrong, 100, 0.01) > ACCEPT
    old = rng.normal(size=(120, 3))
    assert close_to(old[:80].round(5), old)[0] == 80


def test_runs_of_labels_in_any_order():
    rng, level = np.random.default_rng(0), 0.01
    wrong = sum(runs_p((rng.random(120) < 0.3) * 1) <= level for _ in range(500))
    COUNTED.append(("runs", wrong, 500, level, False))
    assert exact_p(wrong, 500, level) > ACCEPT
    assert runs_p(np.repeat([0, 1], 60)) < 1e-6


def test_permutations_of_the_whole_file_would_blame_sorted_ones(monkeypatch):
    """The broken twin: without stretches, and without sparing sorted files, order is drift."""
    monkeypatch.setattr(order, "_STRETCH", 10**6)
    monkeypatch.setattr(order, "_most_runs", lambda codes: 0)
    wrong = _count(_sorted, 40, 0)
    COUNTED.append(("alarms", wrong, 40, gate.LEVEL, True))
    assert exact_p(wrong, 40, gate.LEVEL) < REJECT
