"""What the compiled module for sequences refuses; below its binding nothing is checked."""

import numpy as np
import pytest

from mercer import _sequences as core

SYMBOLS = np.array([0, 1, 1], dtype=np.int32)
STARTS = np.array([0, 2, 3], dtype=np.int64)
ONE = np.ones(1)


def call(**changes):
    given = {
        "x": SYMBOLS,
        "x_starts": STARTS,
        "y": SYMBOLS,
        "y_starts": STARTS,
        "weights": ONE,
        "decay": 0.5,
        "symmetric": False,
        "n_threads": 1,
    }
    return core.subsequence(**{**given, **changes})


def test_good_input_at_any_number_of_threads():
    expected = np.array([[0.5, 0.25], [0.25, 0.25]])
    for threads in (-3, 0, 1, 2, 1000):
        np.testing.assert_array_equal(call(n_threads=threads), expected)
        np.testing.assert_array_equal(call(n_threads=threads, symmetric=True), expected)


@pytest.mark.parametrize(
    "starts", [[0, 2], [1, 3], [0, 5, 3], [0, 2, 4], [0, -1, 3], [], [0]], ids=str
)
def test_impossible_starts(starts):
    with pytest.raises(ValueError, match="starts"):
        call(x_starts=np.array(starts, dtype=np.int64))


@pytest.mark.parametrize(
    "changes",
    [
        {"weights": np.ones(0)},
        {"weights": np.ones(65)},
        {"decay": 0.0},
        {"decay": np.nan},
        {"decay": np.inf},
        {"x": np.array([0, -1, 1], dtype=np.int32)},
        {"y_starts": np.array([0, 3], dtype=np.int64), "symmetric": True},
    ],
    ids=str,
)
def test_impossible_values(changes):
    with pytest.raises(ValueError, match=r"."):
        call(**changes)


@pytest.mark.parametrize(
    "changes",
    [
        {"x": SYMBOLS.astype(np.int64)},
        {"x": SYMBOLS[::2]},
        {"x_starts": STARTS.astype(np.int32)},
        {"weights": np.ones((1, 1))},
        {"decay": "half"},
    ],
    ids=str,
)
def test_wrong_types_are_not_converted(changes):
    with pytest.raises(TypeError):
        call(**changes)


def test_alignments_check_their_symbols_and_factors():
    sides = (SYMBOLS, STARTS, SYMBOLS, STARTS)
    good = core.local_log(*sides, np.ones((2, 2)), 0.5, 0.5, True, 1)
    np.testing.assert_allclose(good, good.T)
    with pytest.raises(ValueError, match="alphabet"):
        core.local_log(*sides, np.ones((1, 1)), 0.5, 0.5, False, 1)
    with pytest.raises(ValueError, match="square"):
        core.local_log(*sides, np.ones((2, 3)), 0.5, 0.5, False, 1)
    with pytest.raises(ValueError, match="gap"):
        core.local_log(*sides, np.ones((2, 2)), 1.5, 0.5, False, 1)
    points, wide = np.zeros((3, 1)), np.zeros((3, 2))
    with pytest.raises(ValueError, match="coordinates"):
        core.warping(points, STARTS, wide, STARTS, -1, False, 1)
    with pytest.raises(ValueError, match="length_scale"):
        core.global_log(points, STARTS, points, STARTS, 0.0, 0, False, 1)
