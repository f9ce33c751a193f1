"""One pass is evidence of the risk only where the order of the labels says nothing."""

import warnings
from itertools import combinations

import numpy as np
import pytest

from mercer.learners.margin import KernelPerceptron, Perceptron
from mercer.learners.margin.perceptron._file_order import LEVEL, NOTHING, as_drawn, p_value, then

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
    held = [not as_drawn(then(NOTHING, rng.permutation(np.repeat([-1.0, 1.0], [60, 25]))))
            for _ in range(3000)]  # fmt: skip
    assert np.mean(held) < LEVEL + 3 * np.sqrt(LEVEL / 3000)


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
