"""A new file may have its columns in another order: they are taken by name."""

import csv

import numpy as np

from helpers_cli import mercer


def write(path, names, rows):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([names, *rows])


def test_predictions_do_not_depend_on_the_order_of_columns(tmp_path):
    X = np.random.default_rng(0).normal(size=(60, 2)).round(6)
    rows = [[a, b, "xz"[int(a > b)]] for a, b in X.tolist()]
    write(tmp_path / "data.csv", ["a", "b", "y"], rows)
    write(tmp_path / "turned.csv", ["y", "b", "a"], [row[::-1] for row in rows])
    out = tmp_path / "out"
    quick = ("--kernel", "gaussian", "--report", "none")
    assert mercer("fit", tmp_path / "data.csv", "--target", "y", "--output", out, *quick).code == 0
    for name in ("data", "turned"):
        told = tmp_path / f"{name}-told.csv"
        source = tmp_path / f"{name}.csv"
        assert mercer("predict", out / "model.mercer", source, "--output", told).code == 0
    first, second = (tmp_path / f"{n}-told.csv" for n in ("data", "turned"))
    assert first.read_text() == second.read_text()
