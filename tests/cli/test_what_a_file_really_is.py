"""Files that are not what they seem: codes for gaps, sequences in a table, matrices of pairs."""

import csv
import io

import numpy as np
import pytest

import mercer as library
from helpers_cli import mercer
from mercer.app.checks import check_columns
from mercer.io.readers import read
from mercer.tables.dataset import TEXT, Column

QUICK = ("--certify", "holdout", "--report", "none")


def answers(ran):
    return list(csv.DictReader(io.StringIO(ran.out)))


@pytest.fixture
def survey(tmp_path):
    rng = np.random.default_rng(0)
    lines = ["person;age;day;vote"]
    for i in range(80):
        age = rng.integers(18, 90)
        shown = "k.A." if i % 20 == 7 else str(age)
        day = "k.A." if i % 20 == 9 else f"2024-03-{1 + i % 28:02d}"
        lines.append(f"P{i:03d};{shown};{day};{'old' if age > 50 else 'young'}")
    path = tmp_path / "survey.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_word_among_numbers_is_told_and_can_be_a_gap(survey, tmp_path):
    ran = mercer("inspect", survey)
    for column in ("age", "day"):
        assert f"column '{column}' was read as text because of 'k.A.' (4 rows)" in ran.out
    assert "--missing 'k.A.'" in ran.out
    table = read(survey, missing=("k.A.",))
    assert [c.kind for c in table.columns] == ["text", "number", "date", "text"]
    assert table.column("age").missing.sum() == 4
    out = tmp_path / "out"
    ran = mercer("fit", survey, "-t", "vote", "--missing", "k.A.", "-k", "gaussian", *QUICK,
                 "-o", out)  # fmt: skip
    assert ran.code == 0, ran.err
    assert "was read as text" not in ran.out
    # the model remembers the word, and which column names the rows
    found = answers(mercer("predict", out / "model.mercer", survey))
    assert [row["person"] for row in found[:2]] == ["P000", "P001"]
    assert len(found) == 80
    again = mercer("fit", "--config", out / "run.toml", "-o", tmp_path / "again", "--quiet")
    assert again.code == 0, again.err


@pytest.mark.parametrize(
    ("values", "told"),
    [
        (["12", "3.5", "1,200", "-4e3", "7 %"] * 5 + ["n/k"], True),
        (["2024-01-02", "3/4/2021 10:15"] * 6 + ["soon"], True),
        (["12"] * 12 + ["a", "b", "c", "d", "e", "f"], False),  # that many words are categories
        (["12"] * 12 + ["a"] * 12, False),
        (["5"] * 5 + ["90+"], False),  # too few to judge
        (["R01", "R02", "R03"] * 5, False),
        (["2024-01-02", "12"] * 8, False),  # no word is to blame
    ],
)
def test_which_columns_would_be_numbers(values, told):
    column = Column("c", TEXT, np.array(values, dtype=object))
    codes = [f.code for f in check_columns([column], np.arange(len(values)) + 1, {})]
    assert ("gap-code" in codes) == told


def test_dates_in_a_message_are_dates(tmp_path):
    lines = [f"{w},{c}" for w, c in zip(["soon", "later"] * 20, ["a", "b"] * 20, strict=True)]
    (tmp_path / "old.csv").write_text("when,y\n" + "\n".join(lines))
    out = tmp_path / "out"
    mercer("fit", tmp_path / "old.csv", "-t", "y", "-k", "gaussian", *QUICK, "-o", out)
    (tmp_path / "new.csv").write_text("when\n2023-09-18\n2023-08-14\n")
    ran = mercer("predict", out / "model.mercer", tmp_path / "new.csv")
    assert "'2023-08-14', '2023-09-18'" in ran.err


@pytest.fixture
def genes(tmp_path):
    rng = np.random.default_rng(1)
    rows = []
    for i in range(60):
        text = "".join(rng.choice(list("ACGT"), 30))
        label = "box" if i % 2 else "none"
        rows.append((f"g{i}", text[:10] + ("TATAAT" if i % 2 else "GGCCGG") + text[16:], label))
    table, fasta = tmp_path / "genes.csv", tmp_path / "genes.fasta"
    table.write_text("id,dna,label\n" + "".join(f"{i},{s},{y}\n" for i, s, y in rows))
    fasta.write_text("".join(f">{i} {y}\n{s}\n" for i, s, y in rows))
    return table, fasta


