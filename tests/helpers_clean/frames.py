"""Data frames, of pandas and of polars: names, texts, dates, flags, whole numbers with gaps."""

import numpy as np

from helpers_clean import chance, flipped, law

CITIES = np.array(["Aachen", "Bonn", "Celle", "Dachau", "Essen", "Fulda", "Gotha"])


def _pandas(columns):
    import pandas as pd

    return pd.DataFrame(columns)


def _polars(columns):
    import polars as pl

    return pl.DataFrame(columns)


def _days(rng, n, span=900):
    return np.datetime64("2023-01-01") + rng.integers(0, span, n).astype("timedelta64[D]")


def _people(rng, n):
    age = rng.integers(18, 80, n)
    columns = {
        "age": age,
        "city": rng.choice(CITIES, n),
        "joined": _days(rng, n).astype("datetime64[ns]"),
        "spent": rng.gamma(2.0, 30.0, n).round(2),
    }
    return columns, chance(rng, (age - 45) / 15)


@law
def people_in_pandas(rng, n=300):
    columns, y = _people(rng, n)
    return _pandas(columns), y


@law
def people_in_polars(rng, n=300):
    columns, y = _people(rng, n)
    return _polars(columns), y


@law
def people_in_the_order_of_joining(rng, n=300):
    """On which nothing depends."""
    columns, y = _people(rng, n)
    columns["joined"] = np.sort(columns["joined"])
    return _pandas(columns), y


@law
def names_only_in_pandas(rng, n=300):
    columns = {"city": rng.choice(CITIES, n), "kind": rng.choice(["a", "b", "c"], n)}
    return _pandas(columns).astype("category"), flipped(rng, columns["city"] < "D", 0.2)


@law
def names_and_one_measurement_in_polars(rng, n=400):
    columns = {"city": rng.choice(CITIES, n), "weight": rng.normal(70, 10, n).round(1)}
    return _polars(columns), chance(rng, (columns["weight"] - 70) / 10)


@law
def whole_numbers_with_gaps_in_pandas(rng, n=300):
    import pandas as pd

    frame = _pandas({"children": rng.poisson(1.5, n), "rooms": rng.integers(1, 7, n)})
    frame["flag"] = pd.array(rng.random(n) < 0.3, dtype="boolean")
    frame = frame.astype({"children": "Int64", "rooms": "Int64"})
    frame.loc[rng.random(n) < 0.2, "rooms"] = pd.NA
    frame.loc[rng.random(n) < 0.1, "flag"] = pd.NA
    return frame, rng.integers(0, 2, n)


@law
def gaps_of_every_kind_in_polars(rng, n=300):
    missing = rng.random((3, n)) < 0.15
    columns = {
        "height": [
            None if m else float(v) for m, v in zip(missing[0], rng.normal(170, 9, n), strict=True)
        ],
        "city": [
            None if m else str(v) for m, v in zip(missing[1], rng.choice(CITIES, n), strict=True)
        ],
        "rooms": [
            None if m else int(v) for m, v in zip(missing[2], rng.integers(1, 6, n), strict=True)
        ],
    }
    return _polars(columns), rng.integers(0, 2, n)


@law
def short_remarks_in_pandas(rng, n=300):
    words = np.array(["late", "broken", "fine", "cold", "small", "good", "again", "blue"])
    remark = [" ".join(rng.choice(words, k)) for k in rng.integers(1, 4, n)]
    columns = {"remark": remark, "stars": rng.integers(1, 6, n)}
    return _pandas(columns), flipped(rng, columns["stars"] > 3)


@law
def account_names_of_their_own(rng, n=300):
    columns = {
        "account": [f"A{i:05d}" for i in rng.permutation(10**5)[:n]],
        "x": rng.normal(size=n),
    }
    return _pandas(columns), chance(rng, columns["x"])


@law
def row_numbers_in_polars(rng, n=300):
    columns = {"row": np.arange(n), "city": rng.choice(CITIES, n), "x": rng.normal(size=n)}
    return _polars(columns), chance(rng, columns["x"])


@law
def days_and_hours_in_pandas(rng, n=500):
    columns = {"day": _days(rng, n, 60).astype("datetime64[ns]"), "hour": rng.integers(0, 24, n)}
    return _pandas(columns), chance(rng, np.abs(columns["hour"] - 12) / 3 - 2)


@law
def days_in_polars(rng, n=200):
    return _polars({"day": _days(rng, n, 700).astype("datetime64[D]")}), rng.integers(0, 2, n)


@law
def flags_of_a_product_in_pandas(rng, n=600):
    """A name of many levels written out as flags, on which the label depends."""
    which = rng.integers(0, 20, n)
    frame = _pandas({f"is_{k}": which == k for k in range(20)})
    frame["x"] = rng.normal(size=n)
    return frame, chance(rng, 2 * np.random.default_rng(6).normal(size=20)[which])


@law
def postcodes_in_pandas(rng, n=600):
    """A code that many rows share and that matters: new rows have it as well."""
    code = rng.integers(0, 40, n)
    columns = {"code": [f"{10000 + 37 * c}" for c in code], "x": rng.normal(size=n)}
    return _pandas(columns), chance(rng, np.random.default_rng(7).normal(size=40)[code])


@law
def prices_in_polars_and_a_number_as_target(rng, n=400):
    columns = {
        "city": rng.choice(CITIES, n),
        "rooms": rng.integers(1, 6, n),
        "year": rng.integers(1950, 2024, n),
    }
    return _polars(columns), columns["rooms"] * 50.0 + rng.normal(0, 20, n).round(1)
