"""Copies of a few records: too few different rows to see that a column never repeats."""

import numpy as np
import pytest

from helpers_clean import alarm
from mercer.certification.checks.case import Case


@pytest.mark.parametrize("records", [10, 15, 25])
@pytest.mark.parametrize("times", [2, 10, 30])
def test_copies_of_few_records_are_found(records, times):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(records, 3)), rng.integers(0, 2, records)
        y[:2] = 0, 1
        i = rng.permutation(np.repeat(np.arange(records), times))
        assert alarm(Case(X[i], y[i], fresh=True)).startswith("copies:")


def _settings(rng):
    """A dose and its logarithm, each tried many times: labels differ where rows are equal."""
    dose = rng.random(rng.integers(9, 28))[rng.integers(0, 9, 300)]
    y = (rng.random(300) < 1 / (1 + np.exp(-6 * (dose - 0.5)))).astype(int)
    return np.column_stack([dose, np.log(dose)]), y


def _setting_and_measurement(rng):
    dose = rng.random(15)[rng.integers(0, 15, 300)]
    return np.column_stack([dose, rng.normal(size=300)]), (dose > 0.5).astype(int)


def _whole_numbers(rng):
    """Few levels, and labels that follow from them."""
    X = rng.integers(0, 4, (300, 2))
    return X, (X.sum(axis=1) > 3).astype(int)


def _one_column(rng):
    x = rng.random(12)[rng.integers(0, 12, 300)]
    return x[:, None], (x > 0.5).astype(int)


@pytest.mark.parametrize("draw", [_settings, _setting_and_measurement, _whole_numbers, _one_column])
def test_designs_of_few_settings_are_let_alone(draw):
    for seed in range(30):
        X, y = draw(np.random.default_rng(seed))
        assert alarm(Case(X, y, fresh=True)) == ""
