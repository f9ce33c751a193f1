"""Mixed tables: coordinates that make kernels, learned from training rows only."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer import certified_fit, check_psd
from mercer.app.checks import check_columns, duplicate_rows
from mercer.app.keys import identifiers, key_reason
from mercer.app.leaks import check_target
from mercer.app.plan import make_plan
from mercer.app.target import make_target
from mercer.errors import DataError, LimitError
from mercer.kernels import Columns, Gaussian
from mercer.tables import TableMachine, TablePreparation
from mercer.tables.dataset import DATE, NUMBER, TEXT, Column
from mercer.tables.encoders import natural_order


def text(*values):
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def mixed(n=40, seed=0, gaps=0.3):
    rng = np.random.default_rng(seed)
    table = np.empty((n, 4), dtype=object)
    table[:, 0] = rng.normal(size=n)
    table[:, 1] = rng.choice(["red", "green", "blue"], n)
    table[:, 2] = rng.choice(["low", "medium", "high"], n)
    table[:, 3] = rng.uniform(0, 1e8, n)
    lost = rng.random(table.shape) < gaps
    table[:, :3][lost[:, :3]] = None
    return table


STORED = [NUMBER, TEXT, TEXT, DATE]


@pytest.mark.parametrize("combine", ["sum", "product", "anova"])
@settings(max_examples=15)
@given(seed=st.integers(0, 10**6), gaps=st.floats(0, 0.9))
def test_no_gaps_make_the_kernel_indefinite(combine, seed, gaps):
    """Gower's similarity fails this: smallest eigenvalue -3.8 on 60 rows with gaps."""
    table = mixed(40, seed, gaps)
    prepared = TablePreparation(stored=STORED).fit(table)
    report = check_psd(Columns(prepared.blocks_, combine, 0.7), prepared.transform(table))
    assert report, report.explain()


def test_a_product_over_columns_is_a_gaussian_of_all_coordinates():
    table = mixed()
    prepared = TablePreparation(stored=STORED).fit(table)
    Z = prepared.transform(table)
    np.testing.assert_allclose(Columns(prepared.blocks_, "product", 1.3)(Z), Gaussian(1.3)(Z))


def test_sum_and_anova_by_hand():
    X = np.random.default_rng(0).normal(size=(6, 3))
    parts = [Gaussian(0.8)(X[:, b]) for b in ([0], [1, 2])]
    weights = (0.25, 0.75)
    first = sum(w * k for w, k in zip(weights, parts, strict=True))
    blocks = [[0], [1, 2]]
    np.testing.assert_allclose(Columns(blocks, "sum", 0.8, weights)(X), first)
    whole = first + weights[0] * weights[1] * parts[0] * parts[1]
    np.testing.assert_allclose(
        Columns(blocks, "anova", 0.8, weights)(X), whole / (1 + weights[0] * weights[1])
    )


def test_a_gap_is_a_level_and_is_never_filled_in():
    table = np.array([[1.0], [2.0], [3.0], [np.nan], [np.nan]])
    Z = TablePreparation().fit_transform(table)
    assert np.array_equal(Z[3], Z[4])
    assert np.linalg.norm(Z[3] - Z[1]) >= 1.0  # not the same as the middle value


def test_ordinal_distances_count_steps():
    table = text("low", "medium", "high", "low", "high", "medium")[:, None]
    Z = TablePreparation(stored=[TEXT]).fit_transform(table)
    one, two = np.sum((Z[0] - Z[1]) ** 2), np.sum((Z[0] - Z[2]) ** 2)
    assert two == pytest.approx(2 * one)


@pytest.mark.parametrize(
    ("levels", "order"),
    [
        (["high", "low", "medium"], ["low", "medium", "high"]),
        (["20-29", "10-19", "30-39"], ["10-19", "20-29", "30-39"]),
        (["L", "S", "M"], ["S", "M", "L"]),
        (["<10", ">20", "10-20"], ["<10", "10-20", ">20"]),
        (["red", "green", "blue"], None),
        (["a", "b"], None),
    ],
)
def test_orders_that_names_tell(levels, order):
    assert natural_order(levels) == order


def test_new_and_rare_values_share_a_place():
    table = text("a", "a", "b", "b", "rare")[:, None]
    prepared = TablePreparation(stored=[TEXT]).fit(table)
    new = prepared.transform(text("rare", "never seen")[:, None])
    assert np.array_equal(new[0], new[1])


def test_texts_are_compared_by_letters():
    values = [f"the quick brown fox {i}" for i in range(15)]
    values += [f"a lazy dog slept here {i}" for i in range(15)]
    Z = TablePreparation(stored=[TEXT]).fit_transform(text(*values)[:, None])
    near, far = np.linalg.norm(Z[0] - Z[1]), np.linalg.norm(Z[0] - Z[20])
    assert near < 0.6 * far


def test_treatments_can_be_chosen():
    table = text("1", "2", "3", "1")[:, None]
    wish = TablePreparation(["x"], [TEXT], {"x": "ordinal:3<2<1"}).fit(table)
    assert wish.encoders_[0].levels_ == ["3", "2", "1"]
    with pytest.raises(ValueError, match="cannot be treated as 'fish'"):
        TablePreparation(["x"], [TEXT], {"x": "fish"}).fit(table)


