"""``mercer certify`` for other populations and groups of fresh rows."""

import json

import numpy as np
import pytest

from helpers_cli import mercer as run


def write(path, n, seed, move=0.0):
    rng = np.random.default_rng(seed)
    X = rng.normal([move, 0], size=(n, 2))
    y = X[:, 0] + 0.3 * rng.normal(size=n) > 0
    kind = np.where(rng.random(n) < 0.5, "red", "blue")
    rows = (f"{a:.4f},{b:.4f},{k},s{i % 3},{'yes' if t else 'no'}"
            for i, ((a, b), k, t) in enumerate(zip(X, kind, y, strict=True)))  # fmt: skip
    path.write_text("a,b,kind,site,label\n" + "\n".join(rows) + "\n")
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    here = tmp_path_factory.mktemp("populations")
    done = run("fit", write(here / "train.csv", 240, 1), "--target", "label", "--ignore", "site",
               "-o", here / "out", "--kernel", "linear", "--report", "none", "-q")  # fmt: skip
    assert done.code == 0, done.err
    write(here / "fresh.csv", 300, 2)
    write(here / "there.csv", 200, 3, move=0.5)
    return here


def certify(folder, *more):
    return run("certify", folder / "out" / "model.mercer", folder / "fresh.csv", *more)


def test_shares_of_classes(folder):
    found = json.loads(certify(folder, "--shares", "yes=0.2, no=0.8", "--json").out)
    classes = found["details"]["classes"]
    assert found["value"] == pytest.approx(0.2 * classes["yes"] + 0.8 * classes["no"])


def test_rows_of_another_population_with_a_column_of_words(folder):
    done = certify(folder, "--population", folder / "there.csv")
    assert done.code == 0, done.err
    assert "the weights were estimated, DOES NOT COVER their error" in done.out.splitlines()[0]
    assert "which count as" in done.out


def test_groups(folder):
    found = json.loads(certify(folder, "--by", "site", "--json").out)
    assert set(found["details"]["groups"]) == {"s0", "s1", "s2"}
    assert found["quantity"].startswith("largest gap")


def test_questions_share_a_ledger_and_a_budget(folder, tmp_path):
    shared = ("--ledger", tmp_path / "looks.json", "--budget", "0.05", "--json")
    there = folder / "there.csv"
    asked = (("--by", "site"), ("--shares", "yes=0.2,no=0.8"), ("--population", there))
    for k, question in enumerate(asked, start=1):
        found = json.loads(certify(folder, *question, *shared).out)
        assert found["about"]["look"]["k"] == k
        assert found["delta"] == 0.05
        assert not any("numbers from these rows" in words for words in found.get("found", ()))
        assert found["details"]["own_delta"] < 0.05


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--shares", "yes=0.2", "--by", "site"), "one at a time: --shares, --by"),
        (("--by", "site", "--metric", "f1"), "one at a time: --by, --metric"),
        (("--shares", "yes,no"), "is not a list such as"),
        (("--shares", "yes=0.2,no=0.2"), "add up to 1"),
        (("--shares", "maybe=1"), "never occurred"),
        (("--metric", "ece", "--require-error", "0.9"), "is about error rates, not about"),
        (("--by", "site", "--require-error", "0.5"), "is about error rates, not about largest gap"),
    ],
)
def test_what_is_refused(folder, options, words):
    done = certify(folder, *options)
    assert done.code in (2, 3, 5)
    assert words in done.err


def test_they_need_fresh_rows_in_one_file(folder):
    done = run("certify", folder / "out" / "model.mercer", "--by", "site")
    assert "needs fresh rows with labels" in done.err
    for more in (("--by", "site"), ("--metric", "f1")):
        done = run("certify", folder / "out" / "model.mercer", str(folder / "fr*.csv"), *more)
        assert done.code == 2
        assert "fresh rows in one file" in done.err
