"""Traps that a careful statistician would see, each as small as it can be."""

import numpy as np
import pytest

import mercer
from helpers_cli import mercer as command
from mercer.app.keys import identifiers
from mercer.app.leaks import telling
from mercer.app.names import words_of
from mercer.app.roles import make_fit_data
from mercer.errors import DataError
from mercer.tables.frames import dataset_of

RNG = np.random.default_rng(5)
N = 200
X = RNG.normal(size=N)
U = RNG.normal(size=N)
DEAD = (X + RNG.normal(size=N) > 0).astype(int)
CAUSE = np.where(DEAD == 1, RNG.choice(["heart", "lung", "other"], N), None)
GRADE = np.clip(np.floor(X * 3), -4, 4)
AMOUNT = np.exp(1 + X + RNG.normal(size=N))


def looked(table, target="y", **options):
    return make_fit_data(dataset_of(table), target=target, **options)


def told(table, code, target="y"):
    found = looked(table, target).findings
    return {name for finding in found if finding.code == code for name in finding.columns}


LEAKS = {
    "filled only for the dead": (CAUSE, DEAD),
    "a threshold": (np.where(DEAD == 1, 70, 40) + RNG.random(N) * 20, DEAD),
    "the target in words": (np.where(DEAD == 1, "yes", "no"), DEAD),
    "its levels, finer": (DEAD * 2 + RNG.integers(0, 2, N), DEAD),
    "a sentence with the answer": (
        np.array([f"left {i}: {'retired' if d else 'resigned'}" for i, d in enumerate(DEAD)]),
        np.where(DEAD == 1, "retired", "resigned"),
    ),
    "three classes by two cuts": (
        np.digitize(X, [-0.5, 0.5]) + 0.3 * RNG.random(N),
        np.array(["low", "mid", "high"])[np.digitize(X, [-0.5, 0.5])],
    ),
    "the logarithm": (np.log(AMOUNT), AMOUNT),
    "nearly a copy": (AMOUNT * (1 + 0.001 * RNG.normal(size=N)), AMOUNT),
    "its class mean": (
        np.array([f"grade {v}" for v in GRADE]),
        GRADE * 1000.0 + 9 * U,
    ),
}


@pytest.mark.parametrize("name", LEAKS)
def test_a_column_that_gives_the_target_away_is_told(name):
    column, y = LEAKS[name]
    assert told({"u": U, "z": column, "y": y}, "leak") == {"z"}


@pytest.mark.parametrize("seed", range(10))
def test_honest_columns_are_not_called_leaks(seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=N)
    site = rng.choice(["a", "b", "c", "d"], N)
    gaps = np.where(rng.random(N) < 0.9, None, 1.0)  # nine gaps in ten, at random
    many = np.array([f"name {i}" for i in rng.integers(0, 150, N)])
    y = (2 * x + rng.normal(size=N) > 0).astype(int)
    table = {"x": x, "site": site, "gaps": gaps, "many": many}
    assert not told(table | {"y": y}, "leak")
    assert not told(table | {"y": y}, "telling")
    assert not told(table | {"y": x + rng.normal(size=N)}, "leak")


def test_a_rare_class_that_is_told_by_chance_is_no_leak():
    y = np.zeros(N, dtype=int)
    y[:5] = 1
    assert not told({"x": np.r_[np.full(5, 9.0), X[5:]], "y": y}, "leak")


def test_every_column_is_judged_by_what_it_leaves():
    columns = dataset_of({"x": X, "z": np.where(DEAD == 1, "yes", "no")}).columns
    best, other = telling(columns, DEAD, "classification", {})
    assert (best.name, best.left) == ("z", 0.0)
    assert 0.1 < other.share < 0.9


KEYS = {
    "row numbers": ("n", np.arange(N)),
    "row numbers, shuffled": ("n", RNG.permutation(N)),
    "row numbers of which some rows are gone": ("n", np.sort(RNG.choice(N + 60, N, replace=False))),
    "an id by its name": ("PatientID", RNG.choice(10**6, N, replace=False)),
    "codes": ("k", np.array([f"877-{i:05d}" for i in RNG.permutation(N)])),
    "pages": ("source", np.array([f"https://example.org/{'x' * 40}/{i}" for i in range(N)])),
    "a counter that begins again": ("Sample Number", np.r_[np.arange(1, 121), np.arange(1, 81)]),
}


@pytest.mark.parametrize("name", KEYS)
def test_what_only_names_the_rows_is_left_out(name):
    column, values = KEYS[name]
    found = looked({column: values, "x": X, "y": DEAD})
    assert found.roles == {"y": "target", column: "identifier"}
    assert found.names == ["x"]
    assert looked({column: values, "x": X, "y": DEAD}, keep=[column]).names == [column, "x"]


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("year", np.arange(1800, 1800 + N)),  # a series, one row a year
        ("income", RNG.choice(10**6, N, replace=False)),
        ("hour", np.tile(np.arange(24), 9)[:N]),
        ("person", np.tile(np.arange(20), 10)),  # the same persons in every block
        ("name", np.array([f"{a} {b}" for a, b in zip("abcdefghij" * 20, range(N), strict=True)])),
    ],
)
def test_measurements_series_and_groups_are_no_keys(column, values):
    assert not identifiers(dataset_of({column: values, "x": X}).columns)


