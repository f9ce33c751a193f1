"""One pass is evidence of the risk only where the order of the rows says nothing."""

import warnings
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import norm

from mercer.learners.margin import KernelPerceptron, Perceptron
from mercer.learners.margin.perceptron._file_order import (
    LEVEL,
    NOTHING,
    InputOrder,
    as_drawn,
    p_value,
    then,
)

MACHINES = [
    Perceptron(max_iter=1, combine="vote"),
    Perceptron(max_iter=1, combine="average"),
    KernelPerceptron(gamma=0.1, max_iter=1, combine="vote"),
    KernelPerceptron(gamma=0.1, max_iter=1, budget=50),
]


def arrangements(a, b):
    for places in combinations(range(a + b), b):
        sign = -np.ones(a + b)
        sign[list(places)] = 1
        yield sign


def runs_of(sign):
    return 1 + sum(sign[i] != sign[i - 1] for i in range(1, len(sign)))


@pytest.mark.parametrize(("a", "b"), [(1, 1), (1, 6), (4, 4), (5, 3), (7, 2)])
def test_the_exact_test_is_a_count_of_arrangements(a, b):
    """The slow twin lists them all."""
    all_runs = np.array([runs_of(sign) for sign in arrangements(a, b)])
    for sign in arrangements(a, b):
        record = then(NOTHING, sign)
        assert record == (a, b, runs_of(sign), sign[-1])
        fewer, more = np.mean(all_runs <= runs_of(sign)), np.mean(all_runs >= runs_of(sign))
        assert p_value(record) == pytest.approx(min(1.0, 2 * min(fewer, more)))


def test_a_stream_goes_on_where_it_stopped():
    sign = np.random.default_rng(0).choice([-1.0, 1.0], 500)
    whole, pieces = then(NOTHING, sign), NOTHING
    for piece in np.split(sign, [1, 1, 90, 333]):
        pieces = then(pieces, piece)
    assert pieces == whole


def test_random_orders_are_seldom_held_back():
    rng = np.random.default_rng(1)
    labels = np.repeat([-1.0, 1.0], [60, 25])
    X = np.column_stack([rng.normal(size=85), rng.standard_cauchy(85), rng.random(85) < 0.1])
    held = [
        not as_drawn(then(NOTHING, rng.permutation(labels)), InputOrder().then(rng.permutation(X)))
        for _ in range(3000)
    ]
    assert np.mean(held) < LEVEL + 3 * np.sqrt(LEVEL / 3000)


def test_the_record_of_inputs_is_a_correlation_with_the_row_before():
    """The twin has all rows; pieces of a stream come to the same."""
    rng = np.random.default_rng(2)
    X = 1e5 + np.cumsum(rng.normal(size=(200, 3)), axis=0)
    z = np.arcsinh(X - X[0])
    z = z - z.mean(axis=0)
    alike = (z[1:] * z[:-1]).sum(axis=0) / (z**2).sum(axis=0)
    expected = min(1.0, 3 * 2 * norm.sf(np.abs(alike + 1 / 200).max() * np.sqrt(200)))
    pieces = InputOrder()
    for piece in np.split(X, [1, 1, 3, 120]):
        pieces = pieces.then(piece)
    assert InputOrder().then(X).p_value() == pytest.approx(expected)
    assert pieces.p_value() == pytest.approx(expected)


@pytest.mark.parametrize(
    "rows",
    [np.array(["a", "bc"] * 30, dtype=object), np.ones((60, 2)), np.zeros((60, 0))],
    ids=repr,
)
def test_rows_without_numbers_that_differ_say_nothing(rows):
    assert InputOrder().then(rows).p_value() == 1.0


def in_two_regimes(seed):
    """Labels that look drawn, and are easy for a rule that knows only where it has just been."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(400, 2))
    return X, (X[:, 1] * np.sign(X[:, 0]) > 0).astype(int)


def noise(seed):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(400, 5)), rng.integers(0, 2, 400)


@pytest.mark.parametrize("machine", MACHINES, ids=repr)
def test_a_sorted_file_is_no_evidence(machine):
    X, y = noise(0)
    o = np.argsort(y, kind="stable")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ordered = machine.fit(X[o], y[o])
        assert not [code for code in ordered.certificates_ if code.startswith("progressive")]
        assert "progressive" in ordered.evidence_.lost, (
            "a look at the labels decided: delta is spent"
        )
        assert ordered.certificate_.value > 0.5
        assert "progressive" in machine.fit(X, y).certificates_
        drawn = machine.set_params(order="random", random_state=0).fit(X[o], y[o])
        assert drawn.certificates_["progressive"].value > 0.5
        machine.set_params(order="cyclic", random_state=None)


@pytest.mark.parametrize("machine", [Perceptron(), KernelPerceptron(gamma=0.1)], ids=repr)
def test_a_sorted_stream_is_no_evidence(machine):
    X, y = noise(1)
    o = np.argsort(y, kind="stable")
    for part in np.split(o, 8):
        machine.partial_fit(X[part], y[part], classes=[0, 1])
    assert not [code for code in machine.certificates_ if code.startswith("progressive")]


@pytest.mark.parametrize("machine", MACHINES, ids=repr)
def test_a_file_sorted_by_an_input_is_no_evidence(machine, monkeypatch):
    X, y = in_two_regimes(0)
    o = np.argsort(X[:, 0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert "progressive" not in machine.fit(X[o], y[o]).certificates_
        assert "progressive" in machine.fit(X, y).certificates_
        # without the record of inputs the claim would be made, and false for the linear machine
        monkeypatch.setattr(InputOrder, "p_value", lambda self: 1.0)
        claim = machine.fit(X[o], y[o]).certificates_["progressive"]
        if isinstance(machine, Perceptron):
            assert claim.value < 0.4, "the risk of every such rule is one half"


def test_a_stream_sorted_by_an_input_is_no_evidence():
    X, y = in_two_regimes(1)
    o = np.argsort(X[:, 0])
    for machine in (Perceptron(), KernelPerceptron(gamma=0.1)):
        for part in np.split(o, 8):
            machine.partial_fit(X[part], y[part], classes=[0, 1])
        assert "progressive" not in machine.certificates_
