"""``mercer.fit`` is ``mercer fit``: same model, same certificate, whatever holds the data."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

import mercer
from mercer.cli import run as command
from mercer.errors import DataError
from mercer.tables.frames import dataset_of

N = 80


def table():
    rng = np.random.default_rng(0)
    size = rng.normal(size=N)
    kind = rng.choice(["red", "blue"], N)
    return pd.DataFrame(
        {
            "size": size,
            "kind": kind,
            "day": pd.to_datetime(rng.permutation(N), unit="D").strftime("%Y-%m-%d"),
            "share": np.where(rng.uniform(size=N) < 0.1, np.nan, rng.uniform(size=N)),
            "grade": (size + (kind == "red") > 0.4).astype(int),
        }
    )


def flipped(frame):
    return frame[frame.columns[::-1]]


QUICK = {"kernel": "gaussian", "combine": "product"}


@pytest.fixture(scope="module")
def model():
    return mercer.fit(table(), target="grade", **QUICK)


def test_the_command_and_python_give_the_same(model, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    table().to_csv("table.csv", index=False)
    asked = ["fit", "table.csv", "-t", "grade", "-k", "gaussian", "--combine", "product"]
    monkeypatch.setattr("sys.argv", ["mercer", *asked, "--json", "--report", "none"])
    with pytest.raises(SystemExit) as left:
        command()
    assert left.value.code in (0, None)
    said = json.loads(capsys.readouterr().out)
    assert said["certificate"]["value"] == model.certificate_.value
    assert said["model"]["params"] == model.run_.to_dict()["model"]["params"]
    again = mercer.load(tmp_path / "mercer-table" / "model.mercer")
    assert again.predict(table()).tolist() == model.predict(table()).astype(str).tolist()


@pytest.mark.parametrize(
    "held",
    [pl.from_pandas, pa.Table.from_pandas, lambda frame: frame.to_dict("list"),
     flipped,
     lambda frame: frame.assign(day=pd.to_datetime(frame["day"])),
     lambda frame: frame.assign(kind=frame["kind"].astype("category"))],
    ids=["polars", "arrow", "dict", "other order", "dates", "category"],
)  # fmt: skip
def test_a_model_means_the_same_whatever_holds_the_rows(model, held):
    frame = table()
    expected = model.predict(frame)
    assert expected.dtype == np.int64
    assert np.array_equal(model.predict(held(frame)), expected)
    held_columns = dataset_of(held(frame)[list(frame.columns)] if held is flipped else held(frame))
    for mine, other in zip(dataset_of(frame).columns, held_columns.columns, strict=True):
        assert mine.kind == other.kind
        assert np.array_equal(mine.missing, other.missing)
        assert mine.values[~mine.missing].tolist() == other.values[~mine.missing].tolist()


def test_columns_that_are_missing_or_of_another_kind_are_refused(model):
    with pytest.raises(DataError, match="needs the column 'kind'"):
        model.predict(table().drop(columns="kind"))
    with pytest.raises(DataError, match=r"held numbers .* holds text such as 'heavy'"):
        model.predict(table().assign(size="heavy"))


def test_the_record_stays_out_of_files(model, tmp_path):
    mercer.save(model, tmp_path / "model.mercer")
    again = mercer.load(tmp_path / "model.mercer")
    assert not hasattr(again, "run_")
    assert np.array_equal(again.predict(table()), model.predict(table()))
    assert str(again.certificate_) == str(model.certificate_)


def test_targets_of_numbers_truth_values_and_texts():
    frame = table().drop(columns="grade")
    grade = table()["grade"]
    truth = mercer.fit(frame, grade > 0, **QUICK)
    assert truth.predict(frame).dtype == bool
    words = mercer.fit(frame, np.where(grade > 0, "big", "small"), **QUICK)
    assert set(words.predict(frame)) <= {"big", "small"}
    grams = mercer.fit(frame, frame["size"] * 1000.0, **QUICK)
    assert grams.run_.target["task"] == "regression"
    assert "% of predictions of" in str(grams.certificate_)


def test_arrays_strings_sparse_rows_and_kernels():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 2))
    y = (X[:, 0] > 0).astype(int)
    for data in (X, sparse.csr_array(np.where(np.abs(X) < 0.5, 0.0, X))):
        assert mercer.fit(data, y, **QUICK).predict(data).shape == (60,)
    words = ["".join(rng.choice(list("ACGT"), 12)) for _ in range(60)]
    assert mercer.fit(words, y).predict(words).shape == (60,)
    gram = mercer.fit(X @ X.T, y, precomputed="kernel")
    assert gram.predict(X @ X.T).shape == (60,)


def test_what_cannot_be_learned_from_is_said():
    with pytest.raises(DataError, match="one value for each of 80 rows"):
        mercer.fit(table(), [1, 2, 3])
    with pytest.raises(DataError, match="which column is to be predicted"):
        mercer.fit(table())
    with pytest.raises(DataError, match="must hold strings"):
        mercer.fit([object(), object()], [0, 1])
    with pytest.raises(DataError, match="column 'b' holds list"):
        mercer.fit({"a": [1.0, 2.0], "b": np.array([[1], [2, 3]], dtype=object)}, [0, 1])


def test_a_word_that_nothing_is_called_gets_the_nearest_one():
    with pytest.raises(TypeError, match=r"^fit\(\) got .* 'tarjet'\. Did you mean 'target'\?$"):
        mercer.fit(table(), tarjet="grade")
    with pytest.raises(TypeError, match=r"'seperator'\. Did you mean 'separator'"):
        mercer.fit(table(), target="grade", seperator=";")
    with pytest.raises(TypeError, match=r"'zzz'\.$"):
        mercer.fit(table(), target="grade", zzz=1)


def test_a_folder_is_written_only_when_asked_for(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mercer.fit(table(), target="grade", **QUICK)
    assert not list(tmp_path.iterdir())
    mercer.fit(table(), target="grade", output=tmp_path / "out", report="json", **QUICK)
    names = {path.name for path in (tmp_path / "out").iterdir()}
    whole = {"model.mercer", "certificate.json", "run.toml", "report.json", "manifest.json"}
    assert names == whole


def test_what_is_certified_by_class_is_what_learners_are_chosen_by():
    rng = np.random.default_rng(0)
    y = np.where(rng.uniform(size=160) < 0.2, "rare", "usual")
    X = rng.normal(size=(160, 2)) + 1.5 * (y == "rare")[:, None]
    for wish in ({"error": "balanced"}, {"error": "classes"}, {"metric": "f1:positive=rare"}):
        model = mercer.fit(X, y, learner="linear", **wish)
        assert any("equal weight" in row["title"] for row in model.run_.search["contenders"])
        about = {"balanced": "balanced error rate", "classes": "largest error rate"}
        wanted = about.get(wish.get("error"), "F1")
        assert wanted in model.certificate_.quantity
        trivial = model.run_.baselines[1]
        assert trivial["error"] == {"balanced": 0.5, "classes": 1.0}.get(
            wish.get("error"), trivial["errors"] / trivial["rows"]
        )
        assert model.run_.answers["more_rows"] is None
        assert "value" not in model.run_.certification["comparison"]  # it is about another number
