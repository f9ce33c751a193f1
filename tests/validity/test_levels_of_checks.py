"""p-values of the checks of rows: at most as often below a level as the level says.

Beside each, a twin that is broken on purpose and has to be caught.
"""

import numpy as np
import pytest

from helpers_validity import ACCEPT, COUNTED, REJECT, exact_p
from mercer.certification.checks import around, groups, numbering, trend
from mercer.certification.checks.around import Around
from mercer.certification.checks.case import Case, standard
from mercer.certification.checks.copies import agreement_p, together_p

LEVELS = (0.01, 0.05, 0.2)


def _count(p_of, level, draws, seed=0, broken=False):
    rng = np.random.default_rng(seed)
    wrong = sum(p_of(rng) <= level for _ in range(draws))
    COUNTED.append(("p-value", wrong, draws, level, broken))
    return wrong


def check_valid(p_of, draws, scale):
    values = np.array([p_of(np.random.default_rng([scale, i])) for i in range(draws * scale)])
    for level in LEVELS:
        wrong = int((values <= level).sum())
        COUNTED.append(("p-value", wrong, len(values), level, False))
        assert exact_p(wrong, len(values), level) > ACCEPT, (level, wrong, len(values))


def check_caught(p_of, draws=60, level=0.01):
    wrong = _count(p_of, level, draws, broken=True)
    assert exact_p(wrong, draws, level) < REJECT, (wrong, draws)


# --- almost equal rows


def _measurement_and_level(rng, n=300):
    return rng.normal(size=(n, 1)), rng.integers(0, 5, n)


def _curve(rng, n=300):
    t = rng.uniform(0, 5, n)
    return np.column_stack([np.cos(t), np.sin(t)]), rng.integers(0, 2, n)


def _three_columns(rng, n=200):
    return rng.normal(size=(n, 3)), np.zeros(n, np.intp)


def _crowded_at_zero(rng, n=300):
    return rng.normal(size=(n, 2)) ** 5, np.zeros(n, np.intp)


def _near_p(points, kind):
    return Around(standard(points), kind, np.arange(len(kind)), kind).pairs()[1]


@pytest.mark.parametrize("law", [_measurement_and_level, _curve, _three_columns, _crowded_at_zero])
def test_almost_equal_rows(law, scale):
    check_valid(lambda rng: _near_p(*law(rng)), 60, scale)


def test_levels_taken_for_distances_are_caught():
    """The broken twin: a column of few values is one more direction, and D is too large."""

    def p_of(rng):
        points, level = _measurement_and_level(rng)
        return _near_p(np.column_stack([points, level]), np.zeros(len(level), np.intp))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(around, "_still_p", lambda *_: 0.0)
        check_caught(p_of)


def test_a_dimension_that_is_too_largecheck_caught():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(around, "dimension_of", lambda *_: 3.0)
        patch.setattr(around, "_still_p", lambda *_: 0.0)
        check_caught(lambda rng: _near_p(*_curve(rng)))


def test_each_of_the_two_conditions_holds_where_the_other_fails():
    """With a wrong dimension the growth of close rows alone keeps the level."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(around, "dimension_of", lambda *_: 3.0)
        check_valid(lambda rng: _near_p(*_curve(rng)), 60, 1)


# --- equal rows of rounded numbers


def _rounded_and_flag(rng, n=300):
    return np.column_stack([rng.normal(size=n).round(3), rng.integers(0, 2, n)])


def _rounded_in_two_units(rng, n=300):
    a = rng.normal(size=n)
    return np.column_stack([a.round(3), (2.54 * a).round(3)])


@pytest.mark.parametrize("law", [_rounded_and_flag, _rounded_in_two_units])
def test_equal_rounded_numbers(law, scale):
    def p_of(rng):
        X = law(rng)
        p = together_p(Case(X, rng.integers(0, 2, len(X))))
        return 1.0 if p is None else p

    check_valid(p_of, 60, scale)


def test_rounded_numbers_taken_for_measurements_are_caught():
    """The broken twin: what hardly ever repeats is taken never to repeat by chance."""

    def p_of(rng):
        case = Case(_rounded_in_two_units(rng))
        return 0.0 if case.rare and len(case.firsts) < 0.99 * case.n else 1.0

    check_caught(p_of)


# --- names of groups


def _towns(rng, n=300):
    """A name in forty values that new rows have as well: labels differ between them by chance."""
    town = rng.integers(0, 40, n)
    rate = np.random.default_rng(8).uniform(0.2, 0.8, 40)[town]
    X = np.column_stack([town, rng.normal(size=n)])
    return Case(X, (rng.random(n) < rate) * 1)


def _group_p(case, share):
    code = groups.levels(case.X[:, 0])
    assert code is not None
    return agreement_p(case, code, share)


def test_names_that_matter_a_little(scale):
    check_valid(lambda rng: _group_p(_towns(rng), 0.3), 60, scale)


def test_labels_that_must_agree_no_better_than_chance_are_caught():
    """The broken twin: what agrees a little more often than strangers do is one group."""
    check_caught(lambda rng: _group_p(_towns(rng), 1.5))


# --- row numbers


def _labels(rng, n=150):
    return (rng.random(n) < 0.3) * 1


def test_runs_of_labels(scale):
    check_valid(lambda rng: numbering.runs_p(_labels(rng)), 300, scale)


@pytest.mark.parametrize("classes", [3, 8])
def test_runs_of_several_classes(classes, scale):
    check_valid(lambda rng: numbering.runs_p(rng.integers(0, classes, 100)), 200, scale)


def test_runs_counted_as_if_classes_were_equal_are_caught():
    """The broken twin: half of the neighbours agree, whatever the shares of the classes."""

    def p_of(rng):
        labels = _labels(rng)
        changes = int(np.count_nonzero(labels[1:] != labels[:-1]))
        mean = (len(labels) - 1) / 2
        return numbering.norm.cdf((changes - mean) / np.sqrt(mean / 2))

    check_caught(p_of, draws=100)


# --- a target that changes along the file


def _trend_p(y):
    return trend.trend_p(trend._signals(Case(np.zeros((len(y), 1)), y)))[0]


TARGETS = {
    "two classes": lambda rng: rng.integers(0, 2, 100),
    "one in twenty": lambda rng: (rng.random(200) < 0.05) * 1,
    "seven classes": lambda rng: rng.integers(0, 7, 80),
    "numbers with heavy tails": lambda rng: rng.standard_cauchy(90),
}


@pytest.mark.parametrize("name", TARGETS)
def test_targets_in_any_order(name, scale):
    check_valid(lambda rng: _trend_p(TARGETS[name](rng)), 300, scale)


def test_the_largest_of_all_sums_judged_like_one_of_themcheck_caught():
    """The broken twin: the normal law of a sum at a row chosen in advance."""

    def p_of(rng):
        signal = rng.normal(size=200)
        sums = np.cumsum(signal - signal.mean()) / (signal.std() * np.sqrt(50))
        return 2 * numbering.norm.sf(np.abs(sums).max())

    check_caught(p_of, draws=300, level=0.05)


def test_a_trend_is_found():
    y = np.arange(200) + 60 * np.random.default_rng(0).normal(size=200)
    assert _trend_p(y) < 1e-6
    assert _trend_p((y > 100) * 1) < 1e-6
