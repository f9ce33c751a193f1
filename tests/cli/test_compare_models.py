"""``mercer compare`` on fresh rows that hang together, with a margin, by groups."""

import json

import numpy as np
import pytest

from helpers_cli import mercer as run_here
from mercer.certification.core.looks import forget


def run(*arguments):
    forget()  # a command is a process of its own
    return run_here(*arguments)


def write(path, n, flip, seed, copies=1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = (X[:, 0] > 0) ^ (rng.random(n) < flip)
    rows = [f"{a:.4f},{b:.4f},{'yes' if t else 'no'},p{i}" for i, ((a, b), t)
            in enumerate(zip(X, y, strict=True))]  # fmt: skip
    path.write_text("a,b,label,patient\n" + "\n".join(rows * copies) + "\n")
    return path


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder, made = tmp_path_factory.mktemp("models"), []
    for name, n, flip in (("old", 60, 0.4), ("new", 300, 0.05)):
        data = write(folder / f"{name}.csv", n, flip, n)
        done = run("fit", data, "--target", "label", "--ignore", "patient", "-o", folder / name,
                   "--kernel", "linear", "--report", "none", "-q")  # fmt: skip
        assert done.code == 0, done.err
        made.append(folder / name / "model.mercer")
    return made


def gain(models, fresh, *more):
    done = run("compare", *models, "--on", fresh, "--json", *more)
    assert done.code == 0, done.err
    found = json.loads(done.out)
    return found["gain_over_first_at_least"][str(models[1])], found["models"]


def test_copies_are_counted_once(models, tmp_path):
    single = gain(models, write(tmp_path / "fresh.csv", 60, 0.05, 8))
    copied = gain(models, write(tmp_path / "copies.csv", 60, 0.05, 8, copies=5))
    by_patient = gain(models, tmp_path / "copies.csv", "--group", "patient")
    assert copied[0] == pytest.approx(single[0])
    assert by_patient[0] == pytest.approx(single[0])
    assert copied[1][1]["p_value"] == pytest.approx(single[1][1]["p_value"])


def test_not_much_worse_is_an_answer_too(models, tmp_path):
    fresh = write(tmp_path / "fresh.csv", 200, 0.05, 9)
    again = [models[1], tmp_path / "again.mercer"]
    again[1].write_bytes(models[1].read_bytes())
    assert "no, none of the others is certified to be better" in run(
        "compare", *again, "--on", fresh).out  # fmt: skip
    told = run("compare", *again, "--on", fresh, "--margin", "0.05").out
    assert "if you like, which errs at most" in told
    strict = run("compare", *again, "--on", fresh, "--margin", "0.001").out
    assert "certified to be not worse by so much" in strict


def test_a_second_comparison_on_the_same_rows_is_a_second_look(models, tmp_path):
    fresh, looks = write(tmp_path / "fresh.csv", 200, 0.05, 10), tmp_path / "looks.json"
    asked = ("compare", *models, "--on", fresh, "--ledger", looks)
    assert "numbers from these rows" not in run(*asked).out
    assert "numbers from these rows" not in run(*asked).out  # the same question once more
    other = run("compare", *models[::-1], "--on", fresh, "--ledger", looks)
    assert "One of 2 numbers from these rows" in other.out
    assert "Replace" not in other.out


def test_comparisons_share_a_budget(models, tmp_path):
    fresh, looks = write(tmp_path / "fresh.csv", 200, 0.05, 11), tmp_path / "looks.json"
    shared = ("--on", fresh, "--ledger", looks, "--budget", "0.05", "--json")
    first, second = (
        json.loads(run("compare", *order, *shared).out) for order in (models, models[::-1])
    )
    assert first["delta"] == pytest.approx(0.045)
    assert second["delta"] == pytest.approx(0.005 * 6 / np.pi**2)
    assert first["gain_over_first_at_least"][str(models[1])] > 0
    assert [c["delta"] for c in second["certificates"]] == [0.05, 0.05]


def test_a_ledger_is_for_fresh_rows(models, tmp_path):
    data = write(tmp_path / "data.csv", 60, 0.05, 12)
    done = run("compare", data, "-t", "label", "--ledger", tmp_path / "looks.json")
    assert done.code == 2
    assert "counts looks at fresh rows" in done.err
    alone = run("compare", *models, "--on", data, "--budget", "0.05")
    assert alone.code == 2
    assert "--ledger" in alone.err
