"""Assumption checks: p-values that are uniform under the null, power where something is wrong."""

import functools
import json

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import binom, kstest

from mercer import datasets
from mercer.certification.checks import (
    Check,
    check_assumptions,
    check_drift,
    check_duplicates,
    check_exchangeability,
    exchangeability_martingale,
)
from mercer.certification.checks import check as _check
from mercer.certification.checks.drift import holm
from mercer.certification.checks.exchangeability import conformal_p

DRAWS = 300
LEVELS = (0.02, 0.05, 0.1, 0.25, 0.5)


def too_small(p_values):
    """P-value of the worst level: are there more small p-values than a valid test allows?"""
    counts = [(np.sum(p_values <= a + 1e-12), a) for a in LEVELS]
    return min(binom.sf(k - 1, len(p_values), a) for k, a in counts) * len(LEVELS)


def many(draw):
    rng = np.random.default_rng(0)
    return np.array([draw(rng) for _ in range(DRAWS)])


ONCE = functools.cache(many)


def exchangeable(rng):
    X = rng.standard_t(2, size=(40, 3)) @ rng.normal(size=(3, 3))  # heavy tails, correlated
    y = rng.choice(["a", "b", "c"], 40, p=[0.6, 0.3, 0.1])
    loss = rng.random(40) < 0.1
    return check_exchangeability(X, y, losses=loss, n_permutations=99, random_state=rng).p_value


def same_law(rng):
    X, y = rng.lognormal(size=(45, 4)).round(1), rng.integers(0, 3, 45)
    return check_drift(X[:30], X[30:], y[:30], y[30:], n_permutations=99, random_state=rng).p_value


def repeated_values(rng):
    X = rng.integers(0, 6, size=(60, 2)).astype(float)
    return check_duplicates(X[:40], X[40:], n_permutations=199, random_state=rng).p_value


def stream(rng):
    return exchangeability_martingale(rng.integers(0, 4, 150), random_state=rng).p_value


def plane(rng):
    X = rng.normal(size=(300, 2))
    return check_duplicates(X[:150], X[150:], n_permutations=199, random_state=rng).p_value


NULLS = {f.__name__: f for f in (exchangeable, same_law, repeated_values, stream, plane)}


@pytest.mark.parametrize("null", NULLS.values(), ids=NULLS)
def test_p_values_are_valid(null):
    assert too_small(ONCE(null)) > 1e-3


def test_exchangeability_p_values_are_uniform_and_not_only_safe():
    assert kstest(ONCE(exchangeable), "uniform").pvalue > 1e-3


def test_the_validity_test_can_fail(monkeypatch):
    """Broken: the best of several statistics at the price of one."""

    def cheat(statistics):
        return float(np.mean(statistics >= statistics[0], axis=0).min()), 0

    import mercer.certification.checks.exchangeability as module

    monkeypatch.setattr(module, "permutation_p", cheat)
    assert too_small(many(exchangeable)) < 1e-6


def test_conformal_ranks_are_uniform_with_ties():
    rng = np.random.default_rng(0)
    ranks = np.concatenate([conformal_p(rng.integers(0, 3, 50) * 1.0, rng) for _ in range(40)])
    assert kstest(ranks, "uniform").pvalue > 1e-3


def test_capital_is_a_martingale():
    rng = np.random.default_rng(1)
    final = [
        np.exp(exchangeability_martingale(rng.random(30), random_state=rng).details["log_capital"])
        for _ in range(1000)
    ]
    last = np.array(final)[:, -1]
    assert abs(last.mean() - 1) < 5 * last.std() / np.sqrt(len(last))


# --- power -----------------------------------------------------------------------------------


def sorted_labels(X, y, rng):
    order = np.argsort(y, kind="stable")
    return X[order], y[order]


def shifted_half(X, y, rng):
    X = X.copy()
    X[len(X) // 2 :, 2] += 1.0
    return X, y


def wider_half(X, y, rng):
    X = X.copy()
    X[len(X) // 2 :, 1] *= 2.0
    return X, y


def random_walk(X, y, rng):
    X = X.copy()
    for i in range(1, len(X)):
        X[i, 0] = 0.6 * X[i - 1, 0] + X[i, 0]
    return X, y


WRONG = {f.__name__: f for f in (sorted_labels, shifted_half, wider_half, random_walk)}


@pytest.mark.parametrize("spoil", WRONG.values(), ids=WRONG)
def test_exchangeability_has_power(spoil):
    rng = np.random.default_rng(3)
    found = []
    for _ in range(20):
        X, y = rng.normal(size=(200, 5)), rng.choice([-1, 1], 200)
        found.append(check_exchangeability(*spoil(X, y, rng)).ok)
    assert sum(found) <= 2


def test_the_message_names_signal_and_place():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    X[200:, 1] += 3
    check = check_exchangeability(X, feature_names=["age", "dose", "site"])
    assert not check.ok
    assert check.details["signal"] == "dose"
    assert abs(check.details["row"] - 200) < 15
    assert "dose" in check.message
    assert "future rows" in check.message
    labels = check_exchangeability(y=np.sort(rng.choice(["no", "yes"], 100)))
    assert labels.details["signal"] == "the share of class yes"
    assert labels.details["kind"] == "level"


def test_losses_alone_are_enough():
    rng = np.random.default_rng(0)
    steady = rng.random(300) < 0.1
    assert check_exchangeability(losses=steady).ok
    worse = rng.random(300) < np.linspace(0, 0.5, 300)
    assert not check_exchangeability(losses=worse).ok
    assert not exchangeability_martingale(np.r_[rng.random(200), 1 + rng.random(100)]).ok


def test_long_files_are_thinned_and_still_judged():
    y = np.random.default_rng(0).normal(size=60_000)
    assert check_exchangeability(y=y).ok
    y[40_000:] += 0.2
    assert not check_exchangeability(y=y).ok


def test_drift_names_the_columns_that_moved():
    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(400, 6)), rng.normal(size=(300, 6))
    new[:, 4] += 0.6
    check = check_drift(X, new, feature_names=list("abcdef"))
    assert not check.ok
    assert check.details["moved"] == ["e"]
    assert "e." in check.message


def test_drift_sees_dependence_that_no_column_shows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    new = np.repeat(rng.normal(size=(400, 1)), 2, axis=1)
    check = check_drift(X, new)
    assert not check.ok
    assert check.details["moved"] == []
    assert "dependence" in check.message


def test_drift_of_labels():
    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(300, 2)), rng.normal(size=(300, 2))
    y = rng.choice(["a", "b"], 300, p=[0.5, 0.5])
    moved = check_drift(X, new, y, rng.choice(["a", "b"], 300, p=[0.8, 0.2]))
    assert not moved.ok
    assert "labels" in moved.message
    numbers = rng.normal(size=300)
    assert check_drift(X, new, numbers, rng.normal(size=300)).ok
    assert not check_drift(X, new, numbers, 1 + rng.normal(size=300)).ok


