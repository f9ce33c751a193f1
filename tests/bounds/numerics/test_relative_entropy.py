"""kl and its inverses against 40 digits, near the corners and for tiny budgets."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import helpers_exact as exact
from mercer.bounds.numerics import kl, kl_lower, kl_upper

QS = [0.0, 1e-12, 1e-7, 0.01, 0.3, 0.5, 0.9, 1 - 1e-7, 1 - 1e-12, 1.0]
PS = [1e-300, 1e-9, 0.01, 0.3 + 1e-9, 0.5, 0.97, 1 - 1e-9]


@pytest.mark.parametrize("q", QS)
@pytest.mark.parametrize("p", PS)
def test_kl(q, p):
    assert kl(q, p) == pytest.approx(float(exact.kl(q, p)), rel=1e-11, abs=1e-30)


def test_kl_of_impossible_outcomes_is_infinite():
    assert kl(0.2, 0.0) == math.inf
    assert kl(0.2, 1.0) == math.inf
    assert kl(0.0, 1.0) == math.inf
    assert kl(1.0, 0.0) == math.inf
    assert kl(0.0, 0.0) == kl(1.0, 1.0) == 0.0


@pytest.mark.parametrize("q", [0.0, 1e-7, 0.003, 0.1, 0.5, 0.97, 1 - 1e-6])
@pytest.mark.parametrize("c", [1e-12, 3e-7, 1e-4, 0.02, 0.7, 5.0])
def test_inverses(q, c):
    up, low = kl_upper(q, c), kl_lower(q, c)
    true_up = float(exact.bisect(lambda p: exact.kl(q, p) - c, q, 1))
    assert up == pytest.approx(true_up, rel=1e-10)
    if q > 0:
        true_low = float(exact.bisect(lambda p: c - exact.kl(q, p), 0, q, 2000))
        assert low == pytest.approx(true_low, rel=1e-9, abs=1e-290)


@settings(max_examples=300)
@given(st.floats(0, 1), st.floats(1e-15, 50))
def test_inverses_are_outside(q, c):
    up, low = kl_upper(q, c), kl_lower(q, c)
    assert 0 <= low <= q <= up <= 1
    beyond, before = min(1.0, up + 2e-16), low - 2e-16 if low > 1e-10 else low  # ulps of 1
    assert up == 1.0 or kl(q, beyond) >= c * (1 - 1e-12)
    assert low == 0.0 or kl(q, before) >= c * (1 - 1e-12)


def test_bad_input_is_refused():
    for bad in (-0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match=r"\[0, 1\]"):
            kl_upper(bad, 0.1)
    with pytest.raises(ValueError, match="budget"):
        kl_upper(0.1, -1.0)
    with pytest.raises(ValueError, match="budget"):
        kl_lower(0.1, float("nan"))
