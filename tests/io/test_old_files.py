"""Files of former versions still load, and answer as they did on the day they were written.

``tools/freeze_models.py`` says what the archive holds. It is never written again.
"""

import importlib.resources
import io
import json
import re
import tomllib
import zipfile
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import mercer
from helpers_cli import mercer as command
from helpers_frozen import answers_of, certificate_of, from_plain
from mercer.bounds import Certificate
from mercer.io.export import from_skops
from mercer.io.model_file import NotStorable, open_model

ARCHIVE = Path(__file__).parent / "fixtures" / "format-1.zip"
NEAR = 1e-9  # other processors round otherwise
KINDS = {"bound", "kernel", "learner", "loss", "metric", "record"}

pytestmark = pytest.mark.filterwarnings("ignore")  # tiny samples warn, as they did then


def member(name):
    with zipfile.ZipFile(ARCHIVE) as archive:
        return archive.read(name)


INDEX = json.loads(member("index.json"))


def check_answers(model, record):
    found = answers_of(model, from_plain(record["rows"]))
    assert set(record["answers"]) <= set(found)
    for name, expected in record["answers"].items():
        assert_same(np.asarray(found[name]), from_plain(expected), name)


def assert_same(found, expected, name):
    assert found.shape == expected.shape, name
    assert found.dtype.kind == expected.dtype.kind, name
    if expected.dtype.kind == "f":
        assert_allclose(found, expected, rtol=NEAR, atol=NEAR, err_msg=name)
    else:
        assert_array_equal(found, expected, err_msg=name)


def check_certificate(model, record):
    """One that spent rows is read from the file; others are worked out from the stored model."""
    found, expected = certificate_of(model), record["certificate"]
    if expected is None:
        assert found is None
        return
    now, was = json.loads(json.dumps(found["dict"])), expected["dict"]
    same = set(was) - {"mercer_certificate"}  # later fields are not asked about
    if now["inputs"].keys() != was["inputs"].keys() or now["assumptions"] != was["assumptions"]:
        assert getattr(model, "certification_", None) is None
        same = {"quantity", "n", "kind"}  # a later version may know more about kernel and rows
    else:
        assert found["first_line"].startswith(expected["first_line"])  # advice may follow
    assert_like({k: now[k] for k in same}, {k: was[k] for k in same}, "certificate")


def assert_like(found, expected, where):
    """Equal in everything but the last digits of numbers."""
    if isinstance(expected, dict):
        assert found.keys() == expected.keys(), where
        for name, value in expected.items():
            assert_like(found[name], value, f"{where}.{name}")
    elif isinstance(expected, list):
        assert len(found) == len(expected), where
        for i, value in enumerate(expected):
            assert_like(found[i], value, f"{where}[{i}]")
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, rel=NEAR, abs=NEAR, nan_ok=True), where
    else:
        assert found == expected, where


@pytest.mark.parametrize("name", INDEX["cases"])
def test_a_model_file_answers_as_it_did(name, tmp_path):
    path = tmp_path / "old.mercer"
    path.write_bytes(member(f"cases/{name}.mercer"))
    model, record = mercer.load(path), json.loads(member(f"cases/{name}.json"))
    assert record["answers"]
    check_answers(model, record)
    check_certificate(model, record)


@pytest.mark.parametrize("name", INDEX["skops"])
def test_a_skops_file_answers_as_it_did(name, tmp_path):
    pytest.importorskip("skops.io", reason="needs the extra mercer[skops]")
    path = tmp_path / "old.skops"
    path.write_bytes(member(f"skops/{name}.skops"))
    model, record = from_skops(path), json.loads(member(f"skops/{name}.json"))
    check_answers(model, record)
    check_certificate(model, record)


@pytest.fixture
def folder(tmp_path):
    """What ``mercer fit`` left, beside the table it was given."""
    with zipfile.ZipFile(ARCHIVE) as archive:
        names = [name for name in archive.namelist() if name.startswith("fit/")]
        archive.extractall(tmp_path, names)
    return tmp_path / "fit"