def test_duplicates_are_found_and_named():
    X, y, _ = datasets.make_waveform(400, random_state=0)
    clean = check_duplicates(X[:300], X[300:])
    assert clean.ok
    assert clean.statistic == 0
    assert clean.p_value == 1
    leaked = np.concatenate([X[300:], X[[7, 250]]])
    labels = np.concatenate([y[300:], [y[7], (y[250] + 1) % 3]])
    found = check_duplicates(X[:300], leaked, y[:300], labels)
    assert not found.ok
    assert found.details["exact"] == [(100, 7), (101, 250)]
    assert found.details["conflicting"] == [(101, 250)]
    assert "100 (= training row 7)" in found.message
    assert "another label" in found.message
    near = check_duplicates(X[:300], np.concatenate([X[300:], X[[7]] + 1e-4]))
    assert not near.ok
    assert near.details["near"] == [(100, 7)]


def test_repeated_values_are_no_leak_unless_they_cross_too_often():
    rng = np.random.default_rng(0)
    pool = rng.integers(0, 30, size=(200, 3)).astype(float)
    assert check_duplicates(pool[:150], pool[150:]).ok
    crossed = check_duplicates(pool, pool[:60])
    assert not crossed.ok
    assert len(crossed.details["exact"]) == 60


def test_sparse_rows_are_projected():
    rng = np.random.default_rng(0)
    X = sparse.random_array((300, 2000), density=0.01, rng=rng, format="csr")
    assert check_exchangeability(X).ok
    assert check_drift(X[:200], X[200:]).ok
    twin = sparse.vstack([X[200:], X[[3]]])
    assert check_duplicates(X[:200], twin).details["exact"] == [(100, 3)]
    assert not check_drift(X[:200], sparse.csr_array(3 * X[200:])).ok


def test_wide_tables_are_projected_after_scaling():
    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(300, 90)), rng.normal(size=(300, 90))
    X[:, 0] *= 1e6  # a column in another unit
    new[:, 0] *= 1e6
    assert check_drift(X, new).ok
    new[:, 1:] += 0.5
    assert not check_drift(X, new).ok
    assert check_exchangeability(X).ok
    X[150:, 1:] += 0.7
    assert not check_exchangeability(X).ok


def test_all_checks_in_one_call():
    X, y, law = datasets.make_twonorm(300, random_state=0)
    fresh, labels = law.sample(200, random_state=1)
    names = [check.name for check in check_assumptions(X, y)]
    assert names == ["exchangeability"]
    three = check_assumptions(X, y, fresh, labels)
    assert [check.name for check in three] == ["exchangeability", "duplicates", "drift"]
    assert all(check.ok and "nothing found" in str(check) for check in three)
    again = check_assumptions(X, y, fresh, labels)
    assert [c.p_value for c in again] == [c.p_value for c in three]
    assert json.loads(json.dumps(three[2].to_dict()))["name"] == "drift"
    assert "WARNING" in str(Check("x", 1.0, 0.001, "something", ok=False))


def test_holm():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.9]) == [0.9]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda X: check_exchangeability(), "nothing to check"),
        (lambda X: check_exchangeability(X, np.ones(3)), "different numbers of rows"),
        (lambda X: check_exchangeability(X[:2]), "at least 4"),
        (lambda X: check_exchangeability(X, level=0.0), "level"),
        (lambda X: check_exchangeability(X, n_permutations=9), "at least 99"),
        (lambda X: check_exchangeability(np.where(X > 2, np.nan, X)), "row 0, column 2"),
        (lambda X: check_drift(X, X[:, :2]), "columns"),
        (lambda X: check_drift(X, X[:1]), "two rows"),
        (lambda X: check_drift(X, X, np.ones(8)), "both sides"),
        (lambda X: check_duplicates(X, X[:, :2]), "cannot be compared"),
        (lambda X: check_duplicates(X, X, tolerance=-1), "negative"),
        (lambda X: check_duplicates(X, np.empty((0, 3))), "rows and columns"),
        (lambda X: exchangeability_martingale([1.0]), "two finite"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call(np.arange(24.0).reshape(8, 3) % 5 + 0.5)


def test_objects_are_refused_with_advice():
    with pytest.raises(TypeError, match="check the losses"):
        check_exchangeability(np.array([["ACGT"], ["TTGA"]]))


def test_permutation_p_counts_the_observed_row():
    table = np.zeros((100, 3))
    table[0, 1] = 5.0
    assert _check.permutation_p(table) == (0.01, 1)
    assert _check.permutation_p(np.zeros((100, 3)))[0] == 1.0