def test_an_index_without_a_name_is_seen_in_both_commands(tmp_path):
    """Rows without a target are dropped, which must not turn the row number into a feature."""
    order = RNG.permutation(N)
    lines = [",x,y", *(f"{i},{X[i]:.4f},{'' if i % 9 == 0 else DEAD[i]}" for i in order)]
    path = tmp_path / "shuffled.csv"
    path.write_text("\n".join(lines) + "\n")
    model = mercer.fit(path, target="y", kernel="gaussian")
    assert {c["name"]: c["role"] for c in model.run_.data["columns"]}["column 1"] == "identifier"
    for options in ((), ("--target", "y")):
        shown = command("inspect", path, *options)
        assert "'column 1' only names the rows and is ignored: it numbers the rows" in shown.out


def test_groups_are_told_by_name_and_by_blocks_and_not_by_part_of_a_word():
    firm = np.repeat(np.arange(40), 5)  # five years each
    shuffled = RNG.permutation(firm)
    assert told({"q": firm, "x": X, "y": DEAD}, "groups") == {"q"}
    assert not told({"q": shuffled, "x": X, "y": DEAD}, "groups")
    assert told({"patient_id": shuffled, "x": X, "y": DEAD}, "groups") == {"patient_id"}
    assert not told({"Personal": shuffled * 100.0, "x": X, "y": DEAD}, "groups")
    assert words_of("Individual ID") == {"individual", "id"}
    assert words_of("schoolid3") >= {"school", "id"}


def test_columns_that_say_the_same_are_named():
    table = {"class": np.where(DEAD, "First", "Second"), "pclass": 2 - DEAD, "x": X, "y": AMOUNT}
    assert told(table, "twice") == {"class", "pclass"}


def test_rare_classes_do_not_stop_a_fit_nor_cost_the_others_their_rows():
    y = np.where(X > 0, "a", "b").astype(object)
    y[3], y[[10, 20]] = "alone", "two"
    model = mercer.fit({"x": X, "z": AMOUNT, "y": y}, target="y", kernel="gaussian")
    assert set(model.classes_) == {"a", "b"}
    said = [c["message"] for c in model.run_.checks if c["code"] == "rare"]
    assert said == [
        "too few rows to learn the classes 'alone' (1), 'two' (2): the model never answers so, and "
        "their rows count as errors"
    ]
    counted = model.certification_.counted_rows
    wrong = int(np.sum(model.predict({"x": X[counted], "z": AMOUNT[counted]}) != y[counted]))
    assert model.certificate_.observed == pytest.approx(wrong / len(counted))


def test_a_leak_stands_beside_the_number_and_too_good_results_are_questioned(tmp_path):
    rows = [f"{x:.4f},{c or ''},{d}" for x, c, d in zip(X, CAUSE, DEAD, strict=True)]
    (tmp_path / "flchain.csv").write_text("\n".join(["age,chapter,death", *rows]) + "\n")
    ran = command("fit", tmp_path / "flchain.csv", "-t", "death", "-k", "gaussian",
                  "-o", tmp_path / "out")  # fmt: skip
    above = ran.out[: ran.out.index("With 95 % confidence")]
    assert "Careful: column 'chapter' tells 'death' almost exactly (whether it is filled)" in (
        " ".join(above.split())
    )
    clean = np.sign(X) * (1 + np.abs(X))  # two clouds that touch nowhere
    easy = {"u": clean, "v": clean[::-1], "y": ((clean > 0) ^ (clean[::-1] > 0)).astype(int)}
    model = mercer.fit(easy, target="y", kernel="gaussian")
    if model.run_.baselines[0]["error"] == 0:
        found = [c for c in model.run_.checks if c["code"] == "too-good"]
        assert found
        assert "too good for most real questions" in found[0]["message"]


def test_unscaled_constant_and_nearly_empty_columns_do_not_matter():
    table = {"x": X, "large": AMOUNT * 1e9, "same": np.full(N, 3.0), "y": DEAD}
    table["rare"] = np.where(RNG.random(N) < 0.95, np.nan, X)
    model = mercer.fit(table, target="y", kernel="gaussian")
    plain = mercer.fit({"x": X, "large": AMOUNT, "y": DEAD}, target="y", kernel="gaussian")
    assert abs(model.certificate_.value - plain.certificate_.value) < 0.15
    treated = {c["name"]: c["treatment"] for c in model.run_.data["columns"]}
    assert treated["same"] == "ignored: constant"
    assert treated["rare"].endswith("gaps are a level")


def test_many_columns_without_anything_in_them_get_one_note():
    table = {f"pixel {i}": np.zeros(N) for i in range(126)} | {"x": X, "y": DEAD}
    few = {name: table[name] for name in ("pixel 0", "pixel 1", "x", "y")}
    notes = [f for f in looked(table).findings if f.code == "constant"]
    assert [len(one.columns) for one in notes] == [126]
    assert notes[0].message.startswith("126 columns are constant and are ignored: 'pixel 0', ")
    assert len([f for f in looked(few).findings if f.code == "constant"]) == 2


def test_new_rows_may_hold_anything_where_the_training_rows_held_nothing():
    table = {"x": X, "later": np.full(N, np.nan), "y": DEAD}
    assert looked(table).roles["later"] == "empty"
    model = mercer.fit(table, target="y", kernel="gaussian")
    expected = model.predict({"x": X[:5], "later": [np.nan] * 5})
    assert np.array_equal(model.predict({"x": X[:5], "later": ["12:21"] * 5}), expected)
    assert np.array_equal(model.predict({"x": X[:5]}), expected)


def test_too_few_rows_of_other_classes_are_refused_before_the_work():
    table = {"x": X, "y": np.where(np.arange(N) < 2, "rare", "usual")}
    with pytest.raises(DataError, match="2 of 200 rows are not of the class 'usual'"):
        mercer.fit(table, target="y")