def test_nothing_is_learned_from_rows_that_are_counted():
    """The whole procedure sees the counted rows only when it predicts them."""
    table, rng = mixed(80, 1), np.random.default_rng(0)
    y = np.where(rng.random(80) > 0.5, "a", "b")
    machine = TableMachine(stored=STORED, kernel="gaussian", probability=False)
    model = certified_fit(machine, table, y, mode="holdout", random_state=3)
    trained = model.certification_.train_rows
    alone = clone(machine).fit(table[trained], y[trained])
    assert np.array_equal(model.predict(table), alone.predict(table))
    changed = table.copy()
    changed[model.certification_.counted_rows, 0] = 1e6
    again = certified_fit(machine, changed, y, mode="holdout", random_state=3)
    assert np.array_equal(again.predict(table), model.predict(table))


def test_regression_intervals_hold_about_as_often_as_asked():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    y = 3 * X[:, 0] + rng.normal(size=400)
    model = TableMachine("regression", kernel="gaussian", coverage=0.8).fit(X[:200], y[:200])
    low, high = model.predict_interval(X[200:]).T
    assert 0.65 < np.mean((low <= y[200:]) & (y[200:] <= high)) < 0.95


def test_many_rows_go_through_few_coordinates():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 2))
    y = np.where(np.hypot(*X.T) > 1.2, "out", "in")
    model = TableMachine(kernel="gaussian", rank=60, search_rows=200).fit(X[:500], y[:500])
    assert model.score(X[500:], y[500:]) > 0.9
    assert model.predict_proba(X[:3]).shape == (3, 2)


@parametrize_with_checks(
    [TablePreparation()],
    expected_failed_checks=lambda estimator: {
        "check_estimators_nan_inf": "gaps are a level of their own",
        "check_fit2d_1sample": "one row has only constant columns",
    },
)
def test_the_preparation_keeps_scikit_learns_contract(estimator, check):
    check(estimator)


# -- checks of the data --------------------------------------------------------------------------


def numbers(name, *values):
    return Column(name, NUMBER, np.array(values, dtype=float))


def test_identifiers():
    assert key_reason(numbers("x", *range(100, 150)))
    assert key_reason(Column("k", TEXT, text(*(f"P{i:04d}" for i in range(50)))))
    assert not key_reason(numbers("x", *np.random.default_rng(0).normal(size=50)))
    assert not key_reason(Column("k", TEXT, text(*("ab" * 25))))


def test_what_is_said_about_columns():
    rows = np.arange(1, 31)
    columns = [
        numbers("constant", *[7] * 30),
        numbers("empty", *[np.nan] * 30),
        numbers("holes", *([np.nan] * 12 + list(np.linspace(0, 1, 18)))),
        numbers("far", *([1e200, np.inf] + [0.5, 0.25] * 14)),
    ]
    found = {f.code: f for f in check_columns(columns, rows, identifiers(columns))}
    assert {"constant", "empty", "missing", "infinite", "huge"} <= set(found)
    assert found["infinite"].rows == (2,)


def test_duplicates_are_exact():
    a, b = numbers("a", 1, 1, 2, 1, np.nan, np.nan), Column("b", TEXT, text(*"xyxx", None, None))
    assert duplicate_rows([a, b]).tolist() == [3, 5]


def test_leaks_are_told_and_not_removed():
    y = np.array(["p", "n"] * 20)
    told = check_target([numbers("code", *([1, 0] * 20))], y, "classification", "y", {})
    assert [f.code for f in told] == ["leak"]
    assert not check_target([numbers("x", *range(40))], y, "classification", "y", {})
    line = np.linspace(0, 1, 40)
    assert check_target([numbers("x", *(3 * line))], line, "regression", "y", {})


def test_tasks_are_found():
    assert make_target(numbers("y", *([0, 1] * 20))).task == "classification"
    assert make_target(numbers("y", *np.linspace(0, 1, 40))).task == "regression"
    assert make_target(numbers("y", *range(40))).task == "regression"
    assert make_target(Column("y", TEXT, text(*"abab"))).counts == {"a": 2, "b": 2}
    with pytest.raises(DataError, match="every row"):
        make_target(numbers("y", *[1.5] * 9), "regression")


def test_plans():
    assert make_plan(500, 10, 50, 10**5).kind == "exact"
    large = make_plan(200_000, 20, 50, 10**7)
    assert (large.kind, large.rank) == ("measured", 500)
    more = [make_plan(10**k, 20, 50, 10**7, memory_limit="1TB").rank for k in range(4, 9)]
    assert more == sorted(more)  # more rows never get fewer landmarks
    assert large.memory_bytes < large.memory_limit
    with pytest.raises(LimitError, match="Raise --memory-limit"):
        make_plan(10**6, 100, 50, 10**9, memory_limit="500MB")
    # little time is no reason to leave a machine whose training is quick, however long the search
    assert make_plan(5000, 20, 100, 10**6, time_limit=0.1).kind == "exact"
    assert make_plan(18_000, 800, 100, 10**6, time_limit=20.0).kind == "measured"
    assert make_plan(18_000, 800, 100, 10**6).kind == "exact"
    assert make_plan(500, 10, 50, 10**5, route="cells").kind == "cells"
    assert make_plan(10**5, 10, 50, 10**5, route="low-rank", rank=77).rank == 77