def test_sequences_in_a_column(genes, tmp_path):
    table, fasta = genes
    assert "column 'dna' holds sequences (A C G T): --strings 'dna'" in mercer("inspect", table).out
    wishes = ("-k", "spectrum:length=4", *QUICK)
    ran = mercer("fit", table, "-t", "label", "--strings", "dna", *wishes, "-o", tmp_path / "a")
    assert ran.code == 0, ran.err
    assert "60 rows x 1 sequence" in ran.out
    other = mercer("fit", fasta, *wishes, "-o", tmp_path / "b")
    assert other.code == 0, other.err
    models = [library.load(tmp_path / name / "model.mercer") for name in "ab"]
    assert models[0].certificate_.value == models[1].certificate_.value
    model = tmp_path / "a" / "model.mercer"
    from_table, from_fasta = (answers(mercer("predict", model, path)) for path in genes)
    assert [r["predicted"] for r in from_table] == [r["predicted"] for r in from_fasta]
    assert [r["id"] for r in from_table] == [r["name"] for r in from_fasta]
    assert from_table[0]["id"] == "g0"


@pytest.mark.parametrize(
    ("content", "options", "words"),
    [
        ("dna,y\n" + "ACGT,a\nCCGT,b\n" * 20, ("--strings", "dan"), "Did you mean 'dna'"),
        ("dna,y\n" + "ACGT,a\n,b\n" * 20, ("--strings", "dna"), "(first: row 2)"),
        ("dna,y\n" + "1,a\n2,b\n" * 20, ("--strings", "dna"), "holds no text"),
        ("dna,y\n" + "ACGT,a\nCCGT,b\n" * 20, ("--strings", "y"), "is the target"),
        (
            "t,y\n" + "the quick brown fox,a\njumps over lazy dogs,b\n" * 20,
            ("--strings", "t", "--group", "related"),
            "has more",
        ),
    ],
)
def test_strings_that_are_none(content, options, words, tmp_path):
    (tmp_path / "bad.csv").write_text(content)
    ran = mercer("fit", tmp_path / "bad.csv", "-t", "y", *options, *QUICK, "-o", tmp_path / "o")
    assert ran.code == 3
    assert words in ran.err


def test_groups_and_order_of_strings_are_columns(genes, tmp_path):
    table, _ = genes
    lines = table.read_text().splitlines()
    lines = [lines[0] + ",lab,day"] + [f"{x},L{i % 9},{i}" for i, x in enumerate(lines[1:])]
    table.write_text("\n".join(lines))
    wishes = ("-t", "label", "--strings", "dna", "-k", "spectrum", *QUICK)
    for option, name, words in (("--group", "lab", "whole groups"), ("--order", "day", "the past")):
        ran = mercer("fit", table, *wishes, option, name, "-o", tmp_path / name)
        assert ran.code == 0, ran.err
        assert words in ran.out


def test_distances_taken_for_a_table_are_told(tmp_path):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(40, 2))
    D = np.abs(X[:, None] - X[None]).sum(axis=2)
    np.save(tmp_path / "D.npy", D)
    (tmp_path / "y.csv").write_text("y\n" + "".join(f"{'ab'[int(v > 0)]}\n" for v in X[:, 0]))
    ran = mercer("fit", tmp_path / "D.npy", "--labels", tmp_path / "y.csv", "-k", "gaussian",
                 *QUICK, "-o", tmp_path / "o")  # fmt: skip
    assert ran.code == 0, ran.err
    assert "--precomputed distance" in " ".join(ran.out.split())
    ran = mercer("embed", tmp_path / "D.npy", "-o", tmp_path / "e")
    assert "--precomputed distance" in ran.out


def test_names_of_rows_are_no_coordinates(survey, tmp_path):
    ran = mercer("embed", survey, "--colour", "vote", "-o", tmp_path / "with")
    assert ran.code == 0, ran.err
    assert "person: not used, it only names the rows" in ran.out
    assert "--missing 'k.A.'" in ran.out
    mercer("embed", survey, "--colour", "vote", "--ignore", "person", "-o", tmp_path / "without")
    tables = [tmp_path / name / "survey-embedding.csv" for name in ("with", "without")]
    assert tables[0].read_text() == tables[1].read_text()
