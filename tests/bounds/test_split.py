"""The split rule: flat learning curves hold out much, steep ones little."""

import pytest

from mercer.bounds import HalfStudy, train_fraction

FLAT = HalfStudy(early=18, early_rows=300, early_late=6, late=6, late_rows=100)
STEEP = HalfStudy(early=90, early_rows=300, early_late=30, late=12, late_rows=100)


def test_exponent_and_prediction():
    assert FLAT.exponent() == 0.0
    assert FLAT.risk_at(0.4) == pytest.approx(FLAT.risk_at(0.9))
    assert FLAT.risk_at(0.4) == pytest.approx((300 * 19 / 302 + 6) / 400)
    assert STEEP.exponent() == pytest.approx(1.1375, abs=1e-3)
    assert STEEP.risk_at(0.8) == pytest.approx(STEEP.risk_at(0.4) * 2 ** -STEEP.exponent())


def test_flat_curves_hold_out_more():
    assert train_fraction(FLAT, 1000) == 0.6
    assert train_fraction(FLAT, 1000, objective="tight") == 0.5
    assert train_fraction(STEEP, 1000) > 0.7


def test_large_samples_need_a_smaller_share():
    big = HalfStudy(early=15000, early_rows=300_000, early_late=5000, late=4900, late_rows=100_000)
    # research note §5: hold out .11 at a million rows with 5 % errors, .35 at 30,000
    assert train_fraction(big, 1_000_000) == pytest.approx(0.89, abs=0.005)
    assert train_fraction(big, 30_000) == pytest.approx(0.65, abs=0.02)


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="objective"):
        train_fraction(FLAT, 100, objective="fast")
    with pytest.raises(ValueError, match="two rows"):
        train_fraction(FLAT, 1)
    with pytest.raises(ValueError, match="delta"):
        train_fraction(FLAT, 100, 1.0)
