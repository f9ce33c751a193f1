"""The command line: what counts is the exit code, and what certificate.json says first."""

import csv
import json
import re
import tempfile
from pathlib import Path

import numpy as np

from helpers_cli import mercer
from helpers_leaks import Claim, noise, way

REQUIRED = 0.3  # of an error that is 0.5
DELTA = 0.01  # small, so that two false claims are enough


def _gate(columns, rows):
    """The claim of exit code 0 from ``mercer fit --require-error``."""
    with tempfile.TemporaryDirectory() as folder:
        code, _ = _fit(Path(folder), columns, rows, "--require-error", REQUIRED)
    if code not in (0, 3, 5):
        raise AssertionError(f"mercer fit ended with exit code {code}")
    return Claim(REQUIRED, 0.5, clean=code == 0)


def _fit(folder, columns, rows, *options):
    path = folder / "data.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*columns, "y"])
        writer.writerows(rows)
    quick = ("--kernel", "gaussian", "--report", "none", "--delta", DELTA)
    ran = mercer("fit", path, "--target", "y", "--output", folder / "out", *quick, *options)
    return ran.code, ran.out + ran.err


def _rows(X, y, digits=6):
    return [
        [*(round(float(v), digits) for v in x), "ab"[int(label)]]
        for x, label in zip(X, y, strict=True)
    ]


def _four_of_each(rng, n):
    return rng.permutation(np.repeat(np.arange(n), 4))


@way(draws=2, delta=DELTA)
def gate_opens_for_copied_rows(rng):
    X, y = noise(rng, 50, 3)
    i = _four_of_each(rng, 50)
    return _gate("abc", _rows(X[i], y[i]))


@way(draws=2, delta=DELTA)
def gate_opens_for_copied_whole_numbers(rng):
    X, y = rng.integers(0, 10, (50, 5)), rng.integers(0, 2, 50)
    i = _four_of_each(rng, 50)
    return _gate("abcde", _rows(X[i], y[i]))


@way(draws=2, delta=DELTA)
def gate_opens_for_visits_of_patients(rng):
    who = np.repeat(np.arange(30), 8)
    X, y = noise(rng, 30, 3)
    visits = _rows(X[who] + 0.01 * rng.normal(size=(240, 3)), y[who])
    named = [[f"P{p}", *row] for p, row in zip(who, visits, strict=True)]
    return _gate(["patient", "a", "b", "c"], [named[k] for k in rng.permutation(240)])


@way(draws=2, delta=DELTA)
def gate_opens_for_rows_in_time(rng):
    X = np.cumsum(rng.normal(size=(240, 2)), axis=0)
    return _gate("ab", _rows(X, np.repeat(rng.permutation(np.arange(8) % 2), 30)))


@way(draws=2, delta=DELTA)
def certificate_file_of_copied_rows(rng):
    """The statement of certificate.json is what gets quoted."""
    X, y = noise(rng, 50, 3)
    i = _four_of_each(rng, 50)
    with tempfile.TemporaryDirectory() as folder:
        code, _ = _fit(Path(folder), "abc", _rows(X[i], y[i]))
        if code:
            return None
        written = json.loads((Path(folder) / "out" / "certificate.json").read_text())
    plain = not re.search(r"DOES NOT|cop(y|ies|ied)|group", written["statement"])
    return Claim(written["certificate"]["value"], 0.5, plain)


@way(draws=1, delta=0.0)
def sentence_of_rows_in_time(rng):
    """The sentence is quoted without the list beside it."""
    X = np.cumsum(rng.normal(size=(240, 2)), axis=0)
    rows = _rows(X, np.repeat(rng.permutation(np.arange(8) % 2), 30))
    with tempfile.TemporaryDirectory() as folder:
        _fit(Path(folder), "ab", rows)
        written = json.loads((Path(folder) / "out" / "certificate.json").read_text())
    clean = written["statement"].startswith("With ")
    return Claim(written["certificate"]["value"], 0.5, clean)


@way(draws=1, delta=0.0)
def rivals_measured_on_the_counted_rows(rng):
    """A rate beside the certified model's, from the same rows, invites to change over."""
    X = rng.normal(size=(80, 2))
    with tempfile.TemporaryDirectory() as folder:
        code, said = _fit(Path(folder), "ab", _rows(X, X[:, 0] > 0))
    said = " ".join(said.split())
    shown = re.search(r"linear model: [\d.]+ % wrong", said)
    warned = re.search(r"chang\w+ over|switch|not certified|choos\w+ (among|between)", said)
    if code or not shown or warned:
        return None
    return Claim(0.0, 1.0, clean=True)


@way(draws=1, delta=0.0)
def training_file_again(rng):
    """Refused since the first version, in any order of its rows."""
    X = rng.normal(size=(80, 2))
    rows = _rows(X, rng.integers(0, 2, 80))
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        _fit(folder, "ab", rows)
        ran = mercer("certify", folder / "out" / "model.mercer", folder / "data.csv")
    return Claim(0.0, 0.5, clean=ran.code == 0)


@way(draws=1, delta=0.0)
def gate_opens_for_half_a_training_file(rng):
    """Fresh rows, and half as many from the file the model came from."""
    X = rng.normal(size=(160, 2))
    rows = _rows(X, X[:, 0] > 0)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        _fit(folder, "ab", rows[:80])
        text = "\n".join(",".join(map(str, row)) for row in [["a", "b", "y"], *rows[40:]])
        (folder / "fresh.csv").write_text(text + "\n")
        model, fresh = folder / "out" / "model.mercer", folder / "fresh.csv"
        ran = mercer("certify", model, fresh, "--require-error", 0.9)
    if ran.code not in (0, 3, 5):
        raise AssertionError(f"mercer certify ended with exit code {ran.code}: {ran.err}")
    return Claim(0.9, 1.0, clean=ran.code == 0)
