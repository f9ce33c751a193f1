"""Data frames of numbers, texts and dates: the trouble that tables have is found in them too."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from helpers_clean import alarm
from mercer.certification.checks.case import Case

N = 300
MAKERS = {"pandas": pd.DataFrame, "polars": pl.DataFrame}
DAY = np.datetime64("2024-01-01", "us")


def _records(rng, n):
    """People with a number, a name, a text and a date each, and labels that are coin flips."""
    columns = {
        "size": rng.normal(size=n),
        "kind": rng.choice(["north", "south"], n),
        "remark": [" ".join(rng.choice(["good", "bad", "late", "new"], 3)) for _ in range(n)],
        "day": DAY + rng.integers(0, 900, n).astype("timedelta64[D]"),
    }
    return {name: np.asarray(values) for name, values in columns.items()}, rng.integers(0, 2, n)


def _clean(rng):
    return _records(rng, N)


def _copies(rng):
    columns, y = _records(rng, N // 5)
    i = rng.permutation(np.repeat(np.arange(N // 5), 5))
    return {name: values[i] for name, values in columns.items()}, y[i]


def _near_copies(rng):
    columns, y = _copies(rng)
    columns["size"] = columns["size"] + 1e-6 * rng.normal(size=N)
    return columns, y


def _few_near_copies(rng):
    """One row in ten was typed again, with fewer digits."""
    columns, y = _records(rng, N)
    i = np.concatenate([np.arange(N), np.arange(N // 10)])
    columns = {name: values[i] for name, values in columns.items()}
    columns["size"][N:] = columns["size"][N:].astype(np.float32)
    shuffled = rng.permutation(len(i))
    return {name: values[shuffled] for name, values in columns.items()}, y[i][shuffled]


def _names_of_patients(rng):
    columns, _ = _records(rng, N)
    who = rng.permutation(np.repeat(np.arange(N // 6), 6))
    columns["patient"] = np.array([f"P{k:03d}" for k in who])
    return columns, rng.integers(0, 2, N // 6)[who]


def _flags_of_patients(rng):
    columns, _ = _records(rng, N)
    who = rng.permutation(np.repeat(np.arange(N // 6), 6))
    flags = {f"is_{k}": who == k for k in range(N // 6)}
    return columns | flags, rng.integers(0, 2, N // 6)[who]


def _row_numbers(rng):
    columns, _ = _records(rng, N)
    columns["row"] = np.arange(1, N + 1)
    return columns, np.repeat(rng.integers(0, 2, N // 10), 10)


def _days_one_after_another(rng):
    columns, _ = _records(rng, N)
    columns["day"] = np.sort(columns["day"])
    return columns, np.repeat(rng.integers(0, 2, N // 10), 10)


def _series(rng):
    columns, _ = _records(rng, N)
    walk = np.cumsum(rng.normal(size=(N, 2)), axis=0)
    return columns | {"size": walk[:, 0], "level": walk[:, 1]}, np.repeat(
        rng.integers(0, 2, 30), 10
    )


TROUBLE = {
    "copies": (_copies, "copies"),
    "near copies": (_near_copies, "copies in part"),
    "one row in ten again": (_few_near_copies, "near copies"),
    "names of patients": (_names_of_patients, "groups"),
    "flags of patients": (_flags_of_patients, "groups"),
    "row numbers": (_row_numbers, "row numbers"),
    "days": (_days_one_after_another, "row numbers"),
    "series": (_series, "order"),
}


@pytest.mark.parametrize("library", MAKERS)
@pytest.mark.parametrize("name", TROUBLE)
def test_trouble_in_a_frame_is_found(library, name):
    draw, code = TROUBLE[name]
    for seed in range(3):
        columns, y = draw(np.random.default_rng(seed))
        assert alarm(Case(MAKERS[library](columns), y)).startswith(f"{code}:")


@pytest.mark.parametrize("library", MAKERS)
def test_clean_frames_are_let_alone(library):
    for seed in range(5):
        columns, y = _clean(np.random.default_rng(seed))
        assert alarm(Case(MAKERS[library](columns), y)) == ""


@pytest.mark.parametrize("library", MAKERS)
def test_the_name_of_the_column_is_told(library):
    columns, y = _names_of_patients(np.random.default_rng(0))
    assert "'patient'" in alarm(Case(MAKERS[library](columns), y))


def test_moments_with_a_time_zone_gaps_and_days_are_dates():
    days = pd.date_range("2024-01-01", periods=N, tz="Europe/Berlin")
    y = np.repeat(np.random.default_rng(0).integers(0, 2, N // 10), 10)
    table = pd.DataFrame({"when": days, "x": np.random.default_rng(1).normal(size=N)})
    assert alarm(Case(table, y)).startswith("row numbers: 'when' says when")
    table["when"] = [day.date() for day in days]
    assert alarm(Case(table, y)).startswith("row numbers: 'when' says when")
    table.loc[3, "when"] = None  # no longer one after another, as far as anybody can tell
    assert not alarm(Case(table, y)).startswith("row numbers")
