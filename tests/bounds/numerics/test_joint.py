"""The joint limit of two counted rates: exact failure probabilities, no simulation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from mercer.bounds.numerics import clopper_upper, sum_of_rates_upper

SMALL = (12, 16)  # trials of the two counts


def table(delta, expected, m=SMALL[0], u=SMALL[1]):
    """The limit for every pair of counts."""
    return np.array(
        [
            [sum_of_rates_upper((k, m), (d, u), delta, expected=expected) for d in range(u + 1)]
            for k in range(m + 1)
        ]
    )


def worst_failure(limits, p, m=SMALL[0], u=SMALL[1]):
    """Failure probability when q is chosen after k has been seen, as badly as possible."""
    total = 0.0
    d = np.arange(u + 1)
    for k in range(m + 1):
        candidates = np.clip(np.concatenate([limits[k] - p + 1e-9, [0.0, 1.0]]), 0.0, 1.0)
        fails = limits[k][None, :] < p + candidates[:, None] - 1e-12
        lost = np.sum(binom.pmf(d[None, :], u, candidates[:, None]) * fails, axis=1)
        total += binom.pmf(k, m, p) * lost.max()
    return total


@pytest.mark.parametrize("expected", [(0.05, 0.02), (0.3, 0.2), (0.0, 0.0), (1.0, 0.9)])
@pytest.mark.parametrize("delta", [0.05, 0.3])
def test_fails_at_most_at_its_rate_whatever_the_second_rate_reacts_to(expected, delta):
    limits = table(delta, expected)
    worst = max(worst_failure(limits, p) for p in np.linspace(0.0, 0.6, 61))
    assert worst <= delta
    broken = table(0.999, expected)  # δ ignored
    assert max(worst_failure(broken, p) for p in np.linspace(0.0, 0.6, 61)) > 2 * delta


@pytest.mark.parametrize(("first", "second"), [((11, 400), (40, 5000)), ((3, 160), (1, 85))])
def test_is_tighter_than_the_union_bound_when_the_counts_come_as_expected(first, second):
    expected = first[0] / first[1], second[0] / second[1]
    joint = sum_of_rates_upper(first, second, 0.05, expected=expected)
    union = clopper_upper(*first, 0.04) + clopper_upper(*second, 0.01)
    assert max(clopper_upper(*first, 0.05), sum(expected)) < joint < 0.96 * union
    wrong = sum_of_rates_upper(first, second, 0.05, expected=(0.5, 0.5))
    assert joint < wrong < 2 * union


@settings(max_examples=60)
@given(
    st.integers(1, 200), st.integers(1, 200), st.floats(0, 1), st.floats(0, 1),
    st.floats(0.001, 0.5), st.data(),
)  # fmt: skip
def test_grows_with_the_counts_and_with_confidence(m, u, a, b, delta, data):
    k, d = data.draw(st.integers(0, m - 1)), data.draw(st.integers(0, u - 1))
    expected = (a, b)
    here = sum_of_rates_upper((k, m), (d, u), delta, expected=expected)
    assert here >= k / m + d / u - 1e-9
    assert here <= sum_of_rates_upper((k + 1, m), (d, u), delta, expected=expected) + 1e-12
    assert here <= sum_of_rates_upper((k, m), (d + 1, u), delta, expected=expected) + 1e-12


PAIRS = [((11, 400), (40, 5000)), ((3, 160), (1, 85)), ((15, 300), (60, 3000))]


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_widths_add_up_nearly_like_standard_deviations(first, second):
    rates = first[0] / first[1], second[0] / second[1]
    widths = [
        clopper_upper(*pair, 0.05) - rate for pair, rate in zip((first, second), rates, strict=True)
    ]
    joint = sum_of_rates_upper(first, second, 0.05, expected=rates)
    assert joint < 1.05 * (sum(rates) + np.hypot(*widths))


def test_impossible_counts_are_refused():
    with pytest.raises(ValueError, match="impossible"):
        sum_of_rates_upper((5, 4), (1, 10), 0.05, expected=(0.1, 0.1))
    with pytest.raises(ValueError, match="delta"):
        sum_of_rates_upper((1, 4), (1, 10), 1.5, expected=(0.1, 0.1))
