"""One model, five doors: command line, pandas, polars, skops and ONNX answer alike, or refuse."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

import mercer
from helpers_cli import mercer as command
from mercer.errors import DataError
from mercer.io.export import from_skops, to_onnx, to_skops

LEVELS = ["mild", "moderate", "severe"]


def clinic(n=90, seed=0):
    """Numbers with gaps, truth values, days first, levels, ordered levels, codes as text."""
    rng = np.random.default_rng(seed)
    day = pd.Timestamp("2021-03-01") + pd.to_timedelta(rng.integers(0, 900, n), "D")
    table = pd.DataFrame({
        "dose": rng.normal(50, 10, n).round(3),
        "age": rng.integers(20, 90, n).astype(float),
        "smokes": rng.random(n) < 0.4,
        "seen": day.strftime("%d/%m/%Y"),
        "ward": rng.choice(["north", "south", "1.50", "2"], n),
        "state": rng.choice(LEVELS, n),
    })  # fmt: skip
    table.loc[rng.choice(n, 9, replace=False), "age"] = np.nan
    table.loc[rng.choice(n, 7, replace=False), "ward"] = None
    score = table.dose / 10 + 2 * table.smokes + (table.state == "severe") * 3 + rng.normal(0, 1, n)
    table["sick"] = np.where(score > score.median(), "yes", "no")
    table["cost"] = (100 * score).round(2)
    return table


NEW = clinic(25, 1).drop(columns=["sick", "cost"])
NEW.loc[3, "ward"] = "east"  # no training row has it
NEW.loc[4, "state"] = "unheard of"
NEW.loc[5, "dose"] = np.nan  # no training row has that gap
NEW.loc[6, "age"] = np.inf
ONE = NEW.iloc[[7]].assign(seen="02/03/2022", ward="1.50")  # ambiguous day, text like a number


@pytest.fixture(scope="module", params=["sick", "cost"])
def models(request, tmp_path_factory):
    """The model of ``mercer fit`` and what it says of new rows, by the command line."""
    folder = tmp_path_factory.mktemp(request.param)
    other = {"sick": "cost", "cost": "sick"}[request.param]
    clinic().drop(columns=other).to_csv(folder / "clinic.csv", index=False)
    done = command("fit", folder / "clinic.csv", "-t", request.param, "-o", folder / "out",
                   "-k", "gaussian", "--report", "none", "-q")  # fmt: skip
    assert done.code == 0, done.err
    return folder, folder / "out" / "model.mercer"


def told(folder, model, frame):
    frame.to_csv(folder / "new.csv", index=False)
    ran = command("predict", model, folder / "new.csv", "-o", folder / "told.csv")
    assert ran.code == 0, ran.err
    return pd.read_csv(folder / "told.csv")["predicted"].to_numpy(), ran.err


def same(found, expected):
    if np.asarray(expected).dtype.kind == "f":
        np.testing.assert_allclose(np.ravel(found).astype(float), expected, rtol=1e-9)
    else:
        assert np.ravel(found).tolist() == expected.tolist()


@pytest.mark.parametrize("rows", [NEW, ONE], ids=["many rows", "one row"])
def test_all_doors_answer_alike(models, rows, tmp_path):
    folder, path = models
    expected, _ = told(folder, path, rows)
    model = mercer.load(path)
    turned = rows[rows.columns[::-1]].assign(unused=1)
    for frame in (rows, turned, pl.from_pandas(rows), rows.to_dict("list")):
        same(model.predict(frame), expected)
    parsed = rows.assign(seen=pd.to_datetime(rows.seen, format="%d/%m/%Y"))
    same(model.predict(parsed), expected)
    same(from_skops(to_skops(model, tmp_path / "m.skops")).predict(turned), expected)
    same(run_onnx(model, rows, tmp_path), expected)
    turned.to_csv(tmp_path / "turned.csv", index=False, sep=";")
    same(told(folder, path, pd.read_csv(tmp_path / "turned.csv", sep=";", dtype=str))[0], expected)
    rows.to_json(tmp_path / "new.jsonl", orient="records", lines=True)
    if not np.isinf(rows.age).any():  # JSON has no infinity
        out = tmp_path / "told.csv"
        assert command("predict", path, tmp_path / "new.jsonl", "-o", out).code == 0
        same(pd.read_csv(out)["predicted"].to_numpy(), expected)


def run_onnx(model, rows, folder):
    runtime = pytest.importorskip("onnxruntime")
    path = to_onnx(model, folder / "m.onnx")
    session = runtime.InferenceSession(path.read_bytes(), providers=["CPUExecutionProvider"])
    facts = session.get_modelmeta().custom_metadata_map
    kinds = {c["name"]: c["kind"] for c in json.loads(facts["mercer.schema"])}
    feed = {}
    for name, column in json.loads(facts["mercer.inputs"]).items():
        values = rows[column]
        if kinds[column] == "text":
            made = np.array([["" if pd.isna(v) else v] for v in values], dtype=object)
        elif kinds[column] == "date":
            stamps = pd.to_datetime(values, format="%d/%m/%Y").to_numpy("datetime64[s]")
            made = stamps.astype(float)[:, None]
        else:
            made = values.to_numpy(float)[:, None]
        feed[name] = made
    return session.run([session.get_outputs()[0].name], feed)[0]


def test_other_kinds_and_missing_columns_are_refused_alike(models, tmp_path):
    folder, path = models
    model = mercer.load(path)
    other = from_skops(to_skops(model, tmp_path / "m.skops"))
    wrong = {
        "held numbers": NEW.assign(dose="a lot"),
        "held dates": NEW.assign(seen="soon"),
        "needs the column 'ward'": NEW.drop(columns="ward"),
    }
    for words, frame in wrong.items():
        for known in (model, other):
            with pytest.raises(DataError, match=words):
                known.predict(frame)
        frame.to_csv(folder / "wrong.csv", index=False)
        ran = command("predict", path, folder / "wrong.csv")
        assert ran.code == 3
        assert words in ran.err


def test_what_the_training_rows_did_not_have_is_said(models):
    folder, path = models
    _, said = told(folder, path, NEW)
    assert "column 'ward' holds 'east' in 1 row" in said
    assert "'unheard of'" in said
    assert "column 'dose' has no value in 1 row" in said
    prepared = mercer.load(path).model_.best_estimator_[0]
    lines = [line for line in said.splitlines() if line]
    promised = [line for line in lines if line.startswith("lower and upper: ")]
    assert prepared.check(NEW) == [line for line in lines if line not in promised]
    assert len(promised) == ("cost" in folder.name)  # a regression keeps rows for its intervals
    assert prepared.check(clinic().drop(columns=["sick", "cost"])) == []


def test_the_schema_can_be_read(models):
    _, path = models
    shown = command("inspect", path)
    assert "seen: date as %d/%m/%Y; 2021-03-" in shown.out
    assert "state: text; mild, moderate, severe; no gaps seen" in shown.out
    document = json.loads(command("inspect", path, "--json").out)
    ward = next(c for c in document["about"]["schema"] if c["name"] == "ward")
    assert set(ward["levels"]) == {"north", "south", "1.50", "2"}
    assert ward["gaps"]


def test_words_for_gaps_and_numbers_as_text_mean_the_same_in_a_frame(tmp_path):
    table = clinic().drop(columns="cost")
    table["age"] = [
        ("?" if pd.isna(v) else f"{v:.1f}") for v in table.age
    ]  # as read with dtype=str
    table.to_csv(tmp_path / "clinic.csv", index=False)
    quick = {"target": "sick", "kernel": "gaussian"}
    from_file = mercer.fit(tmp_path / "clinic.csv", **quick)
    from_frame = mercer.fit(table, **quick)
    assert from_file.certificate_.value == from_frame.certificate_.value
    kinds = [[(c["name"], c["kind"], c["missing"]) for c in m.run_.data["columns"]]
             for m in (from_file, from_frame)]  # fmt: skip
    assert kinds[0] == kinds[1]


def test_codes_with_zeros_in_front_stay_text():
    codes = {"code": ["007", "010", "123"] * 10, "x": np.arange(30.0) % 7, "y": [0, 1, 1] * 10}
    model = mercer.fit(codes, target="y", kernel="gaussian")
    assert model.run_.data["columns"][0]["kind"] == "text"
