"""A trend along the file is told where the order may be time, not where the file was sorted."""

import numpy as np
import pytest

from mercer.certification.checks.case import Case
from mercer.certification.checks.trend import Trend

N = 400


def told(columns, y):
    """Whether the change of the target along the file is mentioned."""
    found = Trend().look(Case(np.column_stack(columns), y))
    return any(one.p_value < 1e-4 for one in found)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def drifting(rng):
    return (np.arange(N) + 100 * rng.normal(size=N) > N / 2) * 1


def test_a_trend_that_nothing_explains_is_told(rng):
    assert told([rng.normal(size=N), rng.integers(0, 3, N)], drifting(rng))
    assert not told([rng.normal(size=N)], rng.integers(0, 2, N))


def test_a_file_sorted_by_its_target_or_by_a_column_is_not(rng):
    y = np.repeat([0, 1], N // 2)
    assert not told([rng.normal(size=N)], y)
    site = np.repeat([4.0, 1.0, 2.0, 3.0], N // 4)  # parts of a file, put together
    assert not told([rng.normal(size=N), site], drifting(rng))
    dose = np.sort(rng.normal(size=N))
    assert not told([rng.normal(size=N), dose], drifting(rng))
    assert not told([rng.normal(size=N), -dose + 0.1 * rng.normal(size=N)], drifting(rng))


YEAR = np.repeat(np.arange(2001.0, 2011.0), N // 10)
TIMES = {
    "years": YEAR,
    "months as numbers": YEAR * 100 + 1 + np.arange(N) % 12,
    "days as numbers": YEAR * 10_000 + 1231,
    "moments": 86_400.0 * (11_000 + np.arange(N)),
}


@pytest.mark.parametrize("name", TIMES)
def test_time_that_runs_along_the_file_is_always_told(name, rng):
    site = np.repeat([4.0, 1.0, 2.0, 3.0], N // 4)
    assert told([site, TIMES[name]], drifting(rng))
    shuffled = rng.permutation(TIMES[name])
    assert not told([site, shuffled], drifting(rng))


def test_dates_of_a_frame_are_time(rng):
    pd = pytest.importorskip("pandas")
    day = pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(N), "D")
    frame = pd.DataFrame({"x": rng.normal(size=N), "day": day})
    found = Trend().look(Case(frame, drifting(rng)))
    assert any(one.p_value < 1e-4 for one in found)