def test_the_command_line_predicts_as_it_did(folder):
    ran = command("predict", folder / "out" / "model.mercer", folder / "data.csv")
    assert ran.code == 0, ran.err
    found, expected = (
        [line.split(",") for line in text.splitlines()]
        for text in (ran.out, (folder / "predictions.csv").read_text())
    )
    assert found[0] == expected[0]
    assert [row[:2] for row in found] == [row[:2] for row in expected]
    numbers = [np.array([row[2:] for row in rows[1:]], dtype=float) for rows in (found, expected)]
    assert_allclose(*numbers, atol=2e-6)  # six digits are printed


def test_the_certificate_of_a_folder_is_that_of_its_model(folder):
    stored = open_model(folder / "out" / "model.mercer")
    document = json.loads((folder / "out" / "certificate.json").read_text())
    assert Certificate.from_dict(document["certificate"]) == stored.model.certificate_
    assert stored.about["certificate"]["value"] == document["certificate"]["value"]
    assert len(stored.model.row_marks_) == len(stored.about["train_rows"])


def test_a_model_of_a_folder_still_knows_its_training_rows(folder):
    head, *lines = (folder / "data.csv").read_text().splitlines()
    turned = folder / "turned.csv"  # the same rows in another file
    turned.write_text("\n".join([head, *reversed(lines)]) + "\n")
    ran = command("certify", folder / "out" / "model.mercer", turned, "-t", "y")
    assert ran.out.startswith("24 of 30 fresh rows equal rows the model was trained on; ")
    assert "7 of 30" not in ran.out  # the support vectors are among them


def test_a_run_is_repeated_from_its_options(folder):
    options = folder / "out" / "run.toml"
    assert tomllib.loads(options.read_text())["certify"] == "holdout"
    out = folder / "again"
    ran = command("fit", folder / "data.csv", "--config", options, "-o", out)
    assert ran.code == 0, ran.err
    first, again = (
        json.loads((place / "certificate.json").read_text())["certificate"]
        for place in (folder / "out", out)
    )
    assert again["value"] == pytest.approx(first["value"], rel=NEAR)


def test_a_checkpoint_is_continued_or_refused_but_never_mixed(tmp_path):
    path = tmp_path / "search.jsonl"
    path.write_bytes(member("search.jsonl"))
    given = json.loads(member("search.json"))
    X, y = from_plain(given["rows"]), from_plain(given["labels"])
    search = mercer.KernelSearch(params=given["params"], random_state=0, checkpoint=path)
    try:
        search.fit(X, y)
    except ValueError as refusal:
        assert "another version of Mercer" in str(refusal)  # noqa: PT017
    assert path.read_bytes() == member("search.jsonl")


def test_functions_are_refused_and_the_place_is_named(tmp_path):
    X, y = np.random.default_rng(0).normal(size=(20, 2)), np.arange(20) % 2
    for name, model in {
        "kernel": mercer.SVC(kernel=lambda a, b: a @ b.T),
        "transformer": make_pipeline(FunctionTransformer(np.cbrt), mercer.SVC()),
    }.items():
        with pytest.raises(NotStorable) as refusal:
            mercer.save(model.fit(X, y), tmp_path / "m.mercer")
        place = INDEX["refusals"][f"functions/{name}"].partition(" is a ")[0]
        assert str(refusal.value).startswith(f"{place} is a function: a model file cannot hold")


def frozen_names():
    table = importlib.resources.files("mercer.io.model_file") / "format_1_names.json"
    return json.loads(table.read_text())


def test_every_class_of_an_old_file_has_a_tag():
    names, seen = frozen_names(), set()
    for case in INDEX["cases"]:
        with zipfile.ZipFile(io.BytesIO(member(f"cases/{case}.mercer"))) as model:
            seen |= set(
                re.findall(r'"\$object": "(mercer[^"]+)"', model.read("manifest.json").decode())
            )
    assert len(seen) > 100
    assert seen <= set(names)


def test_tags_are_unique_and_of_a_known_kind():
    tags = list(frozen_names().values())
    assert len(tags) == len(set(tags)) == 357
    for tag in tags:
        assert re.fullmatch(r"[a-z]+:[a-z0-9]+(-[a-z0-9]+)*", tag)
    assert {tag.partition(":")[0] for tag in tags} == KINDS
