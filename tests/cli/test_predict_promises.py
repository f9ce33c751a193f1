"""What ``mercer predict`` writes beside answers is promised, or said not to be."""

import csv
import io

import numpy as np
import pytest

from helpers_cli import mercer as run


def write(path, n, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    z = X[:, 0] + rng.normal(size=n)
    rows = (f"{a:.4f},{b:.4f},{c:.4f},{'yes' if c > 0 else 'no'}"
            for (a, b), c in zip(X, z, strict=True))  # fmt: skip
    path.write_text("a,b,z,label\n" + "\n".join(rows) + "\n")
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    here = tmp_path_factory.mktemp("promises")
    for name, n, target in (("classes", 240, "label"), ("numbers", 240, "z"), ("few", 40, "z")):
        data = write(here / f"{name}.csv", n, n)
        other = "z" if target == "label" else "label"
        done = run("fit", data, "--target", target, "--ignore", other, "-o", here / name,
                   "--kernel", "linear", "--report", "none", "-q")  # fmt: skip
        assert done.code == 0, done.err
    write(here / "new.csv", 300, 1)
    return here


def answers(folder, model, *more):
    done = run("predict", folder / model / "model.mercer", folder / "new.csv", *more)
    assert done.code == 0, done.err
    return list(csv.DictReader(io.StringIO(done.out))), done.err


def test_sets_of_classes(folder):
    rows, told = answers(folder, "classes", "--coverage", "0.8")
    assert {row["set"] for row in rows} <= {"no", "yes", "no, yes", ""}
    text = (folder / "new.csv").read_text()
    truth = [row["label"] for row in csv.DictReader(io.StringIO(text))]
    held = [label in row["set"].split(", ") for label, row in zip(truth, rows, strict=True)]
    assert np.mean(held) > 0.75
    assert "sets: at least 80 % of new classes lie in the sets" in told
    assert "set" not in answers(folder, "classes")[0][0]


def test_intervals_say_what_they_hold(folder):
    rows, told = answers(folder, "numbers")
    assert "lower and upper: at least 90 % of new targets" in told
    half, said = answers(folder, "numbers", "--coverage", "0.5", "--only")
    assert "lower and upper: at least 50 % of new targets" in said
    assert float(half[0]["upper"]) < float(rows[0]["upper"])
    assert answers(folder, "numbers", "--only")[1].count("lower and upper") == 0


def test_a_machines_own_guess_is_called_so(folder):
    rows, told = answers(folder, "few")
    assert "lower" in rows[0]
    assert "NOT GUARANTEED to hold anything" in told
    done = run("predict", folder / "few" / "model.mercer", folder / "new.csv", "--coverage", "0.9")
    assert done.code == 2
    assert "this model promises no coverage" in done.err


def test_files_in_batches(folder, tmp_path):
    done = run("predict", folder / "classes" / "model.mercer", str(folder / "n*w.csv"),
               "-o", tmp_path / "out", "--coverage", "0.8")  # fmt: skip
    assert done.code == 0, done.err
    assert "sets: at least 80 %" in done.err
    polars = pytest.importorskip("polars")
    assert "set" in polars.read_parquet(next((tmp_path / "out").glob("*.parquet"))).columns
